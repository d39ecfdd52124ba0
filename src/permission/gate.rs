//! The gate as the loop sees it: judge a call, ask where a question is due, answer yes or no.

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::policy::Policy;
use super::{Decision, Judgement, Mode};
use crate::access::{Access, Preview};
use crate::message::ToolCall;
use crate::workspace::Workspace;

/// What is put to the person.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// Why it is asked about, with the parts of a command marked.
    pub judgement: &'a Judgement,
    /// What would run or change.
    pub preview: &'a Preview,
}

/// What the person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Run it this once.
    Yes,
    /// Run it, and add the judgement's suggested rule for this session.
    Always,
    /// Do not run it; the reason, if any, goes to the model.
    No(Option<String>),
}

/// Somebody who can be asked.
pub trait Approver: Send + Sync {
    /// Puts the question. Returns soon after `cancel` fires, with any answer.
    fn ask<'a>(&'a self, question: Question<'a>, cancel: &'a CancellationToken) -> BoxFuture<'a, Answer>;
}

/// The gate's word on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Run,
    /// Do not run it.
    Refuse {
        /// The text of the tool result.
        text: String,
        /// Why, in a short clause for the person.
        reason: String,
        /// What would allow it, when it would have been asked about but nobody could be asked.
        way_out: Option<String>,
    },
}

/// The permission gate of a session.
pub struct Gate {
    policy: Mutex<Policy>,
    approver: Option<Box<dyn Approver>>,
}

impl Gate {
    /// A gate with a policy and, in an interactive session, somebody to ask.
    pub fn new(policy: Policy, approver: Option<Box<dyn Approver>>) -> Self {
        Self { policy: Mutex::new(policy), approver }
    }

    /// The mode in force.
    pub fn mode(&self) -> Mode {
        self.lock().mode
    }

    /// Changes the mode; calls already running are not affected.
    pub fn set_mode(&self, mode: Mode) {
        self.lock().mode = mode;
    }

    /// What the policy says of a call, without asking anybody.
    pub fn judge(&self, tool: &str, accesses: &[Access], workspace: &Workspace) -> Judgement {
        self.lock().judge(tool, accesses, workspace)
    }

    /// Judges a call and puts the question where one is due. `preview` is made only when somebody is asked.
    pub async fn check(
        &self,
        call: &ToolCall,
        accesses: &[Access],
        preview: impl FnOnce() -> Preview + Send,
        workspace: &Workspace,
        cancel: &CancellationToken,
    ) -> Verdict {
        let judgement = self.judge(&call.name, accesses, workspace);
        match (judgement.decision, &self.approver) {
            (Decision::Allow, _) => Verdict::Run,
            (Decision::Deny, _) => refuse(denied(&judgement), judgement.reason, None),
            (Decision::Ask, None) => {
                let way_out = way_out(&judgement);
                refuse(nobody_to_ask(&judgement, &way_out), judgement.reason, Some(way_out))
            }
            (Decision::Ask, Some(approver)) => {
                let preview = preview();
                let question = Question { call, judgement: &judgement, preview: &preview };
                self.apply(approver.ask(question, cancel).await, &judgement)
            }
        }
    }

    fn apply(&self, answer: Answer, judgement: &Judgement) -> Verdict {
        match answer {
            Answer::Yes => Verdict::Run,
            Answer::Always => {
                if let Some(rule) = &judgement.suggested_rule {
                    self.lock().allow(rule);
                }
                Verdict::Run
            }
            Answer::No(reason) => refuse(refused(reason.as_deref()), "refused by the user".to_owned(), None),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Policy> {
        self.policy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refuse(text: String, reason: String, way_out: Option<String>) -> Verdict {
    Verdict::Refuse { text, reason, way_out }
}

fn denied(judgement: &Judgement) -> String {
    format!(
        "Permission denied: {}. Do not try the same by other means; find another way or say what you need.",
        judgement.reason
    )
}

/// The flags that would allow a call that nobody can be asked about.
fn way_out(judgement: &Judgement) -> String {
    match &judgement.suggested_rule {
        Some(rule) => format!("--allow '{rule}' or a wider --permission-mode"),
        None => "a wider --permission-mode".to_owned(),
    }
}

fn nobody_to_ask(judgement: &Judgement, way_out: &str) -> String {
    format!(
        "Permission denied: this needs approval ({}), and nobody can be asked in this run. {way_out} would allow it. Go on \
         without it if you can, else say what you need and why.",
        judgement.reason
    )
}

fn refused(reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("The user refused this call and said: {reason}"),
        None => "The user refused this call. Do not repeat it; ask what to do instead or go another way.".to_owned(),
    }
}
