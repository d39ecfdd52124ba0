//! `/model` and `/cost`.

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::{Context, Flow};

pub(super) fn model<'a>(cx: &'a mut Context<'_>, name: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    async move {
        if !name.is_empty() {
            let model = cx.connect.connect(name).await?;
            cx.session.set_model(model);
        }
        let model = cx.session.model();
        (cx.out)(&format!("model: {} at {}, window of {} tokens", model.name, model.provider.name(), model.window));
        Ok(Flow::Continue)
    }
    .boxed()
}

pub(super) fn cost<'a>(cx: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    let totals = cx.session.totals();
    let tokens = |count: Option<u64>| count.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
    let usage = totals.usage;
    (cx.out)(&format!("model calls: {}, waiting for them {:.1} s", totals.model_calls, totals.api_time.as_secs_f64()));
    (cx.out)(&format!(
        "tokens: {} in, {} out, {} read from the cache, {} written to it",
        tokens(usage.input),
        tokens(usage.output),
        tokens(usage.cache_read),
        tokens(usage.cache_write),
    ));
    let (used, window) = cx.session.context_use();
    (cx.out)(&format!("context: about {used} of {window} tokens ({} %)", used * 100 / window.max(1)));
    ready(Ok(Flow::Continue)).boxed()
}
