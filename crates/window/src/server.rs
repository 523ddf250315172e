//! The server: one thread for sockets and pages, others for the children that answer.
//!
//! It listens on the loopback address unless told otherwise. Each request passes the guard before anything else of it is
//! looked at, and each response forbids the browser to load, frame or send anything that is not the window's own. The
//! server ends when it is told to, not when its streams do, since a page's stream has no end; its children then get an
//! interrupt and time to store what they have.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use report::Lang;
use tokio::sync::Semaphore;

use crate::asked::LONGEST_REQUEST;
use crate::connections;
use crate::guard::{From, Guard, Verdict};
use crate::program::Program;
use crate::routes;
use crate::runs::Runs;
use crate::shared::Shared;

/// Children that answer at once.
const MOST_CHILDREN: usize = 6;
/// Pages that follow runs.
const MOST_STREAMS: usize = 32;
/// How often it is looked whether to end.
const LOOK: Duration = Duration::from_millis(100);
/// What the page may load: the window's own files and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a window is opened with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program that it shows.
    pub program: Program,
    /// The language of the page until another is chosen.
    pub lang: Lang,
    /// Where it listens; port 0 for any that is free.
    pub listen: SocketAddr,
    /// The time, in milliseconds of the Unix epoch.
    pub now_unix_ms: fn() -> u64,
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {address}: {why}")]
    Listen {
        address: SocketAddr,
        why: std::io::Error,
    },
    /// There is no secret without them.
    #[error("the system has no random numbers: {0}")]
    Random(String),
    /// The server ended.
    #[error("the window's server has failed: {0}")]
    Failed(#[from] std::io::Error),
}

/// A window that listens, and does not answer yet.
pub struct Window {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Window {
    /// Begins to listen. The runs may be those of a menu in the same process.
    ///
    /// # Errors
    /// The address cannot be had, or there are no random numbers.
    pub fn open(options: Options, runs: Runs) -> Result<Window, WindowError> {
        Window::guarded(options, runs, Guard::new)
    }

    /// The same with a secret that is read from one screen and typed at another.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_to_type(options: Options, runs: Runs) -> Result<Window, WindowError> {
        Window::guarded(options, runs, Guard::typed)
    }

    fn guarded(
        options: Options,
        runs: Runs,
        guard: fn(u16) -> Result<Guard, getrandom::Error>,
    ) -> Result<Window, WindowError> {
        let failed = |why| WindowError::Listen {
            address: options.listen,
            why,
        };
        let listener = TcpListener::bind(options.listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let guard = guard(address.port());
        let shared = Shared {
            program: options.program,
            lang: options.lang,
            now_unix_ms: options.now_unix_ms,
            runs,
            guard: guard.map_err(|why| WindowError::Random(why.to_string()))?,
            children: Semaphore::new(MOST_CHILDREN),
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
        };
        Ok(Window {
            listener,
            address,
            shared: Arc::new(shared),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open, with the secret in it. Of one that listens everywhere it is the loopback's.
    pub fn link(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}/?key={}", self.shared.guard.secret())
    }

    /// A file that leads a browser to the address, to be opened instead of it: the arguments of a process can be read by
    /// every user of the machine, and this file by its owner alone. It is gone when it is dropped.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn door(&self) -> std::io::Result<tempfile::NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        let mut file = builder.prefix("drivelab-").suffix(".html").tempfile()?;
        let link = self.link();
        let page =
            format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={link}\">\n");
        std::io::Write::write_all(&mut file, page.as_bytes())?;
        Ok(file)
    }

    /// Its runs.
    pub fn runs(&self) -> &Runs {
        &self.shared.runs
    }

    /// Answers until it is to end. Runs go on: what becomes of them is for the caller to say.
    ///
    /// # Errors
    /// The system gives it no thread or socket.
    pub fn serve(self, is_to_end: impl Fn() -> bool) -> Result<(), WindowError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(MOST_CHILDREN + 2)
            .build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let server = connections::serve(listener, router(self.shared));
            tokio::select! {
                ended = server => ended,
                () = until(is_to_end) => Ok(()),
            }
        })?;
        // A child that answers is not waited for: it only tells something.
        runtime.shutdown_background();
        Ok(())
    }
}

async fn until(is_to_end: impl Fn() -> bool) {
    while !is_to_end() {
        tokio::time::sleep(LOOK).await;
    }
}

fn router(shared: Arc<Shared>) -> Router {
    let guarded = axum::middleware::from_fn_with_state(Arc::clone(&shared), guarded);
    routes::all()
        .layer(DefaultBodyLimit::max(LONGEST_REQUEST))
        .layer(guarded)
        .with_state(shared)
}

/// Lets through what the guard lets through, and closes the browser's doors on whatever is answered.
async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let verdict = {
        let said = |name: HeaderName| {
            let value = request.headers().get(name);
            value.and_then(|value| value.to_str().ok())
        };
        shared.guard.judge(&From {
            method: request.method().as_str(),
            path: request.uri().path(),
            query: request.uri().query().unwrap_or_default(),
            host: said(header::HOST),
            origin: match request.headers().contains_key(header::ORIGIN) {
                true => Some(said(header::ORIGIN).unwrap_or_default()),
                false => None,
            },
            site: said(HeaderName::from_static("sec-fetch-site")),
            cookie: said(header::COOKIE),
            authorization: said(header::AUTHORIZATION),
        })
    };
    let mut response = match verdict {
        Verdict::Refused(why) => {
            (StatusCode::FORBIDDEN, format!("drivelab: {why}\n")).into_response()
        }
        Verdict::Passes => next.run(request).await,
        Verdict::Enters => {
            let mut response = next.run(request).await;
            if let Ok(cookie) = HeaderValue::from_str(&shared.guard.cookie()) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
    };
    close_doors(&mut response);
    response
}

fn close_doors(response: &mut Response) {
    let headers = response.headers_mut();
    // A report has a policy of its own.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(POLICY));
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
