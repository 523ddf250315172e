//! A page on this machine that shows and starts what the command line does.
//!
//! Three processes take part. The browser draws. The window (this crate) serves the page, keeps the lines of runs and
//! hands them on. And each run is a child, the same program started as from a terminal: it alone opens drives and the
//! store. So drawing does not disturb a measurement, the crash of one of them leaves the others, and rights to touch
//! drives stay with the child.
//!
//! | what | where |
//! |---|---|
//! | what may be asked, and the arguments it becomes | [`asked`] |
//! | the program as a child: documents and refusals | [`program`] |
//! | runs under way | [`runs`] |

pub mod asked;
mod lines;
pub mod program;
pub mod runs;

pub use lines::Line;
