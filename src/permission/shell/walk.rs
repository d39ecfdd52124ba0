//! From a command line to its simple commands: a walk over the syntax tree that knows a list of constructs and
//! refuses the rest. Follows which directories may be current, through `cd` and its failures.

use std::path::Path;

use tree_sitter::{Node, Parser};

use super::super::paths;
use super::word::{self, Kind, Value, Variables, Word};
use super::{Dirs, NotUnderstood, Simple, heredoc, text};

/// Longer command lines are not looked at, in bytes.
const LONGEST: usize = 64 * 1024;
/// More quoted here-documents are not looked at: each costs another parse.
const MOST_TEXTS: usize = 16;
/// Deeper nesting is not looked at.
const DEEPEST: usize = 60;

pub(super) type Walked<T> = Result<T, NotUnderstood>;

/// The simple commands of a command line that starts in `dirs`. `home` is where `cd` alone goes.
pub(in crate::permission) fn parse(command: &str, dirs: Dirs, home: Option<&Path>) -> Walked<Vec<Simple>> {
    if command.len() > LONGEST {
        return Err(NotUnderstood::because("it is too long to judge"));
    }
    if let Some(odd) = command.chars().find(|c| text::is_odd(*c)) {
        return Err(NotUnderstood::because(format!(
            "it holds an invisible or control character (U+{:04X})",
            u32::from(odd)
        )));
    }
    let mut parser = Parser::new();
    let language = tree_sitter_bash::LANGUAGE.into();
    parser.set_language(&language).map_err(|_| NotUnderstood::because("the shell grammar cannot be loaded"))?;
    let mut source = command.to_owned();
    let unparsed = || NotUnderstood::because("it cannot be parsed");
    let mut tree = parser.parse(&source, None).ok_or_else(unparsed)?;
    let mut from = 0;
    let mut texts = 0;
    while let Some(body) = heredoc::quoted_body(tree.root_node(), &source, from) {
        from = body.end;
        texts += 1;
        if texts > MOST_TEXTS {
            return Err(NotUnderstood::because("it holds too many here-documents to judge"));
        }
        heredoc::blank(&mut source, body);
        tree = parser.parse(&source, None).ok_or_else(unparsed)?;
    }
    let root = tree.root_node();
    if root.has_error() {
        return Err(unparsed());
    }
    if text::splits_token(&source) {
        return Err(NotUnderstood::because("a line is continued in the middle of a word"));
    }
    let (commands, variables) = (Vec::new(), Variables::new());
    let mut walk = Walk { source: &source, original: command, home, commands, variables, depth: 0 };
    walk.sequence(root, dirs)?;
    Ok(walk.commands)
}

/// Nodes in which a line break between two parts ends the command for the shell.
const ON_ONE_LINE: &[&str] = &[
    "command",
    "declaration_command",
    "unset_command",
    "file_redirect",
    "herestring_redirect",
    "variable_assignment",
    "variable_assignments",
    "concatenation",
];

/// Where a statement may leave the shell, by whether it succeeded.
pub(super) struct After {
    pub(super) ok: Dirs,
    pub(super) failed: Dirs,
}

impl After {
    pub(super) fn unchanged(dirs: &Dirs) -> Self {
        Self { ok: dirs.clone(), failed: dirs.clone() }
    }

    pub(super) fn either(self) -> Dirs {
        self.ok.or(&self.failed)
    }
}

