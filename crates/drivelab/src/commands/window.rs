//! `drivelab window`: a page on this machine that shows and starts what the command line does.

use std::time::Duration;

use window::program::Program;
use window::runs::Runs;
use window::server::{Options, Window};

use crate::arguments::WindowArguments;
use crate::commands::{Session, browse, menu, now_unix_ms};
use crate::output::{Failure, say};
use crate::signals;

/// How long runs that are stopped may take to store what they have.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves the page until Ctrl-C.
pub(crate) fn window(session: &Session, arguments: &WindowArguments) -> Result<(), Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::Failed(why.to_string());
    let runs = Runs::default();
    if arguments.menu.menu {
        let shown = menu::show(
            session,
            &arguments.menu,
            program(session, arguments)?,
            &runs,
        );
        stop(&runs);
        return shown;
    }
    let options = Options {
        program: program(session, arguments)?,
        lang: session.lang,
        listen: arguments.listen,
        now_unix_ms,
    };
    let window = Window::open(options, runs.clone()).map_err(|why| failed(&why))?;
    signals::watch(&session.interrupt)?;
    let address = window.address();
    if !address.ip().is_loopback() {
        say(&format!(
            "warning: {address} is open to everybody who reaches this machine and has the key; what is sent is not encrypted"
        ));
    }
    let link = window.link();
    say(&format!(
        "the window is at {link}\nCtrl-C ends it and stops its runs; they keep what they have measured"
    ));
    let door = match arguments.no_open {
        true => None,
        // Without it the printed address is still there.
        false => window.door().ok(),
    };
    if let Some(door) = &door {
        browse::open_quietly(door.path());
    }
    let ended = window.serve(|| session.interrupt.wanted());
    stop(&runs);
    ended.map_err(|why| failed(&why))
}

/// This program with the store that the session has.
fn program(session: &Session, arguments: &WindowArguments) -> Result<Program, Failure> {
    let path = std::env::current_exe()
        .map_err(|why| Failure::Failed(format!("this program's file is not known: {why}")))?;
    let before = arguments.by.as_deref().unwrap_or_default();
    Ok(Program {
        path,
        before: before.split_whitespace().map(str::to_owned).collect(),
        // A child with other rights has another home.
        store: Some(session.store_path()?),
    })
}

/// Asks all runs to stop, and waits until they have stored what they have. A second Ctrl-C ends the wait: they finish
/// alone.
fn stop(runs: &Runs) {
    let under_way = runs.stop_all();
    if under_way == 0 {
        return;
    }
    say(&format!(
        "stopping {under_way} of the window's runs: `drivelab resume` goes on with them"
    ));
    if !runs.wait_for_all(PATIENCE) {
        say("some runs have not ended yet: they end when they have stored what they measured");
    }
}
