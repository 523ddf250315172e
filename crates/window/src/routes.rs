//! The addresses of the window, and what each answers.
//!
//! What is looked at is GET, and changes nothing; what starts, stops or labels is POST. A document goes through as the
//! program printed it; a refusal goes through in the program's words, with its exit code.

use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use report::Lang;
use serde_json::json;

use crate::asked::{self, Label, Look, Start};
use crate::program::{Refusal, Rights};
use crate::shared::{Failed, Shared, Words};
use crate::stream;
use crate::texts::open_texts;

type Common = State<Arc<Shared>>;

/// What a report's page may do: show itself, with its own script, apart from the window.
const REPORT_POLICY: &str = "sandbox allow-scripts allow-popups allow-downloads; default-src 'none'; \
     script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'none'";

macro_rules! asset {
    ($name:literal, $kind:literal) => {
        (
            concat!("/", $name),
            $kind,
            include_str!(concat!("../assets/", $name)),
        )
    };
}

/// The files of the page, with their types.
const ASSETS: [(&str, &str, &str); 10] = [
    asset!("style.css", "text/css"),
    asset!("icon.svg", "image/svg+xml"),
    asset!("page.js", "text/javascript"),
    asset!("dom.js", "text/javascript"),
    asset!("drives.js", "text/javascript"),
    asset!("choose.js", "text/javascript"),
    asset!("watch.js", "text/javascript"),
    asset!("names.js", "text/javascript"),
    asset!("charts.js", "text/javascript"),
    asset!("results.js", "text/javascript"),
];
const INDEX: &str = include_str!("../assets/index.html");

/// All of them.
pub(crate) fn all() -> Router<Arc<Shared>> {
    let mut router = Router::new()
        .route("/", get(index))
        .route("/api/look/{what}", get(look))
        .route("/api/forecast", post(forecast))
        .route("/api/runs", get(runs).post(start))
        .route("/api/runs/{id}/stop", post(stop))
        .route("/api/label", post(label))
        .route("/api/events", get(stream::events))
        .route("/report", get(report_page));
    for (path, kind, text) in ASSETS {
        let kind = format!("{kind}; charset=utf-8");
        let answer = move || async move { ([(header::CONTENT_TYPE, kind)], text) };
        router = router.route(path, get(answer));
    }
    router
}

/// The page, with its words in it: one request less before something is seen.
async fn index(State(shared): Common, Query(words): Query<Words>) -> Response {
    let lang = words.lang(&shared);
    let texts = serde_json::to_string(&open_texts(lang)).unwrap_or_default();
    // Inside of a script element nothing else would end it.
    let page = INDEX
        .replace("{lang}", lang.tag())
        .replace("{texts}", &texts.replace('<', "\\u003c"));
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

/// A document of the program.
async fn look(
    State(shared): Common,
    Path(what): Path<String>,
    Query(words): Query<Words>,
) -> Result<Response, Failed> {
    let look = Look::named(&what, &words.of)?;
    let rights = match look {
        Look::Devices | Look::Health(_) => Rights::Drives,
        _ => Rights::Own,
    };
    let (arguments, lang) = (look.arguments()?, words.lang(&shared));
    if let Look::Summary(_) = look {
        let text = child(&shared, move |program| {
            program.text(&arguments, lang, rights)
        });
        let text = text.await?.map_err(Failed::Refusal)?;
        return Ok(Json(json!({ "summary": text })).into_response());
    }
    printed(&shared, arguments, lang, rights).await
}

/// What a run would take and write: a dry run. It writes nothing, and is POST because it has a body.
async fn forecast(
    State(shared): Common,
    Query(words): Query<Words>,
    body: Bytes,
) -> Result<Response, Failed> {
    let start = Start::read(&body)?;
    let typed = start.typed()?;
    let arguments = start.forecast()?;
    let lang = words.lang(&shared);
    let said = child(&shared, move |program| {
        program.json(&arguments, lang, Rights::Drives)
    });
    Ok(match said.await? {
        Ok(dry_run) => Json(json!({ "dry_run": dry_run, "typed": typed })).into_response(),
        // Whoever reads that it would overwrite something may type it in a terminal.
        Err(why) => {
            let refused = json!({ "refused": why.words, "code": why.code, "typed": typed });
            (StatusCode::UNPROCESSABLE_ENTITY, Json(refused)).into_response()
        }
    })
}

async fn runs(State(shared): Common) -> Response {
    Json(json!({ "runs": shared.runs.list() })).into_response()
}

async fn start(
    State(shared): Common,
    Query(words): Query<Words>,
    body: Bytes,
) -> Result<Response, Failed> {
    let start = Start::read(&body)?;
    let (lang, now) = (words.lang(&shared), (shared.now_unix_ms)());
    let id = shared.runs.start(&shared.program, start, lang, now);
    let id = id.map_err(Failed::NotStarted)?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))).into_response())
}

