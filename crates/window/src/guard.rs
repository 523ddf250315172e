//! Who may talk to the window: whoever has its secret, from its own page.
//!
//! A server on the loopback address is reachable by every page that the user's browser shows, and by every user of the
//! machine. Three checks keep them out, before anything else is looked at. A secret of 128 random bits: it is in the
//! address that is printed, and the first page leaves it in a cookie that scripts cannot read and that other sites cannot
//! send (HttpOnly, SameSite=Strict). The host that the browser believes to be talking to: an address or `localhost`, since
//! a name that an attacker's name server points at this machine (DNS rebinding) is the attacker's. And the origin: a
//! request from another page says so, and what changes something must come from this one, and is no GET.
//!
//! A cookie is sent to every port of a host: another user's server on this machine gets it if the browser is led there.
//! So it is worth nothing beyond this window's life, and its secret is new each time.

use std::hint::black_box;
use std::net::IpAddr;

/// Random bytes of the secret.
const BYTES: usize = 16;
/// What a secret that is typed is made of: 32, so that each is equally likely.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// What a request says of where it is from, word for word.
#[derive(Clone, Copy, Debug, Default)]
pub struct From<'a> {
    /// `GET` or another method.
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub host: Option<&'a str>,
    pub origin: Option<&'a str>,
    /// `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
    pub cookie: Option<&'a str>,
    pub authorization: Option<&'a str>,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is answered.
    Passes,
    /// It is answered, and gets the cookie: it came with the printed address.
    Enters,
    /// It is not.
    Refused(&'static str),
}

/// The secret of a window, and what its cookie is called.
#[derive(Clone)]
pub struct Guard {
    secret: String,
    cookie: String,
}

impl Guard {
    /// A new secret of the system's random numbers, for the window at this port.
    ///
    /// # Errors
    /// The system has none.
    pub fn new(port: u16) -> Result<Guard, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        let secret = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard::with(secret, port))
    }

    /// A secret that a person types: 60 random bits, in letters and digits that are not taken for each other. On a
    /// network nobody tries a thousandth of these in a year.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn typed(port: u16) -> Result<Guard, getrandom::Error> {
        let mut bytes = [0; 12];
        getrandom::fill(&mut bytes)?;
        let letters = bytes.map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()]));
        let groups: Vec<String> = letters
            .chunks(4)
            .map(|four| four.iter().collect())
            .collect();
        Ok(Guard::with(groups.join("-"), port))
    }

    /// The same with a known secret.
    pub fn with(secret: String, port: u16) -> Guard {
        // A browser has one cookie of a name for all ports of a host.
        let cookie = format!("drivelab-{port}");
        Guard { secret, cookie }
    }

    /// The secret, for the address that is printed.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// The header that leaves the secret in the browser until it is closed.
    pub fn cookie(&self) -> String {
        let Guard { secret, cookie } = self;
        format!("{cookie}={secret}; Path=/; HttpOnly; SameSite=Strict")
    }

    /// Judges a request, whatever it contains.
    pub fn judge(&self, from: &From<'_>) -> Verdict {
        let Some(host) = from.host.filter(|host| is_own_host(host)) else {
            return Verdict::Refused("this host is not the window's: open the printed address");
        };
        let is_foreign = |origin: &str| origin.strip_prefix("http://") != Some(host);
        if from.origin.is_some_and(is_foreign) {
            return Verdict::Refused("the request comes from another page");
        }
        // A link from elsewhere may open the page; the cookie does not come with it.
        let from_elsewhere = from
            .site
            .is_some_and(|site| ["cross-site", "same-site"].contains(&site));
        if from_elsewhere && from.path != "/" {
            return Verdict::Refused("the request comes from another page");
        }
        let reads = ["GET", "HEAD"].contains(&from.method);
        let bearer = from.authorization.and_then(|it| it.strip_prefix("Bearer "));
        if bearer.is_some_and(|given| self.is_secret(given)) {
            return Verdict::Passes;
        }
        if !reads && from.origin.is_none() {
            return Verdict::Refused("a browser says which page a change comes from");
        }
        if self.has_cookie(from.cookie.unwrap_or_default()) {
            return Verdict::Passes;
        }
        let keys = from
            .query
            .split('&')
            .filter_map(|pair| pair.strip_prefix("key="));
        match reads && from.path == "/" && keys.take(1).any(|given| self.is_secret(given)) {
            true => Verdict::Enters,
            false => Verdict::Refused(
                "the key is missing or of an earlier window: open the address that `drivelab window` printed",
            ),
        }
    }

    fn has_cookie(&self, cookies: &str) -> bool {
        let pairs = cookies
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='));
        let own = pairs.filter(|(name, _)| *name == self.cookie);
        own.take(4).any(|(_, given)| self.is_secret(given))
    }

    /// In a time that does not depend on how much of it is right.
    fn is_secret(&self, given: &str) -> bool {
        let (given, secret) = (given.as_bytes(), self.secret.as_bytes());
        let pairs = given.iter().zip(secret);
        let differ = pairs.fold(0, |differ, (a, b)| black_box(differ | (a ^ b)));
        given.len() == secret.len() && black_box(differ) == 0
    }
}

