//! What all requests share: the window's program and runs, the words of an address, and how a refusal is said.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use report::Lang;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::asked::Refused;
use crate::guard::Guard;
use crate::program::{Program, Refusal};
use crate::runs::{NotStarted, Runs};

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) program: Program,
    pub(crate) lang: Lang,
    pub(crate) now_unix_ms: fn() -> u64,
    pub(crate) runs: Runs,
    pub(crate) guard: Guard,
    pub(crate) children: Semaphore,
    pub(crate) streams: Arc<Semaphore>,
}

/// What may stand behind an address.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Words {
    /// What is looked at.
    #[serde(default)]
    pub(crate) of: String,
    /// The language.
    #[serde(default)]
    lang: String,
    /// The run that is followed.
    pub(crate) run: Option<u64>,
}

impl Words {
    /// The language that is asked for, or the window's.
    pub(crate) fn lang(&self, shared: &Shared) -> Lang {
        Lang::from_tag(&self.lang).unwrap_or(shared.lang)
    }
}

/// Why there is no answer.
pub(crate) enum Failed {
    Refused(Refused),
    Refusal(Refusal),
    NotStarted(NotStarted),
    Busy(&'static str),
    NotStopped(String),
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let (status, code, words) = match self {
            Failed::Refused(why @ Refused::Unknown(_)) => {
                (StatusCode::NOT_FOUND, None, why.to_string())
            }
            Failed::Refused(why) => (StatusCode::BAD_REQUEST, None, why.to_string()),
            // The program has answered: that it refused is what it said.
            Failed::Refusal(why) => (StatusCode::UNPROCESSABLE_ENTITY, why.code, why.words),
            Failed::NotStarted(NotStarted::Refused(why)) => {
                (StatusCode::BAD_REQUEST, None, why.to_string())
            }
            Failed::NotStarted(why @ NotStarted::TooMany) => {
                (StatusCode::TOO_MANY_REQUESTS, None, why.to_string())
            }
            Failed::NotStarted(why @ NotStarted::Failed { .. }) => {
                (StatusCode::INTERNAL_SERVER_ERROR, None, why.to_string())
            }
            Failed::Busy(why) => (StatusCode::TOO_MANY_REQUESTS, None, why.to_owned()),
            Failed::NotStopped(why) => (StatusCode::CONFLICT, None, why),
        };
        (status, Json(json!({ "refused": words, "code": code }))).into_response()
    }
}

impl From<Refused> for Failed {
    fn from(why: Refused) -> Failed {
        Failed::Refused(why)
    }
}
