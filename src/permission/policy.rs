//! The decision: deny rules, ask rules, what is asked about in every mode, allow rules, the mode.
//!
//! A pure function of rules, mode, call and file system. A command is as severe as its most severe part, so that
//! adding a part never loosens it.

use std::path::{Path, PathBuf};

use super::command::{self, Effect, Part as ShellPart};
use super::paths::{self, Resolved};
use super::rule::{Rule, RuleError};
use super::shell::{Kind, Word};
use super::{Decision, Judgement, Mode, Part, suggest};
use crate::access::Access;
use crate::workspace::Workspace;

/// The rules and the mode in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The mode in force.
    pub mode: Mode,
    allow: Vec<Rule>,
    ask: Vec<Rule>,
    deny: Vec<Rule>,
}

/// What is decided of a part, and by what.
#[derive(Debug, Clone)]
struct Finding {
    decision: Decision,
    reason: String,
    rule: Option<String>,
}

impl Finding {
    fn new(decision: Decision, reason: impl Into<String>) -> Self {
        Self { decision, reason: reason.into(), rule: None }
    }

    fn by_rule(decision: Decision, rule: &Rule) -> Self {
        let word = match decision {
            Decision::Allow => "allowed",
            Decision::Ask => "asked about",
            Decision::Deny => "denied",
        };
        Self { decision, reason: format!("{word} by the rule {}", rule.text), rule: Some(rule.text.clone()) }
    }
}

/// The most severe finding; the first of equals.
fn worst(findings: impl IntoIterator<Item = Finding>) -> Finding {
    let start = Finding::new(Decision::Allow, "it only reads in the workspace");
    let mut findings = findings.into_iter();
    let first = findings.next().unwrap_or(start);
    findings.fold(first, |worst, next| if next.decision > worst.decision { next } else { worst })
}

/// How a path is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touch {
    Read,
    Write,
}

impl Policy {
    /// A policy from rules as they are written in flags and configuration.
    ///
    /// # Errors
    /// A rule that cannot be read, with what is wrong.
    pub fn new(mode: Mode, allow: &[String], ask: &[String], deny: &[String]) -> Result<Self, RuleError> {
        let read = |rules: &[String]| rules.iter().map(|rule| Rule::parse(rule)).collect::<Result<Vec<_>, _>>();
        Ok(Self { mode, allow: read(allow)?, ask: read(ask)?, deny: read(deny)? })
    }

    /// Adds an allow rule ("always" answers); one that cannot be read is left out.
    pub fn allow(&mut self, rule: &str) {
        self.allow.extend(Rule::parse(rule));
    }

    /// Judges a call of `tool` by what it would do.
    pub fn judge(&self, tool: &str, accesses: &[Access], workspace: &Workspace) -> Judgement {
        let mut parts = Vec::new();
        let mut suggested = None;
        let finding =
            worst(accesses.iter().map(|access| self.access(tool, access, workspace, &mut parts, &mut suggested)));
        let suggested_rule = suggested.filter(|_| finding.decision == Decision::Ask);
        let suggested_rule = suggested_rule.filter(|rule| self.would_allow(rule, tool, accesses, workspace));
        let Finding { decision, reason, rule } = finding;
        Judgement { decision, reason, rule, parts, suggested_rule }
    }

    /// Whether a further allow rule lets this very call through.
    fn would_allow(&self, rule: &str, tool: &str, accesses: &[Access], workspace: &Workspace) -> bool {
        let mut wider = self.clone();
        wider.allow(rule);
        let findings = accesses.iter().map(|access| wider.access(tool, access, workspace, &mut Vec::new(), &mut None));
        worst(findings).decision == Decision::Allow
    }

    fn access(
        &self,
        tool: &str,
        access: &Access,
        workspace: &Workspace,
        parts: &mut Vec<Part>,
        suggested: &mut Option<String>,
    ) -> Finding {
        match access {
            Access::Run { command, cwd } => self.command(command, cwd, workspace, parts, suggested),
            Access::Read(path) => self.tool_path(tool, path, Touch::Read, workspace, suggested),
            Access::Write(path) => self.tool_path(tool, path, Touch::Write, workspace, suggested),
            Access::Search { root, pattern } => self.search(tool, root, pattern.as_deref(), workspace, suggested),
            Access::Fetch(url) => self.fetch(tool, url, suggested),
            Access::Nothing => {
                self.plain(tool, Finding::new(Decision::Allow, "it touches nothing outside the conversation"))
            }
            Access::Unknown => {
                *suggested = Some(tool.to_owned());
                self.plain(tool, self.by_mode_unknown(format!("{tool} is not known to only read")))
            }
        }
    }

