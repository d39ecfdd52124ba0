//! A word's source turned into what the shell would make of it: quotes, escapes, braces, tilde, globs and the
//! variables whose values are known. What depends on anything else is [`Kind::Unknown`].

use std::collections::BTreeMap;

use super::NotUnderstood;

/// More words than this from one word's braces and variables are not looked at.
const MOST_WORDS: usize = 64;

/// A word as the program would get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::permission) struct Word {
    /// Its text; for an unknown word, the part in front of what is unknown.
    pub(in crate::permission) text: String,
    /// What is known of it.
    pub(in crate::permission) kind: Kind,
}

/// What is known of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::permission) enum Kind {
    /// Its text is what the program gets.
    Literal,
    /// One of several values of a loop's variable.
    Variable,
    /// A file name pattern.
    Glob,
    /// The output or input of another command as a file (`<(…)`).
    Stream,
    /// One word of which only the start is known, since quotes keep the rest together.
    Text,
    /// A file that a search in the workspace finds, which is no link and holds no secret by its name.
    Found,
    /// It depends on what is not known before it runs; perhaps more than one word.
    Unknown,
}

impl Word {
    /// A word that is what it says.
    pub(in crate::permission) fn literal(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Literal }
    }

    /// Whether all of it is known, be it one word or several.
    pub(in crate::permission) fn is_known(&self) -> bool {
        !matches!(self.kind, Kind::Text | Kind::Found | Kind::Unknown)
    }

    /// Whether a program could take it for an option.
    pub(in crate::permission) fn may_be_option(&self) -> bool {
        let starts_so = self.text.starts_with('-') && self.text != "-";
        match self.kind {
            Kind::Literal | Kind::Variable | Kind::Glob => starts_so,
            // Nothing is known of its start.
            Kind::Text => starts_so || self.text.is_empty(),
            // A blank in what is not known starts another word.
            Kind::Unknown => true,
            Kind::Stream | Kind::Found => false,
        }
    }

    /// The text, if the program gets exactly that.
    pub(in crate::permission) fn as_literal(&self) -> Option<&str> {
        (self.kind == Kind::Literal).then_some(self.text.as_str())
    }
}

/// A value that a variable may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// Its text.
    pub(super) text: String,
    /// Whether it stands for the names that this pattern matches.
    pub(super) is_glob: bool,
    /// Whether the variable has no other value.
    pub(super) is_only: bool,
}

/// The values that variables may have.
pub(super) type Variables = BTreeMap<String, Vec<Value>>;
/// One value for each variable in a word.
type Values = BTreeMap<String, Value>;

/// A character with whether quotes or a backslash protect it from the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Char {
    c: char,
    is_protected: bool,
}

/// What follows the known part of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// Nothing.
    No,
    /// Something within quotes: it stays one word.
    Quoted,
    /// Something that may be split into further words.
    Open,
}

/// What reading a word's source gave.
struct Reading {
    chars: Vec<Char>,
    /// Whether what follows `chars` is unknown, and how much of it there may be.
    cut: Cut,
    /// Whether a loop's variable is in it.
    has_variable: bool,
}

/// Reads a word's source; braces and variables can make several words of it.
pub(super) fn read(source: &str, variables: &Variables) -> Result<Vec<Word>, NotUnderstood> {
    if let Some(inner) = source.strip_prefix(['<', '>']).filter(|rest| rest.starts_with('(') && rest.ends_with(')')) {
        return Ok(vec![Word { text: inner.to_owned(), kind: Kind::Stream }]);
    }
    if source.starts_with('#') {
        return Err(NotUnderstood::because("what starts like a comment was taken for a word"));
    }
    let values = values_in(source, variables);
    let mut words = Vec::new();
    for value in values {
        let reading = unquote(source, &value)?;
        for (chars, cut) in braces(&reading)? {
            words.push(finish(&chars, cut, reading.has_variable));
        }
    }
    if words.len() > MOST_WORDS { Err(NotUnderstood::because("a word stands for too many")) } else { Ok(words) }
}

/// Every combination of values for the variables that the source mentions.
fn values_in(source: &str, variables: &Variables) -> Vec<Values> {
    let mut combinations = vec![BTreeMap::new()];
    for (name, values) in variables {
        if source.contains(&format!("${name}")) || source.contains(&format!("${{{name}}}")) {
            combinations = combinations
                .iter()
                .flat_map(|known: &Values| {
                    values.iter().map(move |value| {
                        let mut known = known.clone();
                        known.insert(name.clone(), value.clone());
                        known
                    })
                })
                .take(MOST_WORDS + 1)
                .collect();
        }
    }
    combinations
}

