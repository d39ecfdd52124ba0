//! Redirections and here-documents of the walk.

use tree_sitter::Node;

use super::walk::{After, Walk, Walked};
use super::{Dirs, NotUnderstood, Redirect, Simple, heredoc};

impl Walk<'_> {
    pub(super) fn redirected(&mut self, node: Node<'_>, dirs: Dirs) -> Walked<After> {
        let body = node.child_by_field_name("body");
        let first = self.commands.len();
        let mut redirects = Vec::new();
        let mut extra = Vec::new();
        for child in self.children(node)? {
            if Some(child) != body {
                self.redirect(child, &dirs, &mut redirects, &mut extra)?;
            }
        }
        let after = match body {
            Some(body) => self.statement(body, dirs.clone())?,
            None => {
                let simple = self.simple(node, &dirs);
                self.commands.push(simple);
                After::unchanged(&dirs)
            }
        };
        // The files are opened where the statement starts, whatever it does inside.
        let holder = Simple { redirects, ..self.simple(node, &dirs) };
        if !holder.redirects.is_empty() {
            self.commands.insert(first.min(self.commands.len()), holder);
        }
        let mut current = after;
        for statement in extra {
            let end = self.statement(statement, current.either())?;
            current = end;
        }
        Ok(current)
    }

    pub(super) fn redirect<'t>(
        &mut self,
        node: Node<'t>,
        dirs: &Dirs,
        redirects: &mut Vec<Redirect>,
        statements: &mut Vec<Node<'t>>,
    ) -> Walked<()> {
        match node.kind() {
            "file_redirect" => {
                let children = self.children(node)?;
                let operator = children.iter().find(|child| !child.is_named()).map_or("", |child| child.kind());
                self.only_known(node, &["destination", "descriptor"])?;
                for target in node.children_by_field_name("destination", &mut node.walk()) {
                    self.substitutions(target, dirs)?;
                    let targets = self.word(target)?;
                    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '-');
                    let is_copy = matches!(operator, ">&" | "<&" | ">&-" | "<&-")
                        && targets.iter().all(|word| word.as_literal().is_some_and(is_number));
                    if !is_copy {
                        redirects.push(Redirect { writes: operator != "<", targets });
                    }
                }
                Ok(())
            }
            "herestring_redirect" => self.substitutions(node, dirs),
            "heredoc_redirect" => self.heredoc(node, dirs, redirects, statements),
            other => Err(NotUnderstood::because(format!("an unknown redirection ({other})"))),
        }
    }

    /// The text of a here-document is data, but substitutions in it run. What follows on its first line is
    /// part of the command.
    pub(super) fn heredoc<'t>(
        &mut self,
        node: Node<'t>,
        dirs: &Dirs,
        redirects: &mut Vec<Redirect>,
        statements: &mut Vec<Node<'t>>,
    ) -> Walked<()> {
        heredoc::check_end(node, self.source)?;
        for child in node.children(&mut node.walk()) {
            match child.kind() {
                "heredoc_start" | "heredoc_end" | "file_descriptor" | "<<" | "<<-" | "&&" | "||" | "|" | "|&" => {}
                "heredoc_body" => self.substitutions(child, dirs)?,
                "file_redirect" => self.redirect(child, dirs, redirects, statements)?,
                "command" | "pipeline" | "list" | "redirected_statement" | "subshell" | "compound_statement" => {
                    statements.push(child);
                }
                other => return Err(NotUnderstood::because(format!("a here-document of an unknown form ({other})"))),
            }
        }
        Ok(())
    }
}