    /// A call that rules can only name as a whole.
    fn plain(&self, tool: &str, otherwise: Finding) -> Finding {
        self.by_rules(|rule| rule.is_for(tool), true).unwrap_or(otherwise)
    }

    /// The first of deny, ask and, where they may loosen, allow rules that match.
    fn by_rules(&self, matches: impl Fn(&Rule) -> bool, may_allow: bool) -> Option<Finding> {
        let find = |rules: &[Rule], decision| {
            rules.iter().find(|rule| matches(rule)).map(|rule| Finding::by_rule(decision, rule))
        };
        let forbidden = find(&self.deny, Decision::Deny).or_else(|| find(&self.ask, Decision::Ask));
        let is_open = may_allow && self.mode != Mode::Plan;
        forbidden.or_else(|| is_open.then(|| find(&self.allow, Decision::Allow)).flatten())
    }

    /// What the mode says of something that is not known to be harmless.
    fn by_mode_unknown(&self, reason: String) -> Finding {
        match self.mode {
            Mode::Default | Mode::Auto => Finding::new(Decision::Ask, reason),
            Mode::Plan => Finding::new(Decision::Deny, format!("plan mode only reads: {reason}")),
            Mode::Bypass => Finding::new(Decision::Allow, "bypass mode runs everything"),
        }
    }

    fn tool_path(
        &self,
        tool: &str,
        path: &Path,
        touch: Touch,
        workspace: &Workspace,
        suggested: &mut Option<String>,
    ) -> Finding {
        let resolved = paths::resolve(workspace.root(), &path.to_string_lossy(), workspace.home());
        let finding = self.path(&[tool], &resolved, touch, workspace);
        if finding.decision == Decision::Ask {
            *suggested = Some(format!("{tool}({})", workspace.display(&resolved.named)));
        }
        finding
    }

    /// A path, touched by one of these tools' names.
    fn path(&self, tools: &[&str], path: &Resolved, touch: Touch, workspace: &Workspace) -> Finding {
        let is_for = |rule: &Rule| tools.iter().any(|tool| rule.is_for(tool));
        let forbids = |rule: &Rule| is_for(rule) && rule.matches_path(path, workspace, false);
        if let Some(finding) = self.by_rules(forbids, false) {
            return finding;
        }
        if self.mode == Mode::Bypass {
            return Finding::new(Decision::Allow, "bypass mode runs everything");
        }
        if self.mode == Mode::Plan && touch == Touch::Write {
            return Finding::new(Decision::Deny, "plan mode only reads; this would change a file");
        }
        let protected = protection(path, touch, workspace);
        let may_allow = |rule: &&Rule| {
            is_for(rule) && rule.matches_path(path, workspace, true) && (protected.is_none() || rule.names_protected())
        };
        // Plan's hard limits come before allow rules, but reading is not among them.
        if let Some(rule) = self.allow.iter().find(may_allow) {
            return Finding::by_rule(Decision::Allow, rule);
        }
        let shown = workspace.display(&path.named);
        let is_inside = match touch {
            Touch::Read => paths::is_readable(path, workspace),
            Touch::Write => paths::is_inside(path, workspace),
        };
        match (protected, is_inside, touch) {
            (Some(reason), _, _) => Finding::new(Decision::Ask, reason),
            (None, false, Touch::Read) => {
                Finding::new(Decision::Ask, format!("it reads outside the workspace: {shown}"))
            }
            (None, false, Touch::Write) => {
                Finding::new(Decision::Ask, format!("it writes outside the workspace: {shown}"))
            }
            (None, true, Touch::Read) => Finding::new(Decision::Allow, "it only reads in the workspace"),
            (None, true, Touch::Write) if self.mode == Mode::Auto => {
                Finding::new(Decision::Allow, "auto mode edits in the workspace")
            }
            (None, true, Touch::Write) => Finding::new(Decision::Ask, format!("it changes {shown}")),
        }
    }

