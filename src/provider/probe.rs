//! Looks for a model server on the person's own machine: Ollama, llama.cpp and LM Studio at their
//! usual ports, all at once and for a moment only.

use std::time::Duration;

use futures::future::join_all;
use serde_json::Value;
use tokio::time::timeout;

use super::catalog::{self, Row};
use super::client;

/// How long a local server may take to say which models it has.
const LIMIT: Duration = Duration::from_millis(300);

/// A local server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// The provider's name.
    pub provider: &'static str,
    /// Its base address.
    pub base_url: String,
    /// A model that it serves.
    pub model: String,
}

/// The first local server of the catalog that answers within 300 ms with a model.
pub async fn probe_local(env: impl Fn(&str) -> Option<String>) -> Option<Local> {
    let candidates = catalog::all().iter().filter(|row| row.is_local);
    probe(candidates.map(|row| (row, catalog::base_url(row, &env))).collect()).await
}

/// The first of these servers, in their order, that answers.
async fn probe(candidates: Vec<(&'static Row, String)>) -> Option<Local> {
    let asked = candidates.into_iter().map(|(row, base_url)| async move {
        let model = timeout(LIMIT, first_model(&base_url)).await.ok().flatten()?;
        Some(Local { provider: row.name, base_url, model })
    });
    join_all(asked).await.into_iter().flatten().next()
}

/// The first model in a server's list that is meant for conversation; `None` when it does not tell.
pub async fn first_model(base_url: &str) -> Option<String> {
    let url = format!("{}/models", base_url.trim_end_matches('/'));
    let answer = client::build(base_url).ok()?.get(url).send().await.ok()?;
    if !answer.status().is_success() {
        return None;
    }
    let list: Value = serde_json::from_slice(&answer.bytes().await.ok()?).ok()?;
    let names = list["data"].as_array()?.iter().filter_map(|model| model["id"].as_str());
    names.filter(|name| !name.contains("embed")).map(str::to_owned).next()
}