fn unquote(source: &str, values: &Values) -> Result<Reading, NotUnderstood> {
    let mut reading = Reading { chars: Vec::new(), cut: Cut::No, has_variable: false };
    let mut rest = source.chars().peekable();
    let mut in_double = false;
    while let Some(c) = rest.next() {
        match c {
            '\'' if !in_double => loop {
                match rest.next() {
                    Some('\'') => break,
                    Some(c) => reading.push(c, true),
                    None => return Err(NotUnderstood::because("a quote is not closed")),
                }
            },
            '"' => in_double = !in_double,
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(c) if !in_double || matches!(c, '$' | '`' | '"' | '\\') => reading.push(c, true),
                Some(c) => {
                    reading.push('\\', true);
                    reading.push(c, true);
                }
                None => return Err(NotUnderstood::because("it ends in a backslash")),
            },
            '$' if !in_double && rest.peek() == Some(&'\'') => ansi_c(&mut rest, &mut reading)?,
            '$' if !in_double && rest.peek() == Some(&'"') => {}
            '$' if rest.peek() == Some(&'[') => return Err(NotUnderstood::because("it evaluates arithmetic")),
            '$' => dollar(&mut rest, &mut reading, values, in_double),
            '`' => reading.cut = Cut::Quoted,
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' if !in_double => {
                return Err(NotUnderstood::because("a word holds what ends words"));
            }
            c => reading.push(c, in_double),
        }
        if reading.cut != Cut::No {
            // Only a word that is quoted from here to its end is sure to stay one.
            let is_list = ["$@", "${@", "[@]"].iter().any(|list| source.contains(list));
            let is_one = in_double && !is_list && ends_with_quote(&rest.collect::<String>());
            reading.cut = if is_one { Cut::Quoted } else { Cut::Open };
            return Ok(reading);
        }
    }
    if in_double {
        return Err(NotUnderstood::because("a quote is not closed"));
    }
    Ok(reading)
}

impl Reading {
    fn push(&mut self, c: char, is_protected: bool) {
        self.chars.push(Char { c, is_protected });
    }
}

/// Whether what is left of a word within quotes ends with the quote. Another quote, or braces that may hold one,
/// make this unclear.
fn ends_with_quote(rest: &str) -> bool {
    rest.strip_suffix('"').is_some_and(|inner| !inner.contains('"') && !inner.ends_with('\\'))
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// `$name` or `${name}` of a loop's variable stands for its value; anything else is unknown.
fn dollar(rest: &mut Rest<'_>, reading: &mut Reading, values: &Values, in_double: bool) {
    let mut ahead = rest.clone();
    let in_braces = ahead.next_if_eq(&'{').is_some();
    let mut name = String::new();
    while let Some(c) = ahead.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
        name.push(c);
    }
    if name.is_empty()
        && !in_braces
        && ahead.peek().is_none_or(|c| matches!(c, '"' | ' ' | '/' | '.' | ',' | ':' | '%'))
    {
        // A dollar sign that stands for itself, as at the end of a pattern.
        reading.push('$', true);
        return;
    }
    let is_closed = !in_braces || ahead.next_if_eq(&'}').is_some();
    let is_plain = |value: &&Value| {
        let is_one_word = |c: char| !c.is_whitespace() && (value.is_glob || !is_pattern(c)) && c != '\\';
        in_double || value.text.chars().all(is_one_word)
    };
    match values.get(&name).filter(is_plain).filter(|_| is_closed) {
        Some(value) => {
            value.text.chars().for_each(|c| reading.push(c, !(value.is_glob && is_pattern(c))));
            reading.has_variable |= !value.is_only;
            *rest = ahead;
        }
        None => reading.cut = Cut::Quoted,
    }
}

/// `$'…'` with the escapes that matter; others make the command one that is not understood.
fn ansi_c(rest: &mut Rest<'_>, reading: &mut Reading) -> Result<(), NotUnderstood> {
    rest.next();
    loop {
        let c = match rest.next() {
            Some('\'') => return Ok(()),
            Some('\\') => escape(rest)?,
            Some(c) => c,
            None => return Err(NotUnderstood::because("a quote is not closed")),
        };
        reading.push(c, true);
    }
}