    /// A search reads below its root; a pattern may lead out of it.
    fn search(
        &self,
        tool: &str,
        root: &Path,
        pattern: Option<&str>,
        workspace: &Workspace,
        suggested: &mut Option<String>,
    ) -> Finding {
        let text = root.to_string_lossy();
        let pattern = pattern.map(|pattern| pattern.trim_start_matches("./")).unwrap_or_default();
        let fixed: Vec<&str> = pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
        let leaves = pattern.split('/').any(|part| part == "..") || pattern.starts_with(['/', '~']);
        let start = if leaves {
            paths::resolve(root, &fixed.join("/"), workspace.home())
        } else {
            paths::resolve(workspace.root(), &text, workspace.home())
        };
        let finding = self.path(&[tool, "read_file"], &start, Touch::Read, workspace);
        if finding.decision != Decision::Allow || self.mode == Mode::Bypass {
            if finding.decision == Decision::Ask {
                *suggested = Some(format!("{tool}({})", workspace.display(&start.named)));
            }
            return finding;
        }
        if pattern.split('/').any(|part| !part.is_empty() && paths::may_match_secret(part)) {
            return self.plain(tool, Finding::new(Decision::Ask, "it searches files of a kind that holds secrets"));
        }
        self.below(&start, workspace).unwrap_or(finding)
    }

    /// A deny or ask rule for reading something below a directory that is read as a whole.
    fn below(&self, start: &Resolved, workspace: &Workspace) -> Option<Finding> {
        let covers = |rule: &&Rule| {
            rule.is_for("read_file")
                && rule.path_base(workspace).is_some_and(|base| base.starts_with(&start.named) && base.exists())
        };
        let mut rules = self.deny.iter().chain(&self.ask);
        rules.find(covers).map(|rule| Finding {
            decision: Decision::Ask,
            reason: format!("it reads below a directory that holds what the rule {} is about", rule.text),
            rule: Some(rule.text.clone()),
        })
    }

    fn fetch(&self, tool: &str, url: &str, suggested: &mut Option<String>) -> Finding {
        let parsed = reqwest::Url::parse(url).ok();
        let host =
            parsed.as_ref().and_then(|url| url.host_str()).map(|host| host.trim_end_matches('.').to_ascii_lowercase());
        let is_web = parsed.as_ref().is_some_and(|url| matches!(url.scheme(), "http" | "https"));
        let (Some(host), true) = (host, is_web) else {
            let finding = self.by_mode_unknown(format!("{url} is not an address of the web"));
            return self.by_rules(|rule| rule.is_for(tool) && rule.is_bare(), false).unwrap_or(finding);
        };
        *suggested = Some(format!("{tool}(domain:{host})"));
        let has_password = parsed.is_some_and(|url| !url.username().is_empty() || url.password().is_some());
        let matches = |rule: &Rule| rule.is_for(tool) && rule.matches_host(&host);
        if let Some(finding) = self.by_rules(matches, !has_password) {
            return finding;
        }
        let by_mode = match self.mode {
            Mode::Bypass => Finding::new(Decision::Allow, "bypass mode runs everything"),
            _ => Finding::new(Decision::Ask, format!("it fetches from {host}")),
        };
        // Fetching is reading: plan mode's allow rules hold.
        let allowed = self.allow.iter().find(|rule| matches(rule) && !has_password);
        allowed.map_or(by_mode, |rule| Finding::by_rule(Decision::Allow, rule))
    }

    fn command(
        &self,
        command: &str,
        cwd: &Path,
        workspace: &Workspace,
        parts: &mut Vec<Part>,
        suggested: &mut Option<String>,
    ) -> Finding {
        let found = match command::parts(command, cwd, workspace.home()) {
            Ok(found) => found,
            Err(reason) => return self.not_understood(command, &reason.0),
        };
        let mut findings = Vec::new();
        let mut rules = Vec::new();
        for part in &found {
            let finding = self.part(part, workspace);
            if finding.decision == Decision::Ask {
                rules.push(suggest::rule(part));
            }
            let Finding { decision, reason, .. } = finding.clone();
            parts.push(Part { command: part.text.clone(), decision, reason });
            findings.push(finding);
        }
        rules.dedup();
        // One rule can let through one kind of part only.
        if let [Some(rule)] = rules.as_slice() {
            *suggested = Some(rule.clone());
        }
        worst(findings)
    }

