//! Plain looks at a command's source, before and beside the parser: what makes it unfit to be judged.

/// Control characters, spaces that are not ASCII's, and what reorders or hides text.
pub(super) fn is_odd(c: char) -> bool {
    let hides = matches!(u32::from(c), 0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180E
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0
        | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF);
    let is_blank = c.is_whitespace() && !matches!(c, ' ' | '\t' | '\n');
    hides || is_blank || (c.is_control() && !matches!(c, '\t' | '\n'))
}

/// Whether a backslash at a line's end joins what the parser takes for two tokens, or stands on a line alone.
pub(super) fn splits_token(source: &str) -> bool {
    let mut start = 0;
    while let Some(at) = source[start..].find("\\\n").map(|at| start + at) {
        start = at + 2;
        let before = source[..at].chars().next_back();
        let after = source[start..].chars().next();
        let is_joined = match (before, after) {
            (None | Some('\n'), _) => true,
            (Some(' ' | '\t'), _) => source[..at].lines().next_back().is_none_or(|line| line.trim().is_empty()),
            (_, None | Some(' ' | '\t' | '\n')) => false,
            (Some('|' | '&' | ';' | '('), Some(after)) => "|&;()<>".contains(after),
            _ => true,
        };
        if is_joined {
            return true;
        }
    }
    false
}

/// Whether a loop's body may give its variable another value.
pub(super) fn may_assign(body: &str, name: &str) -> bool {
    let setters = [
        "read",
        "mapfile",
        "readarray",
        "printf",
        "declare",
        "local",
        "export",
        "typeset",
        "let",
        "unset",
        "getopts",
        "eval",
    ];
    let sets = body.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| setters.contains(&word));
    sets || body.contains(&format!("{name}="))
        || body.contains(&format!("{name}+="))
        || body.contains(&format!("for {name} "))
}

/// Whether arithmetic is on numbers alone. The value of a variable would be evaluated in turn, and run what
/// stands in its subscripts.
pub(super) fn is_plain_arithmetic(text: &str) -> bool {
    let inner = ["$?", "$#"].iter().fold(text.replacen('$', "", 1), |text, known| text.replace(known, "0"));
    !inner.contains(['$', '[', '`', '_']) && !inner.contains(char::is_alphabetic)
}

/// Whether text that was taken for plain holds the start of a substitution.
pub(super) fn hides_substitution(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '`' => return true,
            '$' if matches!(chars.peek(), Some('(' | '[')) => return true,
            _ => {}
        }
    }
    false
}

/// `${name}`, its length, defaults and cut ends; nothing indirect, indexed or evaluated, and nothing in it that the
/// parser and the shell might read in different ways.
pub(super) fn is_plain_expansion(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else { return false };
    let inner = inner.strip_prefix('#').unwrap_or(inner);
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let has_operator = ["-", ":-", "+", ":+", "%", "#", "/"].iter().any(|operator| rest.starts_with(operator));
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:,+@%*?#~ =".contains(c);
    let operand = rest.replace("\"\"", "").replace("''", "");
    let variables_are_plain = operand.split('$').skip(1).all(|after| after.starts_with(|c: char| c.is_alphabetic()));
    rest.is_empty() || (has_operator && variables_are_plain && operand.chars().all(|c| is_plain(c) || c == '$'))
}

/// Variables that hold keys by their name: to print one is to print a secret.
pub(super) fn names_secret(text: &str) -> bool {
    let name = text.to_ascii_uppercase();
    let parts = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "_PASS", "PGPASS", "_PWD"];
    parts.iter().any(|part| name.contains(part)) || name.trim_end_matches('}').ends_with("_PAT")
}

/// `$name`, `$1`, `$?` and their kin, with nothing between.
pub(super) fn is_plain_variable(text: &str) -> bool {
    let Some(name) = text.strip_prefix('$') else { return false };
    let is_special = name.chars().count() == 1 && name.contains(|c: char| c.is_ascii_digit() || "?#@*!$_-".contains(c));
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_special || is_name
}