fn escape(rest: &mut Rest<'_>) -> Result<char, NotUnderstood> {
    let unusual = || NotUnderstood::because("an unusual escape is in it");
    let code = |rest: &mut Rest<'_>, radix: u32, most: usize| {
        let mut digits = String::new();
        while digits.len() < most
            && let Some(digit) = rest.next_if(|c| c.is_digit(radix))
        {
            digits.push(digit);
        }
        u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32).filter(|c| *c != '\0').ok_or_else(unusual)
    };
    match rest.peek().copied().ok_or_else(unusual)? {
        digit if digit.is_digit(8) => code(rest, 8, 3),
        kind => {
            rest.next();
            match kind {
                'n' => Ok('\n'),
                't' => Ok('\t'),
                'r' => Ok('\r'),
                'x' => code(rest, 16, 2),
                'u' => code(rest, 16, 4),
                'U' => code(rest, 16, 8),
                '\\' | '\'' | '"' | '?' => Ok(kind),
                _ => Err(unusual()),
            }
        }
    }
}

fn is_pattern(c: char) -> bool {
    matches!(c, '*' | '?' | '[')
}

/// Brace expansion, for lists; a sequence (`{1..9}`) is left to be unknown. Each result says how it was cut.
fn braces(reading: &Reading) -> Result<Vec<(Vec<Char>, Cut)>, NotUnderstood> {
    let chars = &reading.chars;
    let open = chars.iter().position(|c| c.c == '{' && !c.is_protected);
    // The unknown part may go on with the list.
    if let (Some(open), Cut::Quoted | Cut::Open) = (open, reading.cut) {
        let is_certain = open > 0 && chars[0].c != '-';
        let known = if is_certain { chars[..open].to_vec() } else { Vec::new() };
        return Ok(vec![(known, Cut::Open)]);
    }
    let Some((open, close)) = first_braces(chars) else { return Ok(vec![(chars.clone(), reading.cut)]) };
    let inner = &chars[open + 1..close];
    let commas = top_level_commas(inner);
    if commas.is_empty() {
        let has_sequence = inner.windows(2).any(|pair| pair.iter().all(|c| c.c == '.' && !c.is_protected));
        if has_sequence {
            return Ok(vec![(chars[..open].to_vec(), Cut::Open)]);
        }
        return Ok(vec![(chars.clone(), reading.cut)]);
    }
    let mut expanded = Vec::new();
    let mut from = 0;
    for to in commas.into_iter().chain([inner.len()]) {
        let mut word = chars[..open].to_vec();
        word.extend_from_slice(&inner[from..to]);
        word.extend_from_slice(&chars[close + 1..]);
        from = to + 1;
        let part = Reading { cut: reading.cut, chars: word, has_variable: reading.has_variable };
        expanded.extend(braces(&part)?);
        if expanded.len() > MOST_WORDS {
            return Err(NotUnderstood::because("its braces stand for too many words"));
        }
    }
    Ok(expanded)
}

/// The first pair of unprotected braces.
fn first_braces(chars: &[Char]) -> Option<(usize, usize)> {
    let open = chars.iter().position(|c| c.c == '{' && !c.is_protected)?;
    let mut depth = 0;
    for (at, c) in chars.iter().enumerate().skip(open) {
        match c {
            Char { c: '{', is_protected: false } => depth += 1,
            Char { c: '}', is_protected: false } => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((open, at));
        }
    }
    None
}

fn top_level_commas(inner: &[Char]) -> Vec<usize> {
    let mut depth = 0;
    let mut commas = Vec::new();
    for (at, c) in inner.iter().enumerate().filter(|(_, c)| !c.is_protected) {
        match c.c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => commas.push(at),
            _ => {}
        }
    }
    commas
}

fn finish(chars: &[Char], cut: Cut, has_variable: bool) -> Word {
    let text: String = chars.iter().map(|c| c.c).collect();
    // A tilde that quotes protect is an ordinary letter; the marker keeps it from being expanded later.
    let quoted_tilde = chars.first().is_some_and(|c| c.c == '~' && c.is_protected);
    let text = if quoted_tilde { format!("./{text}") } else { text };
    let is_glob = chars.iter().any(|c| !c.is_protected && is_pattern(c.c));
    // A pattern with letters that only look like one is not worth taking apart.
    let is_mixed = is_glob && chars.iter().any(|c| c.is_protected && (is_pattern(c.c) || "]{}\\".contains(c.c)));
    let kind = match cut {
        Cut::Open => Kind::Unknown,
        Cut::Quoted if is_glob => Kind::Unknown,
        Cut::Quoted => Kind::Text,
        Cut::No if is_mixed => Kind::Unknown,
        Cut::No if is_glob => Kind::Glob,
        Cut::No if has_variable => Kind::Variable,
        Cut::No => Kind::Literal,
    };
    Word { text, kind }
}