    /// A command that cannot be taken apart is never allowed by a rule; a deny rule for the whole tool holds.
    fn not_understood(&self, command: &str, reason: &str) -> Finding {
        let whole = |rule: &Rule| rule.is_for("bash") && (rule.is_bare() || rule.matches_command(command.trim()));
        if let Some(finding) = self.by_rules(whole, false) {
            return finding;
        }
        if self.mode == Mode::Bypass && self.deny.iter().chain(&self.ask).any(|rule| rule.is_for("bash")) {
            return Finding::new(Decision::Ask, format!("{reason}, so that the rules cannot be checked"));
        }
        self.by_mode_unknown(reason.to_owned())
    }

    fn part(&self, part: &ShellPart, workspace: &Workspace) -> Finding {
        let matches = |rule: &Rule| rule.is_for("bash") && part.lines.iter().any(|line| rule.matches_command(line));
        let forbids = |rule: &Rule| rule.is_for("bash") && part.all_lines.iter().any(|line| rule.matches_command(line));
        if !part.lines.is_empty()
            && let Some(finding) = self.by_rules(forbids, false).or_else(|| self.mentioned(part, workspace))
        {
            return finding;
        }
        let hidden = self.deny.iter().chain(&self.ask).any(|rule| rule.is_for("bash") && !rule.is_bare());
        if part.is_opaque && hidden && self.mode != Mode::Plan {
            return Finding::new(Decision::Ask, "what it runs cannot be checked against the rules");
        }
        let allowed = self.allow.iter().find(|rule| !part.lines.is_empty() && matches(rule));
        let findings: Vec<Finding> =
            part.effects.iter().map(|effect| self.effect(effect, part, allowed, workspace)).collect();
        match (findings.is_empty(), allowed) {
            (true, _) => Finding::new(Decision::Allow, "it is known to be harmless"),
            (false, _) => worst(findings),
        }
    }

    /// A path rule that forbids what an unknown program is given.
    fn mentioned(&self, part: &ShellPart, workspace: &Workspace) -> Option<Finding> {
        let tools = ["read_file", "write_file", "edit_file"];
        let about_paths = |rule: &Rule| tools.iter().any(|tool| rule.is_for(tool)) && !rule.is_bare();
        if !self.deny.iter().chain(&self.ask).any(about_paths) {
            return None;
        }
        part.mentions.iter().find_map(|word| {
            let value = word.text.split_once('=').map_or(word.text.as_str(), |(_, value)| value);
            let paths = part.dirs.known.iter().map(|dir| paths::resolve(dir, value, workspace.home()));
            let mut paths = paths;
            paths.find_map(|path| {
                self.by_rules(|rule| about_paths(rule) && rule.matches_path(&path, workspace, false), false)
            })
        })
    }

    fn effect(&self, effect: &Effect, part: &ShellPart, allowed: Option<&Rule>, workspace: &Workspace) -> Finding {
        let by_rule = |rule: &Rule| Finding::by_rule(Decision::Allow, rule);
        let allowed_here = allowed.filter(|_| self.mode != Mode::Plan);
        match effect {
            Effect::Command(reason) if reason.starts_with("it sets ") || reason.starts_with("the value of ") => {
                self.by_mode_unknown(reason.clone())
            }
            Effect::Command(reason) => allowed_here.map_or_else(|| self.by_mode_unknown(reason.clone()), by_rule),
            Effect::Develop => match (self.mode, allowed_here) {
                (Mode::Auto, _) => Finding::new(Decision::Allow, "auto mode builds and tests the project"),
                (_, Some(rule)) => by_rule(rule),
                (_, None) => self.by_mode_unknown("it runs the project's code".to_owned()),
            },
            Effect::Secret(reason) => match (self.mode, allowed.filter(|rule| rule.is_exact_command())) {
                (Mode::Bypass, _) => Finding::new(Decision::Allow, "bypass mode runs everything"),
                (_, Some(rule)) => by_rule(rule),
                (_, None) => Finding::new(Decision::Ask, reason.clone()),
            },
            Effect::Read(word) => self.word(word, Touch::Read, part, allowed, workspace),
            Effect::Write(word) => self.word(word, Touch::Write, part, None, workspace),
        }
    }

