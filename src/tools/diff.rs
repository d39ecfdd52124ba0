//! The short diff that an edit's result shows.

use std::time::Duration;

use similar::TextDiff;

/// Lines around a change.
const CONTEXT: usize = 2;
/// Lines of the diff.
const LINES: usize = 60;
/// Characters of a line.
const WIDTH: usize = 300;
/// A diff that is not found by then is made coarser by the library.
const LIMIT: Duration = Duration::from_millis(200);

/// A unified diff without file names, cut with a note if it is long.
pub(super) fn short(before: &str, after: &str) -> String {
    let diff = TextDiff::configure().timeout(LIMIT).diff_lines(before, after);
    let text = diff.unified_diff().context_radius(CONTEXT).missing_newline_hint(false).to_string();
    let total = text.lines().count();
    let mut lines: Vec<String> = text.lines().take(LINES).map(shortened).collect();
    if total > LINES {
        lines.push(format!("[{} more lines of the diff left out]", total - LINES));
    }
    lines.join("\n")
}

fn shortened(line: &str) -> String {
    match super::text::first(line, WIDTH) {
        (start, true) => format!("{start}…"),
        (line, false) => line.to_owned(),
    }
}