async fn stop(State(shared): Common, Path(id): Path<u64>) -> Result<Response, Failed> {
    let runs = shared.runs.clone();
    // Where the signal needs other rights, a process sends it.
    let stopped = tokio::task::spawn_blocking(move || runs.stop(id)).await;
    let stopped = stopped.unwrap_or_else(|why| Err(why.to_string()));
    stopped.map_err(Failed::NotStopped)?;
    Ok(Json(json!({ "id": id })).into_response())
}

async fn label(
    State(shared): Common,
    Query(words): Query<Words>,
    body: Bytes,
) -> Result<Response, Failed> {
    let arguments = Label::read(&body)?.arguments()?;
    let lang = words.lang(&shared);
    let said = child(&shared, move |program| {
        program.answer(&arguments, lang, Rights::Own)
    })
    .await?;
    let said = said.map_err(Failed::Refusal)?;
    match said.code {
        Some(0) => Ok(Json(json!({ "said": said.words })).into_response()),
        code => Err(Failed::Refusal(Refusal {
            code,
            words: said.words,
        })),
    }
}

/// A report, as the program writes it into a file; the file is gone when it is sent.
async fn report_page(
    State(shared): Common,
    Query(words): Query<Words>,
) -> Result<Response, Failed> {
    let results = asked::selectors(&words.of)?;
    let lang = words.lang(&shared);
    let page = child(&shared, move |program| {
        let failed = |why: std::io::Error| Refusal {
            code: None,
            words: format!("the report's file: {why}"),
        };
        let folder = tempfile::tempdir().map_err(failed)?;
        let file = folder.path().join("report.html");
        let arguments = asked::report(&results, &file).map_err(|why| Refusal {
            code: None,
            words: why.to_string(),
        })?;
        let said = program.answer(&arguments, lang, Rights::Own)?;
        std::fs::read(&file).map_err(|_| Refusal {
            code: said.code,
            words: said.words,
        })
    });
    let page = page.await?.map_err(Failed::Refusal)?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, REPORT_POLICY),
    ];
    Ok((headers, page).into_response())
}

async fn printed(
    shared: &Shared,
    arguments: Vec<String>,
    lang: Lang,
    rights: Rights,
) -> Result<Response, Failed> {
    let document = child(shared, move |program| {
        program.json(&arguments, lang, rights)
    })
    .await?;
    Ok(Json(document.map_err(Failed::Refusal)?).into_response())
}

/// Runs a child apart from the sockets, some at a time: who comes later waits.
async fn child<T: Send + 'static>(
    shared: &Shared,
    run: impl FnOnce(&crate::program::Program) -> T + Send + 'static,
) -> Result<T, Failed> {
    let closed = |_| Failed::Busy("the window is ending");
    let _place = shared.children.acquire().await.map_err(closed)?;
    let program = shared.program.clone();
    let ran = tokio::task::spawn_blocking(move || run(&program)).await;
    ran.map_err(|_| Failed::Busy("the window is ending"))
}
