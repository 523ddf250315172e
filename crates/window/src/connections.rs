//! Connections: so many at once, and none that says nothing.
//!
//! Anyone who reaches the port can open connections before any key is asked for, and each takes a file descriptor. So
//! there is a limit, beyond which the next ones wait in the system's queue; and one that does not send the head of a
//! request in time is closed, also between two requests, so that its place is free for another.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Connections at once: a browser opens six a page.
const MOST: usize = 256;
/// The head of a request is here within this time.
const HEAD: Duration = Duration::from_secs(20);
/// Until the next try where the system gives no socket.
const NO_SOCKET: Duration = Duration::from_millis(500);

/// Answers connections for ever.
pub(crate) async fn serve(listener: TcpListener, router: Router) -> io::Result<()> {
    serve_at_most(listener, router, MOST, HEAD).await
}

async fn serve_at_most(
    listener: TcpListener,
    router: Router,
    most: usize,
    head: Duration,
) -> io::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    let mut http1 = builder.http1();
    http1.timer(TokioTimer::new()).header_read_timeout(head);
    let places = Arc::new(Semaphore::new(most));
    loop {
        let place = Arc::clone(&places).acquire_owned();
        let place = place.await.map_err(io::Error::other)?;
        let Ok((socket, _)) = listener.accept().await else {
            // It went away before it was taken, or there are no file descriptors: some will be free again.
            tokio::time::sleep(NO_SOCKET).await;
            continue;
        };
        let (builder, service) = (builder.clone(), TowerToHyperService::new(router.clone()));
        tokio::spawn(async move {
            // How a connection ends is the browser's affair.
            let _ended = builder
                .serve_connection(TokioIo::new(socket), service)
                .await;
            drop(place);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    #[test]
    fn connections_that_say_nothing_are_closed_and_others_answered() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_io().enable_time().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                let router = Router::new().route("/", axum::routing::get(|| async { "here" }));
                serve_at_most(listener, router, 2, Duration::from_millis(50)).await
            })
        });
        let mut silent: Vec<TcpStream> = (0..8)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        silent[0].write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
        let mut asks = TcpStream::connect(address).unwrap();
        let request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        asks.write_all(request).unwrap();
        let mut answer = String::new();
        asks.read_to_string(&mut answer).unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        for mut silent in silent {
            // A head that was begun is told of the time-out.
            assert!(silent.read_to_end(&mut Vec::new()).is_ok());
        }
    }
}
