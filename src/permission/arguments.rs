//! Arguments held against a program's line in the table: every option must be on it, and what the options and
//! operands name is what the command reads and writes.

use std::path::Path;

use super::paths;
use super::programs::{Argument, Class, Operands, Program, is_safe_target};
use super::shell::{Kind, Word};

/// What the arguments of a harmless call touch.
#[derive(Debug, Default)]
pub(super) struct Touched<'a> {
    /// Files and directories that are read.
    pub(super) reads: Vec<&'a Word>,
    /// The same, given inside an option (`--file=x`).
    pub(super) reads_in_option: Vec<String>,
    /// Files and directories that are written.
    pub(super) writes: Vec<String>,
}

/// Holds arguments against a line. The error is a clause that says which one is not known to be harmless.
pub(super) fn check<'a>(program: &Program, arguments: &'a [Word]) -> Result<Touched<'a>, String> {
    let mut touched = Touched::default();
    let mut operands = Vec::new();
    let mut has_pattern = false;
    let mut rest = arguments.iter();
    let mut only_operands = false;
    while let Some(word) = rest.next() {
        if only_operands || !may_be_option(word) {
            operands.push(word);
        } else if word.text == "--" && word.kind == Kind::Literal {
            only_operands = true;
        } else if program.takes_any {
            // Whatever it is, it does nothing.
        } else if word.kind == Kind::Literal {
            has_pattern |= option(program, &word.text, &mut rest, &mut touched)?;
        } else {
            return Err(format!("an option that depends on a variable or pattern (\"{}…\")", word.text));
        }
    }
    if program.class == Class::Develop && program.operands == Operands::Text {
        touched.reads.extend(operands.iter().filter(|word| is_pathlike(word)));
    }
    sort_operands(program, operands, has_pattern, &mut touched)?;
    Ok(touched)
}

/// Whether the program could take the word for an option.
fn may_be_option(word: &Word) -> bool {
    match word.kind {
        Kind::Literal | Kind::Variable | Kind::Glob => word.text.starts_with('-') && word.text != "-",
        // Nothing is known of its start.
        Kind::Unknown => word.text.is_empty() || word.text.starts_with('-'),
        Kind::Stream => false,
    }
}

/// One option with its value. Says whether it gave the pattern.
fn option<'a>(
    program: &Program,
    text: &str,
    rest: &mut std::slice::Iter<'a, Word>,
    touched: &mut Touched<'a>,
) -> Result<bool, String> {
    let unknown = |name: &str| format!("the option {name} is not known to be harmless");
    if program.takes_number && text[1..].chars().all(|c| c.is_ascii_digit()) {
        return Ok(false);
    }
    if let Some((name, value)) = text.split_once('=')
        && (name.starts_with("--") || name.chars().count() > 2)
        && let Some(argument) = program.options.get(name)
    {
        return match argument {
            Argument::None => Err(unknown(name)),
            argument => Ok(value_of(program, *argument, value, touched)),
        };
    }
    if program.options.contains_key(text) && program.options.get(&text) != Some(&Argument::Optional) {
        let argument = program.options[text];
        return if argument == Argument::None { Ok(false) } else { next_value(program, argument, text, rest, touched) };
    }
    if program.options.get(text) == Some(&Argument::Optional) {
        return Ok(false);
    }
    if text.starts_with("--") { Err(unknown(text)) } else { bundle(program, text, rest, touched) }
}

/// `-abc`, `-n5`, `-A3`: letters of which the last may have its value attached or next.
fn bundle<'a>(
    program: &Program,
    text: &str,
    rest: &mut std::slice::Iter<'a, Word>,
    touched: &mut Touched<'a>,
) -> Result<bool, String> {
    let mut letters = text.char_indices().skip(1).peekable();
    let mut gave_pattern = false;
    while let Some((at, letter)) = letters.next() {
        let name = format!("-{letter}");
        let value = letters.peek().map(|(next, _)| &text[*next..]);
        let _ = at;
        match (program.options.get(name.as_str()), value) {
            (Some(Argument::None), _) => {}
            (Some(Argument::Optional), Some(_)) => return Ok(gave_pattern),
            (Some(Argument::Optional), None) => {}
            (Some(argument), Some(value)) => return Ok(value_of(program, *argument, value, touched) || gave_pattern),
            (Some(argument), None) => return Ok(next_value(program, *argument, &name, rest, touched)? || gave_pattern),
            (None, _) => return Err(format!("the option -{letter} is not known to be harmless")),
        }
        gave_pattern |= program.options.get(name.as_str()) == Some(&Argument::Pattern);
    }
    Ok(gave_pattern)
}

