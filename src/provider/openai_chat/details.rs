//! Reasoning that has to go back: the name of the field that it came in, and OpenRouter's
//! `reasoning_details`. Both are kept in the message as items of the provider.

use serde_json::{Value, json};

/// The name of the field that reasoning came in, as an item; the text itself is a thinking block.
pub(super) fn field_item(name: &str) -> Value {
    json!({"type": "reasoning_field", "name": name})
}

/// The field's name in such an item.
pub(super) fn field(item: &Value) -> Option<&str> {
    if item["type"] == "reasoning_field" { item["name"].as_str() } else { None }
}

/// The details in their item.
pub(super) fn list(item: &Value) -> Option<&Value> {
    (item["type"] == "reasoning_details").then(|| &item["details"])
}

/// `reasoning_details` as they come in fragments.
#[derive(Default)]
pub(super) struct Details(Vec<Value>);

impl Details {
    /// Joins the fragments of one chunk to what is there, by `index`.
    pub(super) fn add(&mut self, fragments: &Value) {
        for fragment in fragments.as_array().into_iter().flatten().filter(|fragment| fragment.is_object()) {
            let index = &fragment["index"];
            let same = |entry: &&mut Value| !index.is_null() && entry["index"] == *index;
            match self.0.iter_mut().find(same) {
                Some(entry) => join(entry, fragment),
                None => self.0.push(fragment.clone()),
            }
        }
    }

    /// The details as an item, if there are any.
    pub(super) fn into_item(self) -> Option<Value> {
        (!self.0.is_empty()).then(|| json!({"type": "reasoning_details", "details": self.0}))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The words in the fragments that a person may read.
pub(super) fn visible(fragments: &Value) -> String {
    let fragments = fragments.as_array().into_iter().flatten();
    fragments.filter_map(|fragment| fragment["text"].as_str().or(fragment["summary"].as_str())).collect()
}

fn join(entry: &mut Value, fragment: &Value) {
    for (key, value) in fragment.as_object().into_iter().flatten() {
        let joined = match (key.as_str(), entry[key].as_str(), value.as_str()) {
            ("text" | "summary" | "data" | "signature", Some(before), Some(more)) => format!("{before}{more}").into(),
            (.., None, _) if !value.is_null() => value.clone(),
            _ => continue,
        };
        entry[key] = joined;
    }
}