pub(super) struct Walk<'a> {
    /// What was parsed: the command with the text of quoted here-documents made blank.
    pub(super) source: &'a str,
    original: &'a str,
    pub(super) home: Option<&'a Path>,
    pub(super) commands: Vec<Simple>,
    pub(super) variables: Variables,
    depth: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        &self.source[node.byte_range()]
    }

    /// The children with their tokens. Between them only blanks may stand, or the parser left something out.
    pub(super) fn children<'t>(&self, node: Node<'t>) -> Walked<Vec<Node<'t>>> {
        let children: Vec<Node<'t>> = node.children(&mut node.walk()).collect();
        let mut at = node.start_byte();
        for child in &children {
            let gap = self.source.get(at..child.start_byte()).unwrap_or_default().replace("\\\n", "");
            let is_broken = gap.contains('\n') && ON_ONE_LINE.contains(&node.kind());
            // Elsewhere a number sign is a letter like any other.
            let before = self.source.get(..child.start_byte()).and_then(|text| text.chars().next_back());
            let is_escaped = self.source.get(..child.start_byte()).is_some_and(|text| text.trim_end().ends_with('\\'));
            let is_letter = child.kind() == "comment"
                && (is_escaped || before.is_some_and(|c| !c.is_whitespace() && !";&|()".contains(c)));
            if !gap.trim_matches([' ', '\t', '\n']).is_empty() || is_broken || is_letter {
                return Err(NotUnderstood::because("part of it was not parsed"));
            }
            at = child.end_byte();
        }
        Ok(children)
    }

    /// Refuses a node with parts other than these fields, tokens and comments.
    pub(super) fn only_known(&self, node: Node<'_>, fields: &[&str]) -> Walked<()> {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let is_known = cursor.field_name().is_some_and(|name| fields.contains(&name));
            if child.is_named() && child.kind() != "comment" && !is_known {
                return Err(NotUnderstood::because("part of it is of an unknown form"));
            }
            more = cursor.goto_next_sibling();
        }
        Ok(())
    }

    /// Statements one after the other; `&` runs one beside the shell.
    fn sequence(&mut self, node: Node<'_>, mut dirs: Dirs) -> Walked<Dirs> {
        for child in self.children(node)? {
            match child.kind() {
                ";" | "\n" | "&" | "{" | "}" | "(" | ")" | ";;" | "do" | "done" | "then" | "fi" | "comment"
                | "else" => {}
                _ => dirs = self.statement(child, dirs.clone())?.either().or_unless_same(&dirs, self.is_beside(child)),
            }
        }
        Ok(dirs)
    }

    pub(super) fn is_beside(&self, node: Node<'_>) -> bool {
        node.next_sibling().is_some_and(|next| next.kind() == "&")
    }

    pub(super) fn statement(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(NotUnderstood::because("it is nested too deeply"));
        }
        let after = match node.kind() {
            "command" => self.command(node, dirs),
            "redirected_statement" => self.redirected(node, dirs),
            "list" => self.list(node, dirs),
            "pipeline" => self.pipeline(node, dirs),
            "negated_command" => {
                let inner = self.children(node)?.into_iter().find(|child| !matches!(child.kind(), "!" | "comment"));
                let inner = inner.ok_or_else(|| NotUnderstood::because("nothing is negated"))?;
                self.statement(inner, dirs).map(|after| After { ok: after.failed, failed: after.ok })
            }
            "subshell" => self.sequence(node, dirs.clone()).map(|_| After::unchanged(&dirs)),
            "compound_statement" if !self.text(node).starts_with("((") => {
                self.sequence(node, dirs).map(|dirs| After::unchanged(&dirs))
            }
            "if_statement" | "elif_clause" => self.conditional(node, dirs),
            "else_clause" | "do_group" => self.sequence(node, dirs).map(|dirs| After::unchanged(&dirs)),
            "while_statement" => self.while_loop(node, dirs),
            "for_statement" => self.for_loop(node, dirs),
            "case_statement" => self.case(node, dirs),
            "variable_assignment" | "variable_assignments" => self.assignments(node, dirs),
            "test_command" => self.test(node, &dirs),
            "declaration_command" => self.declaration(node, &dirs),
            "comment" => Ok(After::unchanged(&dirs)),
            "function_definition" => Err(NotUnderstood::because("it defines a function")),
            other => Err(NotUnderstood::because(format!(
                "it uses a construct that is not judged ({})",
                other.replace('_', " ")
            ))),
        };
        self.depth -= 1;
        after
    }

    fn list(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let children = self.children(node)?;
        let [left, operator, right] = children.as_slice() else {
            return Err(NotUnderstood::because("a list of an unknown form"));
        };
        let left = self.statement(*left, dirs)?;
        match operator.kind() {
            "&&" => {
                let right = self.statement(*right, left.ok)?;
                Ok(After { ok: right.ok, failed: right.failed.or(&left.failed) })
            }
            "||" => {
                let right = self.statement(*right, left.failed)?;
                Ok(After { ok: right.ok.or(&left.ok), failed: right.failed })
            }
            other => Err(NotUnderstood::because(format!("an unknown separator {other}"))),
        }
    }

    /// Each part runs in a shell of its own.
    fn pipeline(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        for child in self.children(node)? {
            if !matches!(child.kind(), "|" | "|&") {
                self.statement(child, dirs.clone())?;
            }
        }
        Ok(After::unchanged(&dirs))
    }

    fn conditional(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let mut condition: Option<After> = None;
        let mut inside = Dirs::default();
        let mut ends = Dirs::default();
        let mut before_then = true;
        for child in self.children(node)? {
            match child.kind() {
                "if" | "elif" | ";" | "fi" | "\n" | "comment" => {}
                "then" => {
                    before_then = false;
                    inside = condition.as_ref().map_or(dirs.clone(), |after| after.ok.clone());
                }
                _ if before_then => {
                    let start = condition.take().map_or(dirs.clone(), After::either);
                    condition = Some(self.statement(child, start)?);
                }
                "elif_clause" | "else_clause" => {
                    let failed = condition.as_ref().map_or(dirs.clone(), |after| after.failed.clone());
                    ends = ends.or(&self.statement(child, failed)?.either());
                }
                _ => inside = self.statement(child, inside)?.either(),
            }
        }
        let failed = condition.map_or(dirs, |after| after.failed);
        Ok(After::unchanged(&ends.or(&inside).or(&failed)))
    }

    fn while_loop(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let mut start = dirs.clone();
        // Twice, so that the second round starts where the first may have ended.
        for round in 0..2 {
            let mut current = start.clone();
            for child in self.children(node)? {
                match child.kind() {
                    "while" | "until" | ";" | "\n" => {}
                    _ => current = self.statement(child, current)?.either(),
                }
            }
            start = self.next_round(&dirs, current, round);
        }
        Ok(After::unchanged(&start))
    }

    /// Where a further round of a loop may start. A loop that moves on and on ends nobody knows where.
    fn next_round(&self, before: &Dirs, after: Dirs, round: usize) -> Dirs {
        let moved = after.or_unknown || after.known.iter().any(|dir| !before.known.contains(dir));
        if moved && round > 0 { Dirs::unknown().or(before).or(&after) } else { before.clone().or(&after) }
    }

    fn for_loop(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let name = node.child_by_field_name("variable").map(|name| self.text(name).to_owned());
        let name = name.ok_or_else(|| NotUnderstood::because("a loop without a variable"))?;
        self.only_known(node, &["variable", "value", "body"])?;
        self.sets(node, &name, &dirs);
        let mut values = Vec::new();
        let mut are_known = true;
        for child in node.children_by_field_name("value", &mut node.walk()) {
            self.substitutions(child, &dirs)?;
            for word in self.word(child)? {
                are_known &= self.is_value(&word, &dirs);
                values.push(Value { is_glob: word.kind == Kind::Glob, text: word.text, is_only: false });
            }
        }
        if let [only] = values.as_mut_slice() {
            only.is_only = !only.is_glob;
        }
        let body = node.child_by_field_name("body").ok_or_else(|| NotUnderstood::because("a loop without a body"))?;
        let is_tracked = are_known && !values.is_empty() && !text::may_assign(self.text(body), &name);
        self.variables.remove(&name);
        if is_tracked {
            self.variables.insert(name.clone(), values);
        }
        let mut start = dirs.clone();
        for round in 0..2 {
            let end = self.statement(body, start)?.either();
            start = self.next_round(&dirs, end, round);
        }
        // What it holds after the loop is not worth knowing.
        self.variables.remove(&name);
        Ok(After::unchanged(&start))
    }

    fn case(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let mut ends = dirs.clone();
        for child in self.children(node)? {
            if child.kind() != "case_item" {
                self.substitutions(child, &dirs)?;
                continue;
            }
            let mut current = dirs.clone();
            let patterns: Vec<usize> =
                child.children_by_field_name("value", &mut child.walk()).map(|value| value.id()).collect();
            for part in self.children(child)? {
                match part.kind() {
                    ")" | "(" | "|" | ";;" | ";&" | ";;&" | ";" | "\n" | "comment" => {}
                    _ if patterns.contains(&part.id()) => self.substitutions(part, &dirs)?,
                    _ => current = self.statement(part, current)?.either(),
                }
            }
            ends = ends.or(&current);
        }
        Ok(After::unchanged(&ends))
    }

    /// `[ … ]` and `[[ … ]]` only look, but arithmetic and subscripts in their words can run commands.
    fn test(&mut self, node: Node<'_>, dirs: &Dirs) -> Walked<After> {
        self.substitutions(node, dirs)?;
        let mut words = Vec::new();
        self.test_words(node, &mut words)?;
        let is_double = self.text(node).starts_with("[[");
        let compares = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
        let is_number = |word: &Word| {
            let is_operator =
                word.text.starts_with('-') || ["!", "(", ")", "&&", "||", "<", ">"].contains(&&*word.text);
            word.kind == Kind::Literal && (is_operator || word.text.parse::<i64>().is_ok())
        };
        // Within double brackets the operands of a comparison of numbers are evaluated.
        let is_arithmetic = is_double && words.iter().any(|word| compares.contains(&&*word.text));
        if is_arithmetic && !words.iter().all(is_number) {
            return Err(NotUnderstood::because("its test evaluates arithmetic"));
        }
        let mut simple = self.simple(node, dirs);
        simple.words = vec![Word::literal("test")];
        simple.words.extend(words);
        self.commands.push(simple);
        Ok(After::unchanged(dirs))
    }

    /// The words of a test, without its brackets.
    fn test_words(&self, node: Node<'_>, words: &mut Vec<Word>) -> Walked<()> {
        for child in self.children(node)? {
            match child.kind() {
                "[" | "]" | "[[" | "]]" => {}
                "unary_expression" | "binary_expression" | "negated_expression" | "parenthesized_expression" => {
                    self.test_words(child, words)?;
                }
                "test_operator" => words.push(Word::literal(self.text(child))),
                "regex" | "extglob_pattern" => words.push(Word::literal("pattern")),
                _ if child.is_named() => words.extend(self.word(child)?),
                _ => words.push(Word::literal(self.text(child))),
            }
        }
        Ok(())
    }

    fn command(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let mut simple = self.simple(node, &dirs);
        let mut statements = Vec::new();
        for child in self.children(node)? {
            match child.kind() {
                "variable_assignment" => simple.assignments.push(self.assignment(child, &dirs, true)?),
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    self.redirect(child, &dirs, &mut simple.redirects, &mut statements)?;
                }
                "command_name" => {
                    self.substitutions(child, &dirs)?;
                    simple.words.extend(self.word(child)?);
                }
                _ => {
                    self.substitutions(child, &dirs)?;
                    simple.words.extend(self.word(child)?);
                }
            }
        }
        if !statements.is_empty() {
            return Err(NotUnderstood::because("a here-document of an unknown form"));
        }
        let after = self.change_dir(&simple, &dirs);
        self.commands.push(simple);
        Ok(after)
    }

    /// Where `cd` and its kin may lead. A failed `cd` stays.
    fn change_dir(&self, simple: &Simple, dirs: &Dirs) -> After {
        let words: Vec<Option<&str>> = simple.words.iter().map(Word::as_literal).collect();
        let skip = usize::from(words.first() == Some(&Some("builtin")) || words.first() == Some(&Some("command")));
        let mut ok = Dirs::default();
        match words.get(skip..).unwrap_or_default() {
            [Some("cd")] | [Some("cd"), Some("--")] => match self.home {
                Some(home) => ok = Dirs::one(home.to_owned()),
                None => ok.or_unknown = true,
            },
            [Some("cd" | "pushd"), Some(target)] | [Some("cd" | "pushd"), Some("--"), Some(target)]
                if !target.starts_with(['-', '+']) =>
            {
                let moved = dirs.known.iter().flat_map(|dir| paths::after_cd(dir, target, self.home));
                moved.for_each(|dir| ok = std::mem::take(&mut ok).or(&Dirs::one(dir)));
                ok.or_unknown |= dirs.or_unknown && !Path::new(target).is_absolute();
            }
            [Some("cd" | "pushd" | "popd"), ..] => ok = Dirs::unknown(),
            _ => return After::unchanged(dirs),
        }
        After { ok, failed: dirs.clone() }
    }

    pub(super) fn simple(&self, node: Node<'_>, dirs: &Dirs) -> Simple {
        let text = self.original.get(node.byte_range()).unwrap_or_default().to_owned();
        Simple { text, assignments: Vec::new(), words: Vec::new(), redirects: Vec::new(), dirs: dirs.clone() }
    }

    pub(super) fn word(&self, node: Node<'_>) -> Walked<Vec<Word>> {
        let mut words = word::read(self.text(node), &self.variables)?;
        // Quotes around the whole keep it one word, whatever is in it.
        let is_list = ["$@", "${@", "[@]"].iter().any(|list| self.text(node).contains(list));
        if node.kind() == "string" && !is_list {
            words.iter_mut().filter(|word| word.kind == Kind::Unknown).for_each(|word| word.kind = Kind::Text);
        }
        Ok(words)
    }

    /// The text of a node that no part of it accounts for: what lies between its parts, and parts that are plain text.
    fn plain_text(&self, node: Node<'_>) -> String {
        let between = |from: usize, to: usize| self.source.get(from..to).unwrap_or_default();
        let mut at = node.start_byte();
        let mut plain = String::new();
        for child in node.children(&mut node.walk()) {
            plain.push_str(between(at, child.start_byte()));
            let is_literal = matches!(child.kind(), "raw_string" | "ansi_c_string" | "comment");
            let is_text = child.child_count() == 0 && !is_literal;
            plain.push_str(if is_text { self.text(child) } else { " " });
            at = child.end_byte();
        }
        plain.push_str(between(at, node.end_byte()));
        plain
    }

    /// Walks the commands of all substitutions below a node, and refuses expansions that evaluate data.
    pub(super) fn substitutions(&mut self, node: Node<'_>, dirs: &Dirs) -> Walked<()> {
        match node.kind() {
            "command_substitution" | "process_substitution" => return self.substitution(node, dirs),
            "arithmetic_expansion" if !text::is_plain_arithmetic(self.text(node)) => {
                return Err(NotUnderstood::because("it evaluates arithmetic on variables"));
            }
            "expansion" if !text::is_plain_expansion(self.text(node)) => {
                return Err(NotUnderstood::because("it uses an expansion that is not judged"));
            }
            "raw_string" | "ansi_c_string" | "comment" | "heredoc_start" | "heredoc_end" => return Ok(()),
            "simple_expansion" if !text::is_plain_variable(self.text(node)) => {
                return Err(NotUnderstood::because("a variable's name was not parsed"));
            }
            "simple_expansion" | "expansion" if text::names_secret(self.text(node)) => {
                let mut simple = self.simple(node, dirs);
                simple.words = vec![Word::literal("printenv")];
                self.commands.push(simple);
            }
            _ => {}
        }
        let children: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
        if node.is_named() && node.kind() != "arithmetic_expansion" && text::hides_substitution(&self.plain_text(node))
        {
            return Err(NotUnderstood::because("a substitution in it was not parsed"));
        }
        children.into_iter().try_for_each(|child| self.substitutions(child, dirs))
    }

    /// `$(…)`, `` `…` ``, `<(…)`; `$(< file)` reads a file.
    fn substitution(&mut self, node: Node<'_>, dirs: &Dirs) -> Walked<()> {
        if self.text(node).starts_with('`') && self.text(node).contains('\\') {
            return Err(NotUnderstood::because("its backquotes are nested"));
        }
        let mut current = dirs.clone();
        let mut redirects = Vec::new();
        for child in self.children(node)? {
            match child.kind() {
                "$(" | "`" | ")" | "<(" | ">(" | ";" | "\n" | "&" | "comment" => {}
                "file_redirect" => self.redirect(child, dirs, &mut redirects, &mut Vec::new())?,
                _ => current = self.statement(child, current)?.either(),
            }
        }
        if !redirects.is_empty() {
            let simple = Simple { redirects, ..self.simple(node, dirs) };
            self.commands.push(simple);
        }
        Ok(())
    }
}

impl Dirs {
    /// Beside the shell, a statement's `cd` does not count; conservatively, both may be current.
    fn or_unless_same(self, before: &Dirs, is_beside: bool) -> Dirs {
        if is_beside { self.or(before) } else { self }
    }
}
