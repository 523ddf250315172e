//! One plan on many hosts: through a double of ssh that runs each command here, with a home of its own for each host, and
//! that fails as connections do.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]
#![allow(
    clippy::disallowed_methods,
    reason = "a test that waits for a process must end some day"
)]

mod command;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use command::{Ended, Place};

/// `ssh [-o OPTION]... HOST COMMAND`. A file `changed` in the host's folder is another host key; the number in `cuts` is how
/// many connections are still refused; `bin` comes first on the host's path.
const SSH: &str = r#"#!/bin/sh
while [ "$1" = -o ]; do shift 2; done
home=$HOSTS/$1
if [ -e "$home/changed" ]; then
    echo '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @' >&2
    exit 255
fi
cuts=$(cat "$home/cuts" 2> /dev/null || echo 0)
if [ "$cuts" -gt 0 ]; then
    echo $((cuts - 1)) > "$home/cuts"
    echo "Connection to $1 closed by remote host." >&2
    exit 255
fi
unset DRIVELAB_STORE XDG_CONFIG_HOME
HOME=$home PATH=$home/bin:$PATH XDG_CACHE_HOME= exec sh -c "$2"
"#;

/// A folder with the double, and hosts that measure a target each.
struct Hosts(Place);

const DRIVE: &str = "model:samsung-840-evo-250gb";

impl Hosts {
    fn new(hosts: &[(&str, &str)]) -> Hosts {
        let place = Place::new();
        let bin = place.directory("bin");
        let ssh = bin.join("ssh");
        std::fs::write(&ssh, SSH).unwrap();
        std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut file = String::new();
        for (name, target) in hosts {
            std::fs::create_dir_all(place.path(&format!("hosts/{name}/bin"))).unwrap();
            file.push_str(&format!(
                "[[host]]\nssh = \"{name}\"\ntargets = [\"{target}\"]\n"
            ));
        }
        std::fs::write(place.path("hosts.toml"), file).unwrap();
        let plan = "[[step]]\nmethod = \"latency-watch\"\nset = { op = \"read\" }\n";
        std::fs::write(place.path("watch.toml"), plan).unwrap();
        Hosts(place)
    }

    fn of(&self, host: &str, name: &str) -> PathBuf {
        self.0.path(&format!("hosts/{host}/{name}"))
    }

    fn command(&self, more: &[&str]) -> Command {
        let words = [
            "fleet",
            "watch.toml",
            "--hosts",
            "hosts.toml",
            "--scale",
            "quick",
            "--every",
            "200ms",
            "--html",
            "fleet.html",
        ];
        let mut command = self.0.command(&[&words[..], more].concat());
        let path = std::env::var("PATH").unwrap();
        command
            .env("PATH", format!("{}:{path}", self.0.path("bin").display()))
            .env("HOSTS", self.0.path("hosts"));
        command
    }

    fn run(&self, more: &[&str]) -> Ended {
        self.0.start(self.command(more)).end()
    }

    /// Whether a host has nothing left of a run.
    fn is_clean(&self, host: &str) -> bool {
        let left = std::fs::read_dir(self.of(host, ".cache/drivelab/fleet")).unwrap();
        left.count() == 1
    }
}

