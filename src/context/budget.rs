//! An estimate of tokens where no provider has counted them: four bytes of text are about one token.

use crate::message::{Block, Message, ToolContent};
use crate::store::transcript::Transcript;

/// What an image costs at most at the common resolutions.
const IMAGE_TOKENS: u64 = 1600;
/// Roles, ids and braces around a block.
const BLOCK_TOKENS: u64 = 8;

/// The tokens of a conversation: what the provider last reported, and an estimate of what came since.
/// `fixed` stands for the system text and the tools, as long as nothing has been reported.
pub fn conversation(transcript: &Transcript, fixed: u64) -> u64 {
    match transcript.measured() {
        Some(measured) => measured.tokens + messages(&transcript.messages()[measured.messages..]),
        None => fixed + messages(transcript.messages()),
    }
}

/// The estimated tokens of messages.
pub fn messages(messages: &[Message]) -> u64 {
    messages.iter().flat_map(|message| &message.content).map(block).sum()
}

/// The estimated tokens of a text.
pub fn text(text: &str) -> u64 {
    text.len() as u64 / 4
}

fn block(block: &Block) -> u64 {
    let content = match block {
        Block::Text { text: content } => text(content),
        Block::Thinking { thinking, signature, .. } => text(thinking) + signature.as_deref().map_or(0, text),
        Block::Image { .. } => IMAGE_TOKENS,
        Block::ToolUse(call) => {
            text(&call.name) + call.input.values().map(|value| value.to_string().len() as u64 / 4).sum::<u64>()
        }
        Block::ToolResult(result) => match &result.content {
            ToolContent::Text(content) => text(content),
            ToolContent::Blocks(blocks) => blocks.iter().map(self::block).sum(),
        },
        Block::ProviderItem { value, .. } => value.to_string().len() as u64 / 4,
    };
    BLOCK_TOKENS + content
}
