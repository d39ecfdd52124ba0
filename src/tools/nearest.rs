//! What a failed edit is told: the lines of the file that are most like the text it looked for, and
//! where the two part.

use std::collections::HashMap;

/// Lines compared one by one when no line is equal; more would take too long.
const LINES_COMPARED: usize = 5_000;
/// Of a line that the wanted text has many times, such as `}`, only so many count.
const PLACES: usize = 20;
/// Lines shown.
const LINES_SHOWN: usize = 8;
/// Characters shown of a line.
const WIDTH: usize = 200;
/// How like a line must be to be worth showing, 0 to 1.
const LIKE: f64 = 0.5;

/// The nearest lines with their numbers and the first difference; `None` when nothing is near.
pub(super) fn nearest(file: &str, wanted: &str) -> Option<String> {
    let lines: Vec<&str> = file.lines().collect();
    let wanted: Vec<&str> = wanted.lines().collect();
    let start = by_equal_lines(&lines, &wanted).or_else(|| by_likeness(&lines, &wanted))?;
    let end = (start + wanted.len().min(LINES_SHOWN)).min(lines.len());
    let shown = (start..end).map(|at| format!("{}\t{}", at + 1, cut(lines[at])));
    let mut text = format!("The nearest lines are:\n{}", shown.collect::<Vec<_>>().join("\n"));
    let pairs = wanted.iter().zip(&lines[start..]).enumerate();
    if let Some((at, (asked, there))) = pairs.into_iter().find(|(_, (asked, there))| asked != there) {
        text.push_str(&difference(start + at + 1, asked, there));
    } else if start + wanted.len() > lines.len() {
        text.push_str("\nold_string goes on after the end of the file.");
    }
    Some(text)
}

/// Where most lines of the wanted text would be in place, if white space at their ends did not count.
fn by_equal_lines(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        places.entry(line.trim()).or_default().push(at);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for offset in places.get(line.trim()).into_iter().flatten().take(PLACES) {
            if let Some(start) = at.checked_sub(*offset) {
                *votes.entry(start).or_default() += 1;
            }
        }
    }
    votes.into_iter().max_by_key(|&(start, votes)| (votes, std::cmp::Reverse(start))).map(|(start, _)| start)
}

/// Where a line is most like the longest wanted one.
fn by_likeness(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let (offset, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let longest = cut(longest.trim());
    let scored = lines.iter().take(LINES_COMPARED).enumerate().map(|(at, line)| {
        let likeness = strsim::sorensen_dice(longest, cut(line.trim()));
        (likeness, at)
    });
    let (likeness, at) = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    (likeness >= LIKE).then(|| at.saturating_sub(offset))
}

/// Both lines; where only white space differs it is made visible.
fn difference(number: usize, asked: &str, there: &str) -> String {
    let squeezed = |line: &str| line.split_whitespace().collect::<String>();
    let (note, asked, there) = if squeezed(asked) == squeezed(there) {
        (" only in white space (· space, → tab)", visible(asked), visible(there))
    } else {
        ("", asked.to_owned(), there.to_owned())
    };
    format!("\nLine {number} differs{note}:\nfile:       {}\nold_string: {}", cut(&there), cut(&asked))
}

fn visible(line: &str) -> String {
    let show = |character: char| match character {
        ' ' => "·".to_owned(),
        '\t' => "→".to_owned(),
        other if other.is_whitespace() => other.escape_unicode().to_string(),
        other => other.to_string(),
    };
    line.chars().map(show).collect()
}

fn cut(line: &str) -> &str {
    super::text::first(line, WIDTH).0
}
