//! What a page is told while it is open: one stream of events, since a browser has few connections to a host.
//!
//! `runs` is the list of all runs, after every change; `lines` are new lines of the run that the page follows, with the
//! number of the last one as the event's id. A browser that was cut off sends that number (`Last-Event-ID`), and gets
//! what came after it; so does a page that comes late, from the first line on. Changes are told some times a second at
//! most, however fast a modelled drive talks.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::runs::Runs;
use crate::shared::{Failed, Shared, Words};

/// Time between two looks.
const PACE: Duration = Duration::from_millis(150);
/// Lines in one event at most.
const MOST_LINES: usize = 500;

/// A page that looks.
struct Reader {
    runs: Runs,
    changes: watch::Receiver<u64>,
    run: Option<u64>,
    after: u64,
    is_first: bool,
    is_over: bool,
    waiting: VecDeque<Event>,
    /// Its place among those that may look.
    _place: OwnedSemaphorePermit,
}

/// The stream of a page.
pub(crate) async fn events(
    State(shared): State<Arc<Shared>>,
    Query(words): Query<Words>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failed> {
    let busy = |_| Failed::Busy("too many pages follow runs: close one");
    let place = Arc::clone(&shared.streams)
        .try_acquire_owned()
        .map_err(busy)?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let reader = Reader {
        changes: shared.runs.changes(),
        runs: shared.runs.clone(),
        run: words.run,
        after: last.and_then(|id| id.parse().ok()).unwrap_or(0),
        is_first: true,
        is_over: false,
        waiting: VecDeque::new(),
        _place: place,
    };
    let stream = futures_util::stream::unfold(reader, |mut reader| async {
        let event = reader.next().await?;
        Some((Ok(event), reader))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

impl Reader {
    /// The next event; nothing where the window ends.
    async fn next(&mut self) -> Option<Event> {
        while self.waiting.is_empty() {
            if !self.is_first {
                tokio::time::sleep(PACE).await;
                self.changes.changed().await.ok()?;
            }
            self.is_first = false;
            self.changes.borrow_and_update();
            self.look();
        }
        self.waiting.pop_front()
    }

    fn look(&mut self) {
        // Lines first: the list that says that a run is over comes after its last line.
        if let Some(run) = self.run.filter(|_| !self.is_over)
            && let Some((lines, is_over)) = self.runs.lines_after(run, self.after)
        {
            for some in lines.chunks(MOST_LINES) {
                let values: Vec<&Value> = some.iter().map(|line| &line.value).collect();
                let number = some.last().map_or(self.after, |line| line.number);
                let event = json!({ "run": run, "lines": values });
                self.after = number;
                self.waiting
                    .push_back(event_of("lines", &event).id(number.to_string()));
            }
            self.is_over = is_over;
        }
        let list = json!({ "runs": self.runs.list() });
        self.waiting.push_back(event_of("runs", &list));
    }
}

fn event_of(name: &str, value: &Value) -> Event {
    Event::default().event(name).data(value.to_string())
}
