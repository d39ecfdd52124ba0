//! Tools: what an author writes ([`Tool`]), the erased form that the loop runs ([`Handler`]), and the
//! registry that maps names to handlers.
//!
//! One file a tool. A new tool is its file and one line in [`Registry::builtin_hiding`].

mod bash;
mod context;
mod diff;
mod edit_file;
mod files;
mod glob;
mod grep;
mod input;
mod matches;
mod nearest;
mod read_file;
mod replace;
mod text;
mod walk;
mod write_file;

pub use context::ToolContext;

use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::access::{Access, Preview};
use crate::message::{Block, ToolContent};
use crate::provider::ToolSpec;
use crate::workspace::Workspace;

/// A tool as its author writes it.
pub trait Tool: Send + Sync + 'static {
    /// The name that the model calls.
    const NAME: &'static str;
    /// What it does and when to use it, for the model.
    const DESCRIPTION: &'static str;
    /// The input. Its schema is what the model is given, its doc comments the descriptions there.
    type Input: DeserializeOwned + JsonSchema + Send;

    /// What a call would do; the permission gate judges this.
    fn access(&self, input: &Self::Input, workspace: &Workspace) -> Vec<Access>;

    /// How a call is shown to the person who decides. May read the files concerned, changes nothing.
    fn preview(&self, input: &Self::Input, workspace: &Workspace) -> Preview;

    /// Does it.
    fn run(&self, input: Self::Input, cx: &ToolContext<'_>) -> impl Future<Output = Result<Output, ToolError>> + Send;
}

/// What a tool hands back on success.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Text, kept as it is.
    Text(String),
    /// Nothing to say: an empty string for the model.
    Nothing,
    /// Anything else, as JSON.
    Json(Value),
    /// Text and image blocks, passed through.
    Blocks(Vec<Block>),
}

impl Output {
    /// The content of the tool result.
    pub fn into_content(self) -> ToolContent {
        match self {
            Self::Text(text) => ToolContent::Text(text),
            Self::Nothing => ToolContent::Text(String::new()),
            Self::Json(value) => ToolContent::Text(value.to_string()),
            Self::Blocks(blocks) => ToolContent::Blocks(blocks),
        }
    }
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A tool's failure. It becomes a tool result that the model reads, so its text says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

impl ToolError {
    /// A failure with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// A [`Tool`] with its types erased.
pub trait Handler: Send + Sync {
    /// Name, description and schema.
    fn spec(&self) -> &ToolSpec;

    /// Reads the input and says what the call would do.
    ///
    /// # Errors
    /// When the input does not fit the schema; the text names the field.
    fn access(&self, input: &Map<String, Value>, workspace: &Workspace) -> Result<Vec<Access>, ToolError>;

    /// How the call is shown to the person who decides.
    ///
    /// # Errors
    /// When the input does not fit the schema.
    fn preview(&self, input: &Map<String, Value>, workspace: &Workspace) -> Result<Preview, ToolError>;

    /// Runs the call.
    fn run<'a>(
        &'a self,
        input: &Map<String, Value>,
        cx: &'a ToolContext<'a>,
    ) -> BoxFuture<'a, Result<Output, ToolError>>;
}

struct Erased<T> {
    tool: T,
    spec: ToolSpec,
}

impl<T: Tool> Handler for Erased<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self, input: &Map<String, Value>, workspace: &Workspace) -> Result<Vec<Access>, ToolError> {
        Ok(self.tool.access(&input::parse::<T::Input>(&self.spec, input)?, workspace))
    }

    fn preview(&self, input: &Map<String, Value>, workspace: &Workspace) -> Result<Preview, ToolError> {
        Ok(self.tool.preview(&input::parse::<T::Input>(&self.spec, input)?, workspace))
    }

    fn run<'a>(
        &'a self,
        input: &Map<String, Value>,
        cx: &'a ToolContext<'a>,
    ) -> BoxFuture<'a, Result<Output, ToolError>> {
        match input::parse::<T::Input>(&self.spec, input) {
            Ok(input) => self.tool.run(input, cx).boxed(),
            Err(error) => std::future::ready(Err(error)).boxed(),
        }
    }
}

/// The tools on offer, by name, in a fixed order (the request's prefix must not change).
#[derive(Default)]
pub struct Registry {
    handlers: Vec<Box<dyn Handler>>,
    specs: Vec<ToolSpec>,
}

impl Registry {
    /// A registry without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tools that come with the program.
    pub fn builtin() -> Self {
        Self::builtin_hiding(&[])
    }

    /// The same, with the names of environment variables that commands must not see. Those whose names
    /// look like secrets are hidden anyway; this is for a provider's key under another name.
    pub fn builtin_hiding(variables: &[String]) -> Self {
        Self::new()
            .with(bash::Bash { hidden: variables.to_vec() })
            .with(read_file::ReadFile)
            .with(write_file::WriteFile)
            .with(edit_file::EditFile)
            .with(glob::Glob)
            .with(grep::Grep)
    }

    /// Adds a tool; one of the same name is replaced.
    #[must_use]
    pub fn with<T: Tool>(self, tool: T) -> Self {
        let spec = ToolSpec {
            name: T::NAME.to_owned(),
            description: T::DESCRIPTION.to_owned(),
            schema: input::schema::<T::Input>(),
        };
        self.with_handler(Box::new(Erased { tool, spec }))
    }

    /// Adds a handler; one of the same name is replaced.
    #[must_use]
    pub fn with_handler(mut self, handler: Box<dyn Handler>) -> Self {
        self.handlers.retain(|other| other.spec().name != handler.spec().name);
        self.handlers.push(handler);
        self.refresh()
    }

    /// Keeps only the tools that `keep` accepts.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.handlers.retain(|handler| keep(&handler.spec().name));
        self.refresh()
    }

    fn refresh(mut self) -> Self {
        self.specs = self.handlers.iter().map(|handler| handler.spec().clone()).collect();
        self
    }

    /// The handler of that name.
    pub fn get(&self, name: &str) -> Option<&dyn Handler> {
        self.handlers.iter().find(|handler| handler.spec().name == name).map(AsRef::as_ref)
    }

    /// The text of the failed result for a call to a tool that is not there.
    pub fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        let near = names.iter().max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
        let hint = near.filter(|near| strsim::jaro(near, name) > 0.8).map(|near| format!(" Did you mean {near}?"));
        format!("There is no tool \"{name}\".{} The tools are: {}.", hint.unwrap_or_default(), names.join(", "))
    }

    /// What the model is told of the tools.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }
}
