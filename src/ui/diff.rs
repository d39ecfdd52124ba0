//! A change to a file as lines, bounded to fit a screen.

use similar::TextDiff;

use super::style::{Style, Tone};
use super::visible::visible_line;

/// The change from one text to another as unified lines, at most `most` of them.
pub fn lines(before: &str, after: &str, most: usize, style: Style) -> Vec<String> {
    let diff = TextDiff::from_lines(before, after);
    let text = diff.unified_diff().context_radius(2).to_string();
    let all: Vec<&str> = text.lines().filter(|line| !line.starts_with('\\')).collect();
    let mut shown: Vec<String> = all.iter().take(most).map(|line| paint(line, style)).collect();
    if all.len() > most {
        shown.push(style.paint(Tone::Dim, &format!("… {} more lines", all.len() - most)));
    }
    shown
}

/// A line of a unified diff in its tone.
pub fn paint(line: &str, style: Style) -> String {
    let shown = visible_line(line);
    match line.chars().next() {
        Some('+') => style.paint(Tone::Added, &shown),
        Some('-') => style.paint(Tone::Removed, &shown),
        Some('@') => style.paint(Tone::Dim, &shown),
        _ => shown,
    }
}
