//! Arguments held against a program's line in the table: every option must be on it, and what the options and
//! operands name is what the command reads and writes.

use std::path::Path;

use super::paths;
use super::programs::{Argument, Class, Operands, Program, is_safe_target};
use super::shell::{Kind, Word};

/// What the arguments of a harmless call touch.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// Files and directories that are read.
    pub(super) reads: Vec<Word>,
    /// Files and directories that are written.
    pub(super) writes: Vec<String>,
    /// A file pattern that may stand for secrets.
    pub(super) secret: Option<String>,
    /// Whether an option gave the pattern.
    has_pattern: bool,
}

impl Touched {
    fn read(&mut self, path: &str) {
        self.reads.push(Word::literal(path));
    }
}

/// The words that are left.
type Rest<'a> = std::slice::Iter<'a, Word>;

/// Holds arguments against a line. The error is a clause that says which one is not known to be harmless.
pub(super) fn check(program: &Program, arguments: &[Word]) -> Result<Touched, String> {
    let mut touched = Touched::default();
    let mut operands = Vec::new();
    let mut rest = arguments.iter();
    let mut after_dashes = false;
    while let Some(word) = rest.next() {
        if after_dashes {
            operands.push(further(program, word)?);
        } else if !word.may_be_option() {
            operands.push(word);
        } else if word.text == "--" && word.kind == Kind::Literal {
            after_dashes = true;
        } else if program.takes_any {
            // Whatever it is, it does nothing.
        } else if word.kind == Kind::Literal {
            option(program, &word.text, &mut rest, &mut touched)?;
        } else if !glob_in_option(program, word, &mut touched) {
            return Err(format!("an option that depends on a variable or pattern (\"{}…\")", word.text));
        }
    }
    sort_operands(program, operands, &mut touched)?;
    Ok(touched)
}

/// A word after `--`: an operand, or an option of what the program runs in turn.
fn further<'a>(program: &Program, word: &'a Word) -> Result<&'a Word, String> {
    let is_passed_on = program.class == Class::Develop && word.may_be_option();
    let is_known = |text: &str| {
        let name = text.split('=').next().unwrap_or(text);
        let matches = |known: &str| match (known.strip_prefix('!'), known.strip_suffix('*')) {
            (Some(part), _) => match part.strip_prefix('=') {
                Some(exact) => text != exact,
                None => !text.to_ascii_lowercase().contains(part),
            },
            (None, Some(start)) => text.starts_with(start),
            (None, None) => known == name,
        };
        let are_parts = program.passed_on.iter().all(|known| known.starts_with('!'));
        if are_parts {
            program.passed_on.iter().all(|known| matches(known))
        } else {
            program.passed_on.iter().any(|known| matches(known))
        }
    };
    match word.as_literal() {
        Some(text) if is_passed_on && !program.passed_on.is_empty() && !is_known(text) => {
            Err(format!("the argument {text} after -- is not known to be harmless"))
        }
        None if is_passed_on => Err("an argument after -- depends on what is not known".to_owned()),
        _ => Ok(word),
    }
}

/// `--include=*.rs` without quotes: whatever it matches still starts with the same option.
fn glob_in_option(program: &Program, word: &Word, touched: &mut Touched) -> bool {
    let Some((name, value)) = word.text.split_once('=').filter(|_| word.kind == Kind::Glob) else { return false };
    let argument = program.options.get(name).copied();
    let is_text = matches!(argument, Some(Argument::Text | Argument::Optional | Argument::FileGlob));
    is_text && value_of(program, Argument::FileGlob, value, touched).is_ok()
}

/// One option with its value.
fn option(program: &Program, text: &str, rest: &mut Rest<'_>, touched: &mut Touched) -> Result<(), String> {
    let unknown = |name: &str| format!("the option {name} is not known to be harmless");
    if program.takes_number && is_digits(&text[1..]) {
        return Ok(());
    }
    if let Some((name, value)) = text.split_once('=')
        && (name.starts_with("--") || name.chars().count() > 2 || program.has_long_words)
        && let Some(argument) = program.options.get(name)
    {
        return match argument {
            Argument::None => Err(unknown(name)),
            argument => value_of(program, *argument, value, touched),
        };
    }
    match program.options.get(text) {
        Some(Argument::None | Argument::Optional) => Ok(()),
        Some(Argument::Number) => {
            let is_number = rest.as_slice().first().and_then(Word::as_literal).is_some_and(is_digits);
            rest.by_ref().take(usize::from(is_number)).for_each(drop);
            Ok(())
        }
        Some(argument) => next_value(program, *argument, text, rest, touched),
        None if text.starts_with("--") || program.has_long_words => Err(unknown(text)),
        None => bundle(program, text, rest, touched),
    }
}

fn is_digits(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit())
}

/// `-abc`, `-n5`, `-A3`: letters of which the last may have its value attached or next.
fn bundle(program: &Program, text: &str, rest: &mut Rest<'_>, touched: &mut Touched) -> Result<(), String> {
    for (at, letter) in text.char_indices().skip(1) {
        let name = format!("-{letter}");
        let value = &text[at + letter.len_utf8()..];
        match program.options.get(name.as_str()) {
            Some(Argument::None) => {}
            Some(Argument::Optional | Argument::Number) if value.is_empty() => {}
            Some(Argument::Number) if !is_digits(value) => {}
            Some(Argument::Optional) => return Ok(()),
            Some(argument) if value.is_empty() => return next_value(program, *argument, &name, rest, touched),
            Some(argument) => return value_of(program, *argument, value, touched),
            None => return Err(format!("the option -{letter} is not known to be harmless")),
        }
    }
    Ok(())
}