/// An address or `localhost`, with or without a port: no name that somebody else may own.
fn is_own_host(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    let bare = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let is_address = match bare {
        Some(v6) => v6.parse::<IpAddr>().is_ok_and(|address| address.is_ipv6()),
        None => name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_ipv4()),
    };
    is_port && (is_address || name.eq_ignore_ascii_case("localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard::with("5ec7e7".to_owned(), 7)
    }

    fn get() -> From<'static> {
        From {
            method: "GET",
            path: "/api/runs",
            host: Some("127.0.0.1:7"),
            cookie: Some("a=b; drivelab-7=5ec7e7"),
            ..From::default()
        }
    }

    fn passes(from: From<'_>) -> bool {
        guard().judge(&from) == Verdict::Passes
    }

    #[test]
    fn a_secret_has_128_bits_and_is_another_each_time() {
        let [one, other] = [(); 2].map(|()| Guard::new(7).unwrap().secret().to_owned());
        assert_eq!((one.len(), one == other), (32, false));
    }

    #[test]
    fn a_secret_to_be_typed_is_short_and_has_no_letters_that_look_alike() {
        let [one, other] = [(); 2].map(|()| Guard::typed(7).unwrap().secret().to_owned());
        assert_eq!((one.len(), one == other), (14, false));
        assert!(!one.contains(['l', 'o', '0', '1']));
    }

    #[test]
    fn nothing_passes_without_the_secret_and_the_first_page_leaves_it() {
        assert!(passes(get()));
        for cookie in [
            None,
            Some(""),
            Some("drivelab-7=5ec7e"),
            Some("drivelab-8=5ec7e7"),
            Some("drivelab-7=5ec7e70"),
        ] {
            assert!(!passes(From { cookie, ..get() }), "{cookie:?}");
        }
        let first = |path, query| {
            let cookie = None;
            guard().judge(&From {
                path,
                query,
                cookie,
                ..get()
            })
        };
        assert_eq!(first("/", "key=5ec7e7"), Verdict::Enters);
        assert_eq!(first("/", "lang=ja&key=5ec7e7"), Verdict::Enters);
        assert!(matches!(first("/", "key=5ec7e8"), Verdict::Refused(_)));
        assert!(matches!(
            first("/api/runs", "key=5ec7e7"),
            Verdict::Refused(_)
        ));
        let authorization = Some("Bearer 5ec7e7");
        assert!(passes(From {
            cookie: None,
            authorization,
            ..get()
        }));
    }

    #[test]
    fn a_host_by_name_is_refused_and_an_address_is_not() {
        for host in [
            "localhost:7",
            "127.0.0.1",
            "[::1]:7",
            "192.168.1.9:8080",
            "LOCALHOST",
        ] {
            assert!(
                passes(From {
                    host: Some(host),
                    ..get()
                }),
                "{host}"
            );
        }
        for host in [
            "evil.example:7",
            "127.0.0.1.evil.example",
            "localhost.",
            "",
            "::1",
            "[127.0.0.1]",
            "127.0.0.1:x",
            "[::1",
        ] {
            assert!(
                !passes(From {
                    host: Some(host),
                    ..get()
                }),
                "{host}"
            );
        }
        assert!(!passes(From {
            host: None,
            ..get()
        }));
    }

    #[test]
    fn another_page_is_refused_and_a_change_says_where_it_is_from() {
        let own = Some("http://127.0.0.1:7");
        let post = From {
            method: "POST",
            ..get()
        };
        assert!(passes(From {
            origin: own,
            ..post
        }));
        assert!(!passes(post));
        for origin in [
            "null",
            "http://127.0.0.1:8",
            "https://127.0.0.1:7",
            "http://evil.example",
            "",
        ] {
            let origin = Some(origin);
            assert!(!passes(From { origin, ..post }) && !passes(From { origin, ..get() }));
        }
        let site = Some("cross-site");
        assert!(!passes(From { site, ..get() }));
        assert!(passes(From {
            site,
            path: "/",
            ..get()
        }));
    }
}
