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
//! | who may talk to the window | [`guard`] |
//! | the server, and what a page is told while it is open | [`server`] |
//! | words of the page, in two languages | [`texts`] |

pub mod asked;
mod connections;
pub mod guard;
mod lines;
pub mod menu;
pub mod program;
mod routes;
pub mod runs;
pub mod server;
mod shared;
mod stream;
pub mod texts;

pub use lines::Line;