fn next_value<'a>(
    program: &Program,
    argument: Argument,
    name: &str,
    rest: &mut std::slice::Iter<'a, Word>,
    touched: &mut Touched<'a>,
) -> Result<bool, String> {
    let word = rest.next().ok_or_else(|| format!("the option {name} lacks its value"))?;
    match word.kind {
        Kind::Literal => Ok(value_of(program, argument, &word.text, touched)),
        Kind::Glob if argument != Argument::Write => {
            if matches!(argument, Argument::Read | Argument::PatternFile) {
                touched.reads.push(word);
            }
            Ok(matches!(argument, Argument::Pattern | Argument::PatternFile))
        }
        _ => Err(format!("the value of {name} depends on what is not known")),
    }
}

fn value_of(program: &Program, argument: Argument, value: &str, touched: &mut Touched<'_>) -> bool {
    // A tool that loads reporters, plugins and the like by name must not be led out of the workspace.
    let parts = value.split([':', '=', ',']).filter(|part| program.class == Class::Develop && is_outside(part));
    touched.reads_in_option.extend(parts.map(str::to_owned));
    match argument {
        Argument::Read | Argument::PatternFile => touched.reads_in_option.push(value.to_owned()),
        Argument::Write => touched.writes.push(value.to_owned()),
        Argument::None | Argument::Text | Argument::Optional | Argument::Pattern => {}
    }
    matches!(argument, Argument::Pattern | Argument::PatternFile)
}

fn sort_operands<'a>(
    program: &Program,
    operands: Vec<&'a Word>,
    has_pattern: bool,
    touched: &mut Touched<'a>,
) -> Result<(), String> {
    let is_text = |word: &&Word| word.kind != Kind::Unknown || !word.text.is_empty();
    match program.operands {
        Operands::None if operands.is_empty() => {}
        Operands::None => return Err(format!("the argument \"{}\" is not known to be harmless", operands[0].text)),
        Operands::Files(most) if operands.len() <= most => touched.reads.extend(operands),
        Operands::Files(most) => return Err(format!("more than {most} files may mean that one is written")),
        Operands::PatternThenFiles => touched.reads.extend(operands.into_iter().skip(usize::from(!has_pattern))),
        Operands::Text => {}
        Operands::OneText if operands.len() <= 1 => {}
        Operands::OneText => return Err("a second argument may change something".to_owned()),
        Operands::Mixed => {
            if !operands.iter().all(is_text) {
                return Err("an argument depends on what is not known".to_owned());
            }
            let paths = operands.iter().filter(|word| is_pathlike(word));
            // `HEAD:path` names a path in a revision; it is judged by the path.
            let in_revision = operands.iter().filter_map(|word| Some(word.text.split_once(':')?.1.to_owned()));
            touched.reads_in_option.extend(in_revision.filter(|path| is_outside(path) || is_secret(path)));
            touched.reads.extend(paths);
        }
        Operands::Targets => {
            let unsafe_target = operands.iter().find(|word| word.kind != Kind::Literal || !is_safe_target(&word.text));
            if let Some(target) = unsafe_target {
                return Err(format!("the target {} is not known to only build or test", target.text));
            }
        }
    }
    Ok(())
}

/// Whether a text names a place that may be outside: absolute, the home, or upwards.
fn is_outside(text: &str) -> bool {
    text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..")
}

/// Whether an operand names a place that may be outside: absolute, the home, upwards, or a pattern.
fn is_pathlike(word: &Word) -> bool {
    let path = word.text.split_once(':').map_or(word.text.as_str(), |(_, path)| path);
    is_outside(&word.text) || is_outside(path) || is_secret(&word.text) || is_secret(path) || word.kind == Kind::Glob
}

fn is_secret(path: &str) -> bool {
    paths::is_secret(Path::new(path))
}