#[test]
fn results_of_all_hosts_are_stored_here_and_the_odd_drive_is_named() {
    let stutters = format!("fault({DRIVE})?delays=200000&delay=3ms");
    let drives = [("a", DRIVE), ("b", DRIVE), ("c", DRIVE), ("d", &stutters)];
    let hosts = Hosts::new(&drives);
    let ended = hosts.run(&["--at-once", "2"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stderr.contains("a: program copied"), "{ended:?}");
    assert_eq!(hosts.0.stored().len(), 4);
    // The same drive in four hosts is one batch.
    let said = &ended.stdout;
    assert!(
        said.contains("Samsung SSD 840 EVO 250GB\n3 of 4 drives accepted"),
        "{said}"
    );
    assert!(said.contains("(d: fault("), "{said}");
    let page = std::fs::read_to_string(hosts.0.path("fleet.html")).unwrap();
    assert!(page.contains("d: fault("), "the page names it");
    assert!(drives.iter().all(|(host, _)| hosts.is_clean(host)));
    // The same again is another measurement, and needs no other copy of the program.
    let again = hosts.run(&[]);
    assert!(!again.stderr.contains("copied"), "{again:?}");
    assert_eq!(hosts.0.stored().len(), 8);
}

#[test]
fn a_host_that_fails_does_not_keep_the_results_of_the_others() {
    let drives = [
        ("changed", DRIVE),
        ("full", DRIVE),
        ("spoilt", DRIVE),
        ("good", DRIVE),
    ];
    let hosts = Hosts::new(&drives);
    std::fs::write(hosts.of("changed", "changed"), "").unwrap();
    // What arrives has another digest there, and nothing may stay.
    let spoils = hosts.of("spoilt", "bin/cat");
    std::fs::write(&spoils, "#!/bin/sh\nexec tail -c +2\n").unwrap();
    // No file has room for the program.
    let fills = hosts.of("full", "bin/cat");
    let full = "#!/bin/sh\necho 'cat: write error: No space left on device' >&2\nexit 1\n";
    std::fs::write(&fills, full).unwrap();
    for program in [spoils, fills] {
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ended = hosts.run(&[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for says in [
        "changed: its host key is not the one that ssh knows",
        "full: copying the program failed there: cat: write error: No space left on device",
        "spoilt: the program that arrived has another SHA-256",
        "3 of 4 hosts have no results",
    ] {
        assert!(ended.stderr.contains(says), "{says}: {ended:?}");
    }
    assert_eq!(hosts.0.stored().len(), 1);
    let spoilt = std::fs::read_dir(hosts.of("spoilt", ".cache/drivelab/fleet")).unwrap();
    assert_eq!(spoilt.count(), 0);
}

#[test]
fn a_connection_that_is_lost_for_a_while_loses_nothing() {
    let hosts = Hosts::new(&[("a", DRIVE)]);
    std::fs::write(hosts.of("a", "cuts"), "3").unwrap();
    let ended = hosts.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stderr.matches("closed by remote host").count(), 3);
    assert_eq!(hosts.0.stored().len(), 1);
    std::fs::write(hosts.of("a", "cuts"), "1000").unwrap();
    let given_up = hosts.run(&["--tries", "2"]);
    assert_eq!(given_up.code, Some(1), "{given_up:?}");
}

/// Processes whose command line has these words.
fn running(words: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let named = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_it = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).starts_with(words)
    };
    named.filter(is_it).collect()
}

#[test]
fn a_run_that_was_killed_there_is_resumed() {
    let Some(place) = Place::on_disk_or_skip("a_run_that_was_killed_there_is_resumed") else {
        return;
    };
    let file = place.file("own.img", 4 << 20);
    let hosts = Hosts::new(&[("a", &file.display().to_string())]);
    let plan = "[[step]]\nmethod = \"latency-watch\"\nset = { op = \"read\", time = \"5s\" }\n";
    std::fs::write(hosts.0.path("watch.toml"), plan).unwrap();
    let fleet = hosts.0.start(hosts.command(&[]));
    // The program there measures, and is ended as a power cut ends it: without a word.
    let program = hosts.of("a", ".cache/drivelab/fleet/drivelab-");
    let began = Instant::now();
    let measuring = loop {
        let found = running(&program.display().to_string());
        match found.first() {
            Some(pid) if began.elapsed() > Duration::from_secs(2) => break *pid,
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
        assert!(began.elapsed() < Duration::from_secs(60), "nothing runs");
    };
    let killed = Command::new("kill")
        .args(["-9", &measuring.to_string()])
        .status();
    assert!(killed.unwrap().success());
    let ended = fleet.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.stderr.contains("had stopped, and is resumed"),
        "{ended:?}"
    );
    assert_eq!(hosts.0.last_state(), "finished");
    assert_eq!(hosts.0.stored().len(), 1);
}

#[test]
fn what_was_refused_on_a_host_is_tried_anew_by_the_same_command() {
    let Some(place) = Place::on_disk_or_skip("what_was_refused_on_a_host_is_tried_anew") else {
        return;
    };
    let file = place.path("own.img");
    let hosts = Hosts::new(&[("a", &file.display().to_string())]);
    let refused = hosts.run(&[]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("a: no results: "), "{refused:?}");
    place.file("own.img", 4 << 20);
    let ended = hosts.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(hosts.0.stored().len(), 1);
}

#[test]
fn a_mistake_in_the_file_is_named_before_anything_is_done() {
    let hosts = Hosts::new(&[("a", DRIVE)]);
    std::fs::write(hosts.0.path("hosts.toml"), "[[host]]\nssh = \"a\"\n").unwrap();
    let ended = hosts.run(&[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    ended.is_one_line(&["hosts.toml: a has neither `drives` nor `targets`"]);
    let method = hosts
        .0
        .run(&["fleet", "latency-watch", "--hosts", "hosts.toml"]);
    assert_eq!(method.code, Some(2), "{method:?}");
    method.is_one_line(&["'latency-watch' is not a plan"]);
}
