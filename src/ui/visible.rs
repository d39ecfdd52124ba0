//! Text from outside, made fit for a terminal: nothing in it can move the cursor, hide or reorder.

use std::fmt::Write;

/// The text with control characters, bidirectional overrides and invisible characters shown as escapes; line
/// ends and tabs stay.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' => {}
            '\u{1b}' => shown.push_str("\\e"),
            c if c.is_control() || is_hidden(c) => {
                // Writing to a String cannot fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// The same on one line.
pub fn visible_line(text: &str) -> String {
    visible(text).replace(['\n', '\t'], " ")
}

/// Characters that show nothing or change the order of others. The joiner and the variation selectors that emoji
/// need are left alone.
fn is_hidden(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x61C | 0x180E | 0x200B | 0x200E..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB
        | 0xE0000..=0xE007F)
}

/// At most `width` columns of a line, with a mark where it was cut.
pub fn fit(line: &str, width: usize) -> String {
    use unicode_width::UnicodeWidthChar;
    let mut used = 0;
    let mut fitted = String::new();
    for c in line.chars() {
        used += c.width().unwrap_or(0);
        if used >= width {
            fitted.push('…');
            return fitted;
        }
        fitted.push(c);
    }
    fitted
}
