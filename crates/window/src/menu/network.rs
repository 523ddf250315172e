//! The network, off until somebody asks for it: an address for one interface, and the page on it.

use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};

use super::Menu;
use crate::server::{Options, Window};

/// Where the page is on a network.
const PORT: u16 = 8080;

/// Interfaces but the loopback one, by the names that the kernel has for them.
pub(super) fn interfaces() -> Vec<String> {
    let entries = std::fs::read_dir("/sys/class/net");
    let names = entries.into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "lo")
        .collect();
    names.sort();
    names
}

/// Runs a program of the machine that the menu is on; what it prints.
pub(super) fn helper(menu: &Menu, name: &str, arguments: &[&str]) -> Result<String, String> {
    let Some(folder) = &menu.options.helpers else {
        return Err(name.to_owned());
    };
    let mut command = Command::new(folder.join(name));
    command.args(arguments).stdin(Stdio::null());
    let output = command.output().map_err(|why| format!("{name}: {why}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(said(&output.stdout)),
        false => Err(said(&output.stderr)),
    }
}

/// Asks for an address, and serves the page there; what came of it is on the first page from then on.
pub(super) fn connect(menu: &Menu, interface: &str) {
    let said = match helper(menu, "network", &[interface]) {
        Ok(address) => serve(menu, &address),
        Err(why) => Err(why),
    };
    let said = said.unwrap_or_else(|why| menu.texts().with("menu-no-network", &[("why", &why)]));
    menu.known().network = Some(said);
}

fn serve(menu: &Menu, address: &str) -> Result<String, String> {
    let ip: IpAddr = address.parse().map_err(|_| address.to_owned())?;
    if menu.known().is_served {
        return Err(menu.texts().say("menu-served"));
    }
    let options = Options {
        program: menu.options.program.clone(),
        lang: menu.options.lang,
        listen: SocketAddr::new(ip, PORT),
        now_unix_ms: menu.options.now_unix_ms,
    };
    let window = Window::open_to_type(options, menu.runs.clone()).map_err(|why| why.to_string())?;
    let link = window.link();
    menu.known().is_served = true;
    // Until the machine is switched off.
    std::thread::spawn(move || window.serve(|| false));
    Ok(menu.texts().with("menu-address", &[("link", &link)]))
}
