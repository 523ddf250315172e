//! Arguments of `drivelab window`.

use std::net::SocketAddr;

use clap::Args;

use crate::arguments::MenuArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "The page is for this machine alone; its address has a secret in it, which is new each time. Runs are processes of their own: \
a closed page stops nothing, and Ctrl-C here stops all runs, which keep what they have measured. Nothing is overwritten from the page: \
where a device would be, it says what to type in a terminal."
)]
pub(crate) struct WindowArguments {
    /// Where to listen; anything but a loopback address opens the window to the network
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = address)]
    pub(crate) listen: SocketAddr,
    /// Start what touches drives by way of this command, such as 'sudo -n', and nothing else
    #[arg(long = "as", value_name = "COMMAND")]
    pub(crate) by: Option<String>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    #[command(flatten)]
    pub(crate) menu: MenuArguments,
}

/// An address with or without a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let bare = || text.parse().map(|ip| SocketAddr::new(ip, 0));
    let known = text.parse().or_else(|_| bare());
    known.map_err(|_| {
        "an address of this machine is needed, as 127.0.0.1:8321 or [::1]:8321".to_owned()
    })
}
