//! Here-documents: where their text ends, as the shell sees it, and how quoted ones are kept from confusing the parser.

use std::ops::Range;

use tree_sitter::Node;

use super::NotUnderstood;
use super::word::{self, Kind, Variables};

/// The text of the first here-document after `from` with a quoted delimiter. The shell expands nothing in it, and it
/// ends at the first line that is the delimiter and nothing else, which the parser does not always find.
pub(super) fn quoted_body(root: Node<'_>, source: &str, from: usize) -> Option<Range<usize>> {
    let mut nodes = vec![root];
    let mut starts = Vec::new();
    while let Some(node) = nodes.pop() {
        if node.kind() == "heredoc_redirect" {
            starts.push(node);
        }
        nodes.extend(node.children(&mut node.walk()));
    }
    starts.sort_by_key(Node::start_byte);
    starts.into_iter().filter(|node| node.start_byte() >= from).find_map(|node| body_of(node, source))
}

fn body_of(node: Node<'_>, source: &str) -> Option<Range<usize>> {
    let child = |kind: &str| node.children(&mut node.walk()).find(|child| child.kind() == kind);
    let start = child("heredoc_start")?;
    let text = source.get(start.byte_range())?;
    if !text.contains(['\'', '"', '\\']) {
        return None;
    }
    let delimiter = delimiter(text)?;
    let strips_tabs = child("<<-").is_some();
    let line_end = start.end_byte() + source.get(start.end_byte()..)?.find('\n')?;
    // What else stands on the line may hold a line break of its own, or another here-document.
    if source.get(start.end_byte()..line_end)?.contains(['\'', '"', '\\', '`', '$', '<', '#', '(']) {
        return None;
    }
    let mut at = line_end + 1;
    for line in source.get(at..)?.split_inclusive('\n') {
        if is_end(line.trim_end_matches('\n'), &delimiter, strips_tabs) {
            return Some(line_end + 1..at);
        }
        at += line.len();
    }
    None
}

/// Puts a full stop for every byte of a here-document's text but its line breaks.
pub(super) fn blank(source: &mut String, body: Range<usize>) {
    let Some(text) = source.get(body.clone()) else { return };
    let blank: String = text.bytes().map(|byte| if byte == b'\n' { '\n' } else { '.' }).collect();
    source.replace_range(body, &blank);
}

fn delimiter(start: &str) -> Option<String> {
    match word::read(start, &Variables::new()).ok()?.as_slice() {
        [word] if word.kind == Kind::Literal => Some(word.text.clone()),
        _ => None,
    }
}

fn is_end(line: &str, delimiter: &str, strips_tabs: bool) -> bool {
    (if strips_tabs { line.trim_start_matches('\t') } else { line }) == delimiter
}

/// Refuses a here-document unless the parser found the end of its text where the shell does: at the first line that
/// is the delimiter and nothing else.
pub(super) fn check_end(node: Node<'_>, source: &str) -> Result<(), NotUnderstood> {
    let child = |kind: &str| node.children(&mut node.walk()).find(|child| child.kind() == kind);
    let wrong = || NotUnderstood::because("the end of its here-document is not clear");
    let (Some(start), Some(end)) = (child("heredoc_start"), child("heredoc_end")) else { return Err(wrong()) };
    let delimiter = source.get(start.byte_range()).and_then(delimiter).ok_or_else(wrong)?;
    let strips_tabs = child("<<-").is_some();
    let before = |at: usize| source.get(..at).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
    let end_start = before(end.start_byte());
    let body_start =
        source.get(start.end_byte()..).and_then(|rest| rest.find('\n')).map(|at| start.end_byte() + at + 1);
    let body = body_start.and_then(|body| source.get(body..end_start)).ok_or_else(wrong)?;
    let end_line = source.get(end_start..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
    let is_early = body.split('\n').any(|line| !line.is_empty() && is_end(line, &delimiter, strips_tabs));
    let is_certain = is_end(end_line, &delimiter, strips_tabs) && !is_early && !delimiter.is_empty();
    if is_certain { Ok(()) } else { Err(wrong()) }
}
