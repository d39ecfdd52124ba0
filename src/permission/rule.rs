//! Rules: `tool` or `tool(pattern)`, as people write them, and what they match.

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;

use super::paths::{self, Resolved};
use crate::workspace::Workspace;

/// A rule, read.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// As it was written.
    pub(super) text: String,
    tool: String,
    pattern: Option<String>,
    command: Option<Regex>,
}

/// A rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "rule \"{rule}\": {problem}; a rule is TOOL or TOOL(PATTERN), such as 'bash(cargo test *)' or 'edit_file(src/**)'"
)]
pub struct RuleError {
    /// The rule.
    pub rule: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Rule {
    /// Reads a rule.
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        let problem = |problem: &str| RuleError { rule: text.to_owned(), problem: problem.to_owned() };
        let trimmed = text.trim();
        let (tool, pattern) = match trimmed.split_once('(') {
            Some((tool, rest)) => {
                let inner = rest.strip_suffix(')').ok_or_else(|| problem("the closing parenthesis is missing"))?;
                (tool, Some(inner.trim().to_owned()))
            }
            None => (trimmed, None),
        };
        let is_name =
            !tool.is_empty() && tool.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.'));
        if !is_name {
            return Err(problem("the tool's name is missing or odd"));
        }
        if pattern.as_deref() == Some("") {
            return Err(problem("the pattern is empty"));
        }
        let pattern = pattern.filter(|pattern| pattern != "*");
        let tool = canonical(tool);
        let command = match (&pattern, tool.as_str()) {
            (Some(pattern), "bash") => Some(command_regex(pattern).map_err(|_| problem("the pattern cannot be read"))?),
            (Some(pattern), "read_file" | "write_file" | "edit_file" | "glob" | "grep") => {
                GlobBuilder::new(pattern).build().map_err(|error| problem(&error.kind().to_string()))?;
                None
            }
            _ => None,
        };
        Ok(Self { text: trimmed.to_owned(), tool, pattern, command })
    }

    /// Whether the rule is about this tool, whatever its pattern says.
    pub(super) fn is_for(&self, tool: &str) -> bool {
        let tool = canonical(tool);
        let of_server =
            self.tool.starts_with("mcp__") && tool.strip_prefix(&self.tool).is_some_and(|rest| rest.starts_with("__"));
        let by_star = self.tool.strip_suffix('*').is_some_and(|start| tool.starts_with(start));
        self.tool == tool || of_server || by_star
    }

    /// Whether it is about the tool as a whole.
    pub(super) fn is_bare(&self) -> bool {
        self.pattern.is_none()
    }

    /// Whether it matches a simple command, given as one line.
    pub(super) fn matches_command(&self, line: &str) -> bool {
        self.tool == "bash" && self.command.as_ref().is_none_or(|command| command.is_match(line))
    }

    /// Whether it matches a path. To allow, it must match the path as written and where it leads; to forbid, one
    /// of them is enough.
    pub(super) fn matches_path(&self, path: &Resolved, workspace: &Workspace, to_allow: bool) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        let globs = path_globs(pattern, workspace, to_allow);
        let is_match = |path: &std::path::Path| globs.iter().any(|glob| glob.is_match(path));
        if to_allow {
            is_match(&path.named) && is_match(&path.real)
        } else {
            is_match(&path.named) || is_match(&path.real)
        }
    }

    /// Whether it matches a web host.
    pub(super) fn matches_host(&self, host: &str) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        let Some(domain) = pattern.strip_prefix("domain:") else { return false };
        let domain = domain.trim_end_matches('.').to_ascii_lowercase();
        match domain.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|sub| sub.ends_with('.')),
            None => host == domain,
        }
    }

    /// Whether the rule names a secret or protected path itself, so that it is meant for it.
    pub(super) fn names_protected(&self) -> bool {
        self.pattern.as_deref().is_some_and(|pattern| {
            let path = std::path::Path::new(pattern);
            paths::is_secret(path) || paths::runs_later(path)
        })
    }

    /// Whether the rule is a command without a wildcard, so that it is meant for exactly that.
    pub(super) fn is_exact_command(&self) -> bool {
        self.tool == "bash" && self.pattern.as_deref().is_some_and(|pattern| !pattern.contains('*'))
    }

    /// The fixed part in front of a path pattern, below the workspace, if it has one.
    pub(super) fn path_base(&self, workspace: &Workspace) -> Option<std::path::PathBuf> {
        let pattern = self.pattern.as_deref()?;
        let fixed: Vec<&str> = pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
        let has_base = pattern.contains('/') && !fixed.is_empty();
        has_base.then(|| paths::resolve(workspace.root(), &fixed.join("/"), workspace.home()).named)
    }
}

/// Tool names without regard to case, with Claude Code's names as aliases.
pub(super) fn canonical(tool: &str) -> String {
    let lower = tool.to_ascii_lowercase();
    let name = match lower.as_str() {
        "read" => "read_file",
        "write" => "write_file",
        "edit" | "multiedit" => "edit_file",
        "webfetch" => "web_fetch",
        "todowrite" => "todo_write",
        other => return other.to_owned(),
    };
    name.to_owned()
}

/// A command pattern: `*` is any text within one command, a last ` *` or `:*` covers the bare command too.
fn command_regex(pattern: &str) -> Result<Regex, regex::Error> {
    let pattern = pattern.split_whitespace().collect::<Vec<_>>().join(" ");
    let (head, tail) = match pattern.strip_suffix(" *").or_else(|| pattern.strip_suffix(":*")) {
        Some(head) => (head, r"(\s.*)?"),
        None => (pattern.as_str(), ""),
    };
    let body: Vec<String> = head.split('*').map(regex::escape).collect();
    Regex::new(&format!("(?s)^{}{tail}$", body.join(".*")))
}

/// A path pattern as gitignore reads it: without a slash at any depth, else from the workspace; a directory
/// stands for all below it. To forbid, a pattern without a slash holds everywhere.
fn path_globs(pattern: &str, workspace: &Workspace, to_allow: bool) -> Vec<GlobMatcher> {
    let root = escape(&workspace.root().to_string_lossy());
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    let anchored = match pattern.strip_prefix('~') {
        Some(rest) => {
            let home = workspace.home().map(|home| escape(&home.to_string_lossy())).unwrap_or_default();
            format!("{home}{rest}")
        }
        None if pattern.starts_with("//") => pattern[1..].to_owned(),
        None if pattern.starts_with('/') => pattern.to_owned(),
        None if pattern.starts_with("**") || !pattern.contains('/') => {
            let start = if to_allow { root.as_str() } else { "" };
            format!("{start}/**/{}", pattern.strip_prefix("**/").unwrap_or(pattern))
        }
        None => format!("{root}/{pattern}"),
    };
    let build =
        |glob: String| GlobBuilder::new(&glob).literal_separator(true).build().ok().map(|glob| glob.compile_matcher());
    [anchored.clone(), format!("{anchored}/**")].into_iter().filter_map(build).collect()
}

fn escape(path: &str) -> String {
    globset::escape(path)
}
