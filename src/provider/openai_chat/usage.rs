//! Token counts, wherever in a chunk a server puts them.

use serde_json::Value;

use crate::message::Usage;
use crate::provider::json::count;

/// The counts in a chunk, if it has any above zero: an all-zero report is none.
pub(super) fn in_chunk(chunk: &Value) -> Option<Usage> {
    [&chunk["usage"], &chunk["choices"][0]["usage"], &chunk["x_groq"]["usage"]].into_iter().find_map(read)
}

fn read(usage: &Value) -> Option<Usage> {
    let prompt = count(&usage["prompt_tokens"]);
    let completion = count(&usage["completion_tokens"]);
    if prompt.unwrap_or(0) == 0 && completion.unwrap_or(0) == 0 {
        return None;
    }
    let first = |places: [&Value; 3]| places.into_iter().find_map(count).unwrap_or(0);
    let details = &usage["prompt_tokens_details"];
    let cache_read = first([&details["cached_tokens"], &usage["prompt_cache_hit_tokens"], &usage["cached_tokens"]]);
    let cache_write = first([&details["cache_write_tokens"], &usage["cache_creation_input_tokens"], &Value::Null]);
    let input = prompt.map(|prompt| prompt.saturating_sub(cache_read).saturating_sub(cache_write));
    Some(Usage {
        input,
        output: completion.map(|completion| completion + reasoning_beside(usage, prompt, completion)),
        cache_read: prompt.map(|_| cache_read),
        cache_write: prompt.map(|_| cache_write),
    })
}

/// Reasoning that is not part of `completion_tokens` (xAI); the total tells.
fn reasoning_beside(usage: &Value, prompt: Option<u64>, completion: u64) -> u64 {
    let reasoning = count(&usage["completion_tokens_details"]["reasoning_tokens"]).unwrap_or(0);
    let total = count(&usage["total_tokens"]);
    if total == Some(prompt.unwrap_or(0) + completion + reasoning) { reasoning } else { 0 }
}
