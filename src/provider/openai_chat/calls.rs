//! Puts tool calls together from fragments. Servers disagree about everything here (indices, ids,
//! names in each fragment, arguments as objects); the rules tell a fragment from a new call by what
//! both have in common. Nothing is parsed for running before the end: a prefix can be valid JSON.

use serde_json::Value;

use crate::message::ToolCall;
use crate::provider::json::text;
use crate::provider::tool_input::is_object;
use crate::provider::wire::{CallIds, tool_call};

/// The calls of one answer, in the order in which they first appeared.
#[derive(Default)]
pub(super) struct Calls(Vec<Call>);

/// A call as far as it has come.
#[derive(Default)]
struct Call {
    id: Option<String>,
    index: Option<i64>,
    name: String,
    arguments: String,
}

/// An entry of `delta.tool_calls`, with empty fields taken as absent.
struct Entry<'a> {
    id: Option<&'a str>,
    index: Option<i64>,
    name: Option<&'a str>,
    arguments: String,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes one entry of a delta's `tool_calls`.
    pub(super) fn add(&mut self, entry: &Value) {
        self.take(Entry::read(entry));
    }

    /// Takes one entry of a whole message's `tool_calls`, which is a call by itself.
    pub(super) fn add_whole(&mut self, entry: &Value) {
        let mut call = Call::default();
        call.merge(Entry::read(entry));
        self.0.push(call);
    }

    /// Takes a piece of the old `function_call` form: one call, without id.
    pub(super) fn add_legacy(&mut self, call: &Value) {
        let arguments = arguments(&call["arguments"]);
        self.take(Entry { id: None, index: Some(0), name: text(&call["name"]), arguments });
    }

    /// The calls, with ids distinct. `last_may_be_cut` says that the limit or the stream's end came inside the last.
    pub(super) fn finish(self, ids: &mut CallIds, last_may_be_cut: bool) -> Vec<ToolCall> {
        let last = self.0.len().saturating_sub(1);
        let named = self.0.into_iter().enumerate().filter(|(_, call)| !call.is_void());
        let finish = |(place, call): (usize, Call)| {
            let id = ids.assign(call.id.as_deref().unwrap_or_default());
            tool_call(id, call.name, &call.arguments, last_may_be_cut && place == last)
        };
        named.map(finish).collect()
    }

    fn take(&mut self, entry: Entry<'_>) {
        let place = match (entry.id, entry.index) {
            (Some(id), _) => self.with_id(id, &entry),
            (None, Some(index)) => self.with_index(index, &entry),
            (None, None) => self.with_neither(&entry),
        };
        let place = place.unwrap_or_else(|| {
            self.0.push(Call::default());
            self.0.len() - 1
        });
        self.0[place].merge(entry);
    }

    /// The call that an entry with an id belongs to; `None` for a new one.
    fn with_id(&self, id: &str, entry: &Entry<'_>) -> Option<usize> {
        let agrees = |call: &Call| call.index.is_none() || entry.index.is_none() || call.index == entry.index;
        let known = self.0.iter().rposition(|call| call.id.as_deref() == Some(id) && agrees(call));
        // The same id at another index is another call, which will get an id of our own.
        let is_reused = self.0.iter().any(|call| call.id.as_deref() == Some(id));
        if known.is_some() || is_reused {
            return known;
        }
        let place = match entry.index {
            Some(index) => self.at_index(index)?,
            // Without an index only a nameless piece of unfinished arguments can be a fragment.
            None => self.0.len().checked_sub(1).filter(|_| entry.name.is_none())?,
        };
        let call = &self.0[place];
        if call.id.is_none() {
            return (!call.contradicts(entry)).then_some(place);
        }
        if entry.index.is_none() && call.arguments.trim().is_empty() {
            return None;
        }
        let is_fragment = match entry.name {
            None => true,
            Some(name) => name == call.name && !may_begin_object(&entry.arguments),
        };
        (is_fragment && !call.is_whole()).then_some(place)
    }

    /// The call that an entry with only an index belongs to.
    fn with_index(&self, index: i64, entry: &Entry<'_>) -> Option<usize> {
        let Some(place) = self.at_index(index) else {
            // The calls came without indices so far.
            let last = self.0.len().checked_sub(1)?;
            return (entry.name.is_none() && self.0[last].index.is_none()).then_some(last);
        };
        let is_used_again = entry.name.is_some() && !entry.arguments.is_empty() && self.0[place].is_whole();
        (!is_used_again).then_some(place)
    }

    /// The call that an entry with neither belongs to.
    fn with_neither(&self, entry: &Entry<'_>) -> Option<usize> {
        let last = self.0.len().checked_sub(1)?;
        match entry.name {
            None => Some(last),
            Some(name) => (self.0[last].name == name && !self.0[last].is_whole()).then_some(last),
        }
    }

    fn at_index(&self, index: i64) -> Option<usize> {
        self.0.iter().rposition(|call| call.index == Some(index))
    }
}

impl<'a> Entry<'a> {
    fn read(entry: &'a Value) -> Self {
        let function = &entry["function"];
        Self {
            id: text(&entry["id"]),
            index: entry["index"].as_i64(),
            name: text(&function["name"]),
            arguments: arguments(&function["arguments"]),
        }
    }
}

impl Call {
    fn merge(&mut self, entry: Entry<'_>) {
        if self.id.is_none() {
            self.id = entry.id.map(str::to_owned);
        }
        self.index = self.index.or(entry.index);
        match entry.name {
            // A repeat, or a longer form of what is there.
            Some(name) if name.starts_with(&self.name) => self.name = name.to_owned(),
            // A name in pieces.
            Some(name) if self.arguments.is_empty() => self.name.push_str(name),
            _ => {}
        }
        // An object equal to what is there already is a repeat.
        let is_repeat = is_object(&entry.arguments) && same_object(&self.arguments, &entry.arguments);
        if !is_repeat {
            self.arguments.push_str(&entry.arguments);
        }
    }

    fn is_whole(&self) -> bool {
        is_object(&self.arguments)
    }

    fn is_void(&self) -> bool {
        self.name.is_empty() && self.arguments.trim().is_empty()
    }

    /// Whether an entry with a new id cannot be this call, which has no id yet.
    fn contradicts(&self, entry: &Entry<'_>) -> bool {
        let other_name = entry.name.is_some_and(|name| !self.name.is_empty() && !name.starts_with(&self.name));
        let goes_on = !entry.arguments.trim().is_empty() && self.is_whole();
        other_name || goes_on
    }
}

fn same_object(a: &str, b: &str) -> bool {
    is_object(a) && serde_json::from_str::<Value>(a).ok() == serde_json::from_str::<Value>(b).ok()
}

fn may_begin_object(arguments: &str) -> bool {
    let arguments = arguments.trim_start();
    arguments.is_empty() || arguments.starts_with('{')
}

/// Arguments are a string, or an object, which stands for its JSON text.
fn arguments(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
