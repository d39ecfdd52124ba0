//! What reaches the conversation from outside between two iterations: ended background work and steering.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::event::{Event, EventSink};
use crate::exec::background::Background;
use crate::message::Message;

/// The conversation's letter box. The front end puts in, the loop takes out.
#[derive(Default)]
pub struct Inbox {
    steering: Mutex<VecDeque<String>>,
    background: Background,
}

impl Inbox {
    /// Queues a message of the person's for the top of the next iteration.
    pub fn steer(&self, text: impl Into<String>) {
        self.steering.lock().unwrap_or_else(PoisonError::into_inner).push_back(text.into());
    }

    /// The background tasks, for the tools that start them and for the end of the session.
    pub fn background(&self) -> &Background {
        &self.background
    }

    /// Takes everything out, as user messages in the order background, steering.
    pub fn take(&self, events: &dyn EventSink) -> Vec<Message> {
        let mut messages = Vec::new();
        for task in self.background.finished() {
            let text = format!(
                "<background_task id=\"{}\" status=\"{}\">\nCommand: {}\nWhole output: {}\nEnd of the output:\n{}\n</background_task>",
                task.id,
                task.status,
                task.command,
                task.output.display(),
                task.tail
            );
            events.emit(Event::Background { id: task.id, status: task.status });
            messages.push(Message::user(text));
        }
        let steering: Vec<String> = self.steering.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        for text in steering {
            events.emit(Event::Steering(text.clone()));
            messages.push(Message::user(text));
        }
        messages
    }

    /// Takes back what was queued but not delivered, newest last.
    pub fn take_back(&self) -> Vec<String> {
        self.steering.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}
