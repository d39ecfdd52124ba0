//! Makes any list of messages one that a provider accepts: every call has one result, in the next message.

use std::collections::HashSet;

use crate::message::{Block, Message, Role, ToolResult};

/// Pairs every tool call with a result. `started` holds the ids of calls that are known to have begun.
pub fn pair_results(messages: Vec<Message>, started: &HashSet<String>) -> Vec<Message> {
    let mut paired: Vec<Message> = Vec::with_capacity(messages.len());
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        if message.role == Role::Assistant || open.is_empty() {
            answer(&mut paired, &mut open, Vec::new(), started);
            push_without_strays(&mut paired, message, &mut open);
        } else {
            let (results, rest) = split(message, &open);
            answer(&mut paired, &mut open, results, started);
            if !rest.content.is_empty() {
                paired.push(rest);
            }
        }
    }
    answer(&mut paired, &mut open, Vec::new(), started);
    paired
}

/// Appends the one message of results that the open calls need, making up those that are missing.
fn answer(paired: &mut Vec<Message>, open: &mut Vec<String>, results: Vec<ToolResult>, started: &HashSet<String>) {
    if open.is_empty() {
        return;
    }
    let content = open.drain(..).map(|id| {
        let found = results.iter().find(|result| result.tool_use_id == id).cloned();
        Block::ToolResult(found.unwrap_or_else(|| ToolResult::error(&id, interrupted(started.contains(&id)))))
    });
    let content = content.collect();
    paired.push(Message::new(Role::User, content));
}

fn interrupted(had_started: bool) -> &'static str {
    if had_started {
        "interrupted while it ran; it may have had an effect, so check before you repeat it"
    } else {
        "interrupted before it ran"
    }
}

/// Appends a message with results that answer no call removed; remembers its calls.
fn push_without_strays(paired: &mut Vec<Message>, mut message: Message, open: &mut Vec<String>) {
    let had = message.content.len();
    message.content.retain(|block| !matches!(block, Block::ToolResult(_)));
    if message.role == Role::Assistant {
        open.extend(message.tool_calls().map(|call| call.id.clone()));
    }
    if !message.content.is_empty() || had == 0 {
        paired.push(message);
    }
}

/// Splits a user message into the results of `open` calls and whatever else it says.
fn split(message: Message, open: &[String]) -> (Vec<ToolResult>, Message) {
    let (mut results, mut rest) = (Vec::new(), Vec::new());
    for block in message.content {
        match block {
            Block::ToolResult(result) if open.contains(&result.tool_use_id) => results.push(result),
            Block::ToolResult(_) => {}
            other => rest.push(other),
        }
    }
    (results, Message::new(Role::User, rest))
}
