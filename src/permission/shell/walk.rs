//! From a command line to its simple commands: a walk over the syntax tree that knows a list of constructs and
//! refuses the rest. Follows which directories may be current, through `cd` and its failures.

use std::path::Path;

use tree_sitter::{Node, Parser};

use super::super::paths;
use super::text::{hides_substitution, is_odd, is_plain_arithmetic, is_plain_expansion, names_secret, splits_token};
use super::word::{self, Kind, Variables, Word};
use super::{Assignment, Dirs, NotUnderstood, Simple, heredoc};

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
    if let Some(odd) = command.chars().find(|c| is_odd(*c)) {
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
    if splits_token(&source) {
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
    pub(super) original: &'a str,
    pub(super) home: Option<&'a Path>,
    pub(super) commands: Vec<Simple>,
    pub(super) variables: Variables,
    pub(super) depth: usize,
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
            let is_letter =
                child.kind() == "comment" && before.is_some_and(|c| !c.is_whitespace() && !";&|()".contains(c));
            if !gap.trim_matches([' ', '\t', '\n']).is_empty() || is_broken || is_letter {
                return Err(NotUnderstood::because("part of it was not parsed"));
            }
            at = child.end_byte();
        }
        Ok(children)
    }

    /// Statements one after the other; `&` runs one beside the shell.
    pub(super) fn sequence(&mut self, node: Node<'_>, mut dirs: Dirs) -> Walked<Dirs> {
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
                let inner = node.named_child(0).ok_or_else(|| NotUnderstood::because("nothing is negated"))?;
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

    pub(super) fn assignments(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let mut simple = self.simple(node, &dirs);
        let each = if node.kind() == "variable_assignment" { vec![node] } else { self.children(node)? };
        for assignment in each {
            simple.assignments.push(self.assignment(assignment, &dirs, false)?);
        }
        self.commands.push(simple);
        Ok(After::unchanged(&dirs))
    }

    pub(super) fn assignment(&mut self, node: Node<'_>, dirs: &Dirs, is_environment: bool) -> Walked<Assignment> {
        self.substitutions(node, dirs)?;
        let name = node.child_by_field_name("name").filter(|name| name.kind() == "variable_name");
        let name = name.ok_or_else(|| NotUnderstood::because("it assigns to an element of an array"))?;
        let name = self.text(name).to_owned();
        self.variables.remove(&name);
        let is_literal = match node.child_by_field_name("value") {
            Some(value) if value.kind() != "array" => {
                let words = self.word(value)?;
                if !is_environment {
                    self.remember(node, &name, &words);
                }
                words.iter().all(|word| word.kind == Kind::Literal)
            }
            Some(_) => false,
            None => true,
        };
        Ok(Assignment { name, is_literal, is_environment })
    }

    /// `[ … ]` and `[[ … ]]` only look, but arithmetic and subscripts in their words can run commands.
    pub(super) fn test(&mut self, node: Node<'_>, dirs: &Dirs) -> Walked<After> {
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
    pub(super) fn test_words(&self, node: Node<'_>, words: &mut Vec<Word>) -> Walked<()> {
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

    pub(super) fn declaration(&mut self, node: Node<'_>, dirs: &Dirs) -> Walked<After> {
        let mut simple = self.simple(node, dirs);
        for child in self.children(node)? {
            match child.kind() {
                "variable_assignment" => simple.assignments.push(self.assignment(child, dirs, true)?),
                "variable_name" => simple.words.push(Word::literal(self.text(child))),
                _ if child.is_named() => {
                    self.substitutions(child, dirs)?;
                    simple.words.extend(self.word(child)?);
                }
                _ => simple.words.push(Word::literal(self.text(child))),
            }
        }
        if simple.words.len() == 1 && !simple.assignments.is_empty() {
            simple.words.clear();
        }
        self.commands.push(simple);
        Ok(After::unchanged(dirs))
    }

    pub(super) fn command(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
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
    pub(super) fn change_dir(&self, simple: &Simple, dirs: &Dirs) -> After {
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

    /// Walks the commands of all substitutions below a node, and refuses expansions that evaluate data.
    pub(super) fn substitutions(&mut self, node: Node<'_>, dirs: &Dirs) -> Walked<()> {
        match node.kind() {
            "command_substitution" | "process_substitution" => return self.substitution(node, dirs),
            "arithmetic_expansion" if !is_plain_arithmetic(self.text(node)) => {
                return Err(NotUnderstood::because("it evaluates arithmetic on variables"));
            }
            "expansion" if !is_plain_expansion(self.text(node)) => {
                return Err(NotUnderstood::because("it uses an expansion that is not judged"));
            }
            "raw_string" | "ansi_c_string" | "comment" | "heredoc_start" | "heredoc_end" => return Ok(()),
            "simple_expansion" | "expansion" if names_secret(self.text(node)) => {
                let mut simple = self.simple(node, dirs);
                simple.words = vec![Word::literal("printenv")];
                self.commands.push(simple);
            }
            _ => {}
        }
        let children: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
        let mut at = node.start_byte();
        let mut plain = String::new();
        for child in &children {
            plain.push_str(self.source.get(at..child.start_byte()).unwrap_or_default());
            at = child.end_byte();
        }
        plain.push_str(self.source.get(at..node.end_byte()).unwrap_or_default());
        if node.is_named() && hides_substitution(&plain) {
            return Err(NotUnderstood::because("a substitution in it was not parsed"));
        }
        children.into_iter().try_for_each(|child| self.substitutions(child, dirs))
    }

    /// `$(…)`, `` `…` ``, `<(…)`; `$(< file)` reads a file.
    pub(super) fn substitution(&mut self, node: Node<'_>, dirs: &Dirs) -> Walked<()> {
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
    pub(super) fn or_unless_same(self, before: &Dirs, is_beside: bool) -> Dirs {
        if is_beside { self.or(before) } else { self }
    }
}
