//! The conversation: the messages that the model sees, and the journal that keeps them.
//!
//! Nothing but [`Transcript::push`] and its siblings adds to the history, and what they add is handed to the
//! system before they return. When the disk fails the conversation goes on in memory, and says so once.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use crate::event::{CompactTrigger, Event, EventSink};
use crate::message::{Message, StopReason, ToolCall, Usage};

use super::journal::{self, Entry, Journal};
use super::repair;

/// A conversation.
#[derive(Debug, Default)]
pub struct Transcript {
    messages: Vec<Message>,
    journal: Option<Journal>,
    failure: Option<String>,
    measured: Option<Measured>,
    compacted_at: Option<usize>,
}

/// A size that a provider reported: so many messages are so many tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// How many messages, from the start.
    pub messages: usize,
    /// Their tokens, with system text and tools.
    pub tokens: u64,
}

impl Transcript {
    /// An empty conversation, kept in `journal` if there is one.
    pub fn new(journal: Option<Journal>) -> Self {
        Self { journal, ..Self::default() }
    }

    /// Opens a kept conversation and goes on in the same file. Also returns what was odd about the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<String>)> {
        let loaded = journal::read(path)?;
        let parent = loaded.records.last().map(|record| record.id.clone());
        let mut transcript = Self::new(Some(Journal::append_to(path.to_owned(), parent)));
        let mut started = HashSet::new();
        for record in loaded.records {
            match record.entry {
                Entry::Message { message, usage, .. } => {
                    transcript.messages.push(message);
                    transcript.measure(usage.unwrap_or_default());
                }
                Entry::Compaction { messages, .. } => {
                    transcript.messages = messages;
                    transcript.measured = None;
                }
                Entry::ToolStart { tool_use_id, .. } => {
                    started.insert(tool_use_id);
                }
                Entry::Meta(_) | Entry::Mode { .. } | Entry::Title { .. } => {}
            }
        }
        let before = transcript.messages.len();
        transcript.messages = repair::pair_results(std::mem::take(&mut transcript.messages), &started);
        if transcript.messages.len() != before {
            transcript.measured = None;
        }
        Ok((transcript, loaded.notices))
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Where the conversation is kept, if it is.
    pub fn path(&self) -> Option<&Path> {
        self.journal.as_ref().map(Journal::path)
    }

    /// Appends a message.
    pub fn push(&mut self, message: Message) {
        self.keep(Entry::Message { message: message.clone(), stop_reason: None, usage: None });
        self.messages.push(message);
    }

    /// Appends an answer with what is known of it.
    pub fn push_answer(&mut self, message: Message, stop: Option<StopReason>, usage: Usage) {
        self.keep(Entry::Message { message: message.clone(), stop_reason: stop, usage: Some(usage) });
        self.messages.push(message);
        self.measure(usage);
    }

    /// Notes that a tool is about to run, so that a crash can be told from a call that never began.
    pub fn tool_start(&mut self, call: &ToolCall) {
        self.keep(Entry::ToolStart { tool_use_id: call.id.clone(), name: call.name.clone() });
    }

    /// Notes a change of the permission mode.
    pub fn mode(&mut self, mode: &str) {
        self.keep(Entry::Mode { mode: mode.to_owned() });
    }

    /// Puts `messages` in the place of the whole history; the journal keeps both.
    pub fn compact(&mut self, messages: Vec<Message>, trigger: CompactTrigger, pre_tokens: u64, post_tokens: u64) {
        let trigger = trigger.as_str().to_owned();
        self.keep(Entry::Compaction { trigger, pre_tokens, post_tokens, messages: messages.clone() });
        self.compacted_at = Some(messages.len());
        self.messages = messages;
        self.measured = None;
    }

    /// The latest size that a provider reported for this conversation.
    pub fn measured(&self) -> Option<Measured> {
        self.measured
    }

    /// Whether nothing was said since the last compaction, so that another would be no progress.
    pub fn is_just_compacted(&self) -> bool {
        self.compacted_at == Some(self.messages.len())
    }

    /// Tells once, loudly, when the conversation could not be written.
    pub fn report_failure(&mut self, events: &dyn EventSink) {
        if let Some(failure) = self.failure.take() {
            events.emit(Event::Warning(failure));
        }
    }

    fn measure(&mut self, usage: Usage) {
        if let Some(prompt) = usage.prompt().filter(|prompt| *prompt > 0) {
            let tokens = prompt + usage.output.unwrap_or(0);
            self.measured = Some(Measured { messages: self.messages.len(), tokens });
        }
    }

    fn keep(&mut self, entry: Entry) {
        let Some(journal) = &mut self.journal else { return };
        if let Err(error) = journal.append(entry) {
            self.failure = Some(format!(
                "the session cannot be written to {} ({error}); it goes on in memory only and cannot be resumed",
                journal.path().display()
            ));
            self.journal = None;
        }
    }
}
