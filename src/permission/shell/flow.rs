//! The shell's flow: lists, pipelines, conditions, loops and choices, with the directories that each may leave behind.

use tree_sitter::Node;

use super::super::paths;
use super::text::may_assign;
use super::walk::{After, Walk, Walked};
use super::word::{Kind, Value, Word};
use super::{Assignment, Dirs, NotUnderstood};

impl Walk<'_> {
    pub(super) fn list(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
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
    pub(super) fn pipeline(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        for child in self.children(node)? {
            if !matches!(child.kind(), "|" | "|&") {
                self.statement(child, dirs.clone())?;
            }
        }
        Ok(After::unchanged(&dirs))
    }

    pub(super) fn conditional(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
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

    pub(super) fn while_loop(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
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
    pub(super) fn next_round(&self, before: &Dirs, after: Dirs, round: usize) -> Dirs {
        let moved = after.or_unknown || after.known.iter().any(|dir| !before.known.contains(dir));
        if moved && round > 0 { Dirs::unknown().or(before).or(&after) } else { before.clone().or(&after) }
    }

    pub(super) fn for_loop(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let name = node.child_by_field_name("variable").map(|name| self.text(name).to_owned());
        let name = name.ok_or_else(|| NotUnderstood::because("a loop without a variable"))?;
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
        let is_tracked = are_known && !values.is_empty() && !may_assign(self.text(body), &name);
        let outer = if is_tracked { self.variables.insert(name.clone(), values) } else { self.variables.remove(&name) };
        let mut start = dirs.clone();
        for round in 0..2 {
            let end = self.statement(body, start)?.either();
            start = self.next_round(&dirs, end, round);
        }
        match outer {
            Some(outer) => self.variables.insert(name, outer),
            None => self.variables.remove(&name),
        };
        Ok(After::unchanged(&start))
    }

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
        if !self.is_beside(at) && !may_assign(&others, name) && !text.contains('~') {
            self.variables.insert(name.to_owned(), vec![Value { text: text.clone(), is_glob: false, is_only: true }]);
        }
    }

    pub(super) fn case(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
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
}
