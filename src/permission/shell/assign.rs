//! Variables in the walk: what assignments and declarations set, and the values that are known from then on.

use tree_sitter::Node;

use super::super::paths;
use super::walk::{After, Walk, Walked};
use super::word::{Kind, Value, Word};
use super::{Assignment, Dirs, NotUnderstood, text};

impl Walk<'_> {
    /// A variable that a construct of the shell sets; whether that is harmless is judged as for an assignment.
    pub(super) fn sets(&mut self, node: Node<'_>, name: &str, dirs: &Dirs) {
        let mut simple = self.simple(node, dirs);
        let name = name.to_owned();
        simple.text = name.clone();
        simple.assignments = vec![Assignment { name, is_literal: true, is_environment: false }];
        self.commands.push(simple);
    }

    /// Whether a word can be a variable's value that is put in where the variable is named. Names with blanks would
    /// become several words there, and a tilde is expanded before.
    pub(super) fn is_value(&self, word: &Word, dirs: &Dirs) -> bool {
        let is_one = |path: &String| !path.contains([' ', '\t', '\n', '*', '?', '[', '\\']);
        match word.kind {
            _ if word.text.starts_with('~') => false,
            Kind::Literal | Kind::Variable => true,
            Kind::Glob => {
                let matches = |dir| paths::expand_glob(dir, &word.text, self.home).named;
                dirs.known.iter().all(|dir| matches(dir).iter().all(is_one)) && !dirs.or_unknown
            }
            Kind::Stream | Kind::Found | Kind::Text | Kind::Unknown => false,
        }
    }

    /// Remembers the value of a variable that is set once, certainly, to a plain text.
    pub(super) fn remember(&mut self, node: Node<'_>, name: &str, words: &[Word]) {
        let [Word { text, kind: Kind::Literal }] = words else { return };
        let mut at = node;
        while let Some(parent) = at.parent().filter(|parent| parent.kind() != "program") {
            let is_first = parent.child(0) == Some(at);
            if !(parent.kind() == "variable_assignments" || (parent.kind() == "list" && is_first)) {
                return;
            }
            at = parent;
        }
        let others = self.source.replacen(&format!("{name}="), "", 1);
        if !self.is_beside(at) && !text::may_assign(&others, name) && !text.contains('~') {
            self.variables.insert(name.to_owned(), vec![Value { text: text.clone(), is_glob: false, is_only: true }]);
        }
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
}