fn next_value(
    program: &Program,
    argument: Argument,
    name: &str,
    rest: &mut Rest<'_>,
    touched: &mut Touched,
) -> Result<(), String> {
    let word = rest.next().ok_or_else(|| format!("the option {name} lacks its value"))?;
    let is_text = matches!(argument, Argument::Text | Argument::Pattern) && program.class == Class::Read;
    match word.kind {
        Kind::Literal => value_of(program, argument, &word.text, touched),
        // One word, whatever it says.
        Kind::Text | Kind::Variable if is_text => value_of(program, argument, &word.text, touched),
        _ => Err(format!("the value of {name} depends on what is not known")),
    }
}

fn value_of(program: &Program, argument: Argument, value: &str, touched: &mut Touched) -> Result<(), String> {
    match argument {
        Argument::Read => touched.read(value),
        Argument::PatternFile => {
            touched.read(value);
            touched.has_pattern = true;
        }
        Argument::Write => touched.writes.push(value.to_owned()),
        Argument::Pattern => touched.has_pattern = true,
        Argument::FileGlob if stands_for_secrets(value) => touched.secret = Some(value.to_owned()),
        Argument::Name if value.contains(['/', '\\', '.', ':', '@']) => {
            return Err(format!("\"{value}\" may name a program or a module"));
        }
        Argument::Target if !is_safe_target(value) => {
            return Err(format!("the target {value} is not known to only build or test"));
        }
        Argument::Plugin if !value.starts_with("no:") => return Err(format!("it loads the plugin {value}")),
        Argument::Lines => touched.reads.extend(value.rsplit_once(':').map(|(_, path)| Word::literal(path))),
        _ if program.class == Class::Develop => read_outside(value, touched),
        _ => {}
    }
    Ok(())
}

/// Development tools take paths in many options; one that leads out of the workspace counts as read.
fn read_outside(value: &str, touched: &mut Touched) {
    for part in value.split(['=', ',', ':']) {
        if leads_out(part) {
            touched.read(part);
        }
    }
    if value.len() > 2 && value.starts_with('-') {
        value.find('/').filter(|at| leads_out(&value[*at..])).into_iter().for_each(|at| touched.read(&value[at..]));
    }
}

fn leads_out(text: &str) -> bool {
    text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..")
}

/// Whether a file pattern of a search (`-g`, `--include`) takes in files that hold secrets. One that excludes
/// does not.
fn stands_for_secrets(pattern: &str) -> bool {
    let named = pattern.rsplit('/').next().unwrap_or(pattern);
    !pattern.starts_with('!') && paths::may_match_hidden_secret(named)
}

fn sort_operands(program: &Program, operands: Vec<&Word>, touched: &mut Touched) -> Result<(), String> {
    if program.refuses_at
        && let Some(file) = operands.iter().find(|word| word.text.starts_with('@'))
    {
        return Err(format!("{} may be a file with further options", file.text));
    }
    match program.operands {
        Operands::None if operands.is_empty() => {}
        Operands::None => return Err(format!("the argument \"{}\" is not known to be harmless", operands[0].text)),
        Operands::Files(most) if operands.len() <= most => touched.reads.extend(operands.into_iter().cloned()),
        Operands::Files(most) => return Err(format!("more than {most} files may mean that one is written")),
        Operands::PatternThenFiles => {
            let first = operands.first().filter(|_| !touched.has_pattern);
            // A pattern that the shell expands may become several words.
            let is_one = first.is_some_and(|word| !matches!(word.kind, Kind::Glob | Kind::Unknown));
            touched.reads.extend(operands.iter().skip(usize::from(is_one)).map(|word| (*word).clone()));
        }
        Operands::GitPatternThenFiles => {
            let files = operands.into_iter().skip(usize::from(!touched.has_pattern));
            mixed(program, files.collect(), touched)?;
        }
        Operands::Text if program.class == Class::Develop => {
            operands.iter().for_each(|word| read_outside(&word.text, touched));
        }
        Operands::Text => {}
        Operands::OneText if operands.len() <= 1 => {}
        Operands::OneText => return Err("a second argument may change something".to_owned()),
        Operands::Mixed => mixed(program, operands, touched)?,
        Operands::Targets => {
            let unsafe_target = operands.iter().find(|word| word.kind != Kind::Literal || !is_safe_target(&word.text));
            if let Some(target) = unsafe_target {
                return Err(format!("the target {} is not known to only build or test", target.text));
            }
        }
    }
    Ok(())
}

/// Revisions, names and paths in any order.
fn mixed(program: &Program, operands: Vec<&Word>, touched: &mut Touched) -> Result<(), String> {
    for word in operands {
        if !word.is_known() && (word.kind == Kind::Unknown || word.text.is_empty()) {
            return Err("an argument depends on what is not known".to_owned());
        }
        if program.class == Class::Develop {
            // `tests/a.py::test_b` is a file with a name in it.
            let path = word.text.split("::").next().unwrap_or_default();
            touched.reads.push(Word { text: path.to_owned(), kind: word.kind });
            continue;
        }
        // `HEAD:path`, `:0:path`, `:(glob)path`.
        let path = word.text.rsplit([':', ')']).next().unwrap_or_default();
        if path.contains(['*', '?', '[']) && word.kind != Kind::Glob && stands_for_secrets(path) {
            touched.secret = Some(word.text.clone());
        }
        if word.kind == Kind::Glob || leads_out(&word.text) {
            touched.reads.push(word.clone());
        }
        if leads_out(path) || paths::is_secret(Path::new(path)) {
            touched.read(path);
        }
    }
    Ok(())
}