    /// A word that names files, from every directory that may be current.
    fn word(
        &self,
        word: &Word,
        touch: Touch,
        part: &ShellPart,
        allowed: Option<&Rule>,
        workspace: &Workspace,
    ) -> Finding {
        let tools: &[&str] = if touch == Touch::Read { &["read_file"] } else { &["write_file", "edit_file"] };
        let mut findings = Vec::new();
        if word.kind == Kind::Stream {
            return Finding::new(Decision::Allow, "it reads another command's output");
        }
        if word.kind == Kind::Found && touch == Touch::Read {
            return Finding::new(Decision::Allow, "it reads what a search in the workspace finds");
        }
        if !word.is_known() || (part.dirs.or_unknown && !word.text.starts_with(['/', '~'])) {
            let reason =
                format!("which file it {} is not known", if touch == Touch::Read { "reads" } else { "writes" });
            findings.push(
                allowed.map_or_else(|| self.by_mode_unknown(reason), |rule| Finding::by_rule(Decision::Allow, rule)),
            );
        }
        if word.is_known() {
            let dirs = part.dirs.known.iter().cloned().chain(part.dirs.known.is_empty().then(|| PathBuf::from("/")));
            for dir in dirs {
                let (paths, may_be_secret) = files(word, &dir, workspace);
                if may_be_secret && self.mode != Mode::Bypass {
                    findings.push(Finding::new(
                        Decision::Ask,
                        "its pattern may match files that hold secrets, or an option",
                    ));
                }
                let each = paths.iter().map(|path| self.path(tools, path, touch, workspace));
                findings.extend(each.map(|finding| loosen(finding, allowed, &paths, workspace, touch)));
                findings.extend(
                    paths
                        .iter()
                        .filter(|path| touch == Touch::Read && path.real.is_dir())
                        .filter_map(|path| self.below(path, workspace)),
                );
            }
        }
        worst(findings)
    }
}

/// A rule that allows a command allows what it reads too, but no secrets.
fn loosen(
    finding: Finding,
    allowed: Option<&Rule>,
    paths: &[Resolved],
    workspace: &Workspace,
    touch: Touch,
) -> Finding {
    let is_protected = paths.iter().any(|path| protection(path, touch, workspace).is_some());
    match allowed {
        Some(rule)
            if finding.decision == Decision::Ask
                && finding.rule.is_none()
                && (!is_protected || rule.is_exact_command()) =>
        {
            Finding::by_rule(Decision::Allow, rule)
        }
        _ => finding,
    }
}

/// The files that a word names from a directory, and whether it may name secrets.
fn files(word: &Word, dir: &Path, workspace: &Workspace) -> (Vec<Resolved>, bool) {
    let resolve = |path: &str| paths::resolve(dir, path, workspace.home());
    if word.kind == Kind::Glob {
        let matches = paths::expand_glob(dir, &word.text, workspace.home());
        return (matches.paths.iter().map(|path| resolve(path)).collect(), matches.may_be_secret || matches.has_option);
    }
    // An option's value may be `@file`; a lone dash is standard input.
    if word.text == "-" || word.text.is_empty() {
        return (Vec::new(), false);
    }
    (vec![resolve(&word.text)], false)
}

/// Why a path is asked about wherever it is.
fn protection(path: &Resolved, touch: Touch, workspace: &Workspace) -> Option<String> {
    let shown = workspace.display(&path.named);
    let either = |test: fn(&Path) -> bool| test(&path.named) || test(&path.real);
    match touch {
        Touch::Read if either(paths::is_secret) => Some(format!("it reads a file that may hold secrets: {shown}")),
        Touch::Write if either(paths::runs_later) => Some(format!("it changes a file that runs code later: {shown}")),
        Touch::Write if either(paths::is_secret) => Some(format!("it changes a file that may hold secrets: {shown}")),
        _ => None,
    }
}
