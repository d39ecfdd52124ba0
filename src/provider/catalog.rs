//! What is known beforehand: the providers by name with the facts of their dialects, and the sizes of
//! well-known models. Adding a provider that speaks a known wire form is one row in [`PROVIDERS`].

use serde::Deserialize;

use super::auth::{self, Credential};

/// A wire form that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Wire {
    /// Anthropic Messages.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// OpenAI Chat Completions.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
}

impl Wire {
    /// The name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAiChat => "openai-chat",
        }
    }
}

/// A provider, or a kind of local server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The name that a person writes.
    pub name: &'static str,
    /// The wire form.
    pub wire: Wire,
    /// The address, up to where the wire form's own path begins.
    pub base_url: &'static str,
    /// The variables that may hold its key, in order.
    pub key_env: &'static [&'static str],
    /// The variables that may hold another address.
    pub base_url_env: &'static [&'static str],
    /// The model used when none is named.
    pub default_model: Option<&'static str>,
    /// Runs on the person's own machine and needs no key.
    pub is_local: bool,
    /// How it departs from its wire form's usual ways.
    pub dialect: Dialect,
}

/// The ways in which servers of one wire form differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The field that limits the answer's tokens.
    pub max_tokens: &'static str,
    /// Whether `stream_options` is sent, which most need in order to report tokens.
    pub stream_options: bool,
    /// Whether calls that a model wrote into its text are taken as calls.
    pub calls_in_text: bool,
    /// Whether a call's id must be nine letters and digits.
    pub short_ids: bool,
    /// How reasoning goes back.
    pub reasoning: Reasoning,
    /// A further field of every request, as name and JSON.
    pub extra: Option<(&'static str, &'static str)>,
}

/// What of the model's reasoning goes back to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasoning {
    /// Nothing.
    Dropped,
    /// What came, under the name that it came as.
    Returned,
    /// The same, and this text where none came.
    Required(&'static str),
}

/// The row of an address that nobody knows: what every server understands.
const CAUTIOUS: Dialect = Dialect {
    max_tokens: "max_tokens",
    stream_options: true,
    calls_in_text: true,
    short_ids: false,
    reasoning: Reasoning::Returned,
    extra: None,
};

/// A vendor's own endpoint, which parses its models' calls itself.
const VENDOR: Dialect = Dialect { calls_in_text: false, ..CAUTIOUS };

/// Defaults of a row of the Chat form.
const CHAT: Row = Row {
    name: "",
    wire: Wire::OpenAiChat,
    base_url: "",
    key_env: &[],
    base_url_env: &[],
    default_model: None,
    is_local: false,
    dialect: VENDOR,
};

/// A server on the person's own machine.
const LOCAL: Row = Row { is_local: true, dialect: Dialect { reasoning: Reasoning::Dropped, ..CAUTIOUS }, ..CHAT };

/// The providers, in the order in which their keys are looked for.
static PROVIDERS: [Row; 13] = [
    Row {
        name: "anthropic",
        wire: Wire::Anthropic,
        base_url: "https://api.anthropic.com",
        key_env: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
        base_url_env: &["ANTHROPIC_BASE_URL"],
        default_model: Some("claude-sonnet-4-5"),
        ..CHAT
    },
    Row {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        key_env: &["OPENAI_API_KEY"],
        base_url_env: &["OPENAI_BASE_URL"],
        default_model: Some("gpt-4.1"),
        dialect: Dialect { max_tokens: "max_completion_tokens", reasoning: Reasoning::Dropped, ..VENDOR },
        ..CHAT
    },
    Row {
        name: "deepseek",
        base_url: "https://api.deepseek.com",
        key_env: &["DEEPSEEK_API_KEY"],
        default_model: Some("deepseek-chat"),
        dialect: Dialect { reasoning: Reasoning::Required(""), ..VENDOR },
        ..CHAT
    },
    Row {
        name: "qwen",
        base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key_env: &["DASHSCOPE_API_KEY"],
        default_model: Some("qwen3-coder-plus"),
        ..CHAT
    },
    Row {
        name: "glm",
        base_url: "https://api.z.ai/api/paas/v4",
        key_env: &["ZAI_API_KEY"],
        default_model: Some("glm-4.6"),
        // Without `tool_stream` a long call arrives as one chunk after minutes of silence.
        dialect: Dialect { reasoning: Reasoning::Required(""), extra: Some(("tool_stream", "true")), ..VENDOR },
        ..CHAT
    },
    Row {
        name: "kimi",
        base_url: "https://api.moonshot.ai/v1",
        key_env: &["MOONSHOT_API_KEY"],
        default_model: Some("kimi-k2-turbo-preview"),
        // An empty text is refused here, a blank is accepted.
        dialect: Dialect { reasoning: Reasoning::Required(" "), ..VENDOR },
        ..CHAT
    },
    Row {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        key_env: &["OPENROUTER_API_KEY"],
        default_model: Some("anthropic/claude-sonnet-4.5"),
        ..CHAT
    },
    Row {
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        key_env: &["GROQ_API_KEY"],
        default_model: Some("openai/gpt-oss-120b"),
        dialect: Dialect { max_tokens: "max_completion_tokens", reasoning: Reasoning::Dropped, ..VENDOR },
        ..CHAT
    },
    Row {
        name: "mistral",
        base_url: "https://api.mistral.ai/v1",
        key_env: &["MISTRAL_API_KEY"],
        default_model: Some("devstral-medium-latest"),
        dialect: Dialect { stream_options: false, short_ids: true, reasoning: Reasoning::Dropped, ..VENDOR },
        ..CHAT
    },
    Row {
        name: "xai",
        base_url: "https://api.x.ai/v1",
        key_env: &["XAI_API_KEY"],
        default_model: Some("grok-code-fast-1"),
        dialect: Dialect { max_tokens: "max_completion_tokens", reasoning: Reasoning::Dropped, ..VENDOR },
        ..CHAT
    },
    Row { name: "ollama", base_url: "http://localhost:11434/v1", base_url_env: &["OLLAMA_HOST"], ..LOCAL },
    Row { name: "llamacpp", base_url: "http://localhost:8080/v1", dialect: CAUTIOUS, ..LOCAL },
    Row { name: "lmstudio", base_url: "http://localhost:1234/v1", ..LOCAL },
];

/// All providers, in the order in which their keys are looked for.
pub fn all() -> &'static [Row] {
    &PROVIDERS
}

/// The provider of that name.
pub fn find(name: &str) -> Option<&'static Row> {
    PROVIDERS.iter().find(|row| row.name == name)
}

/// The provider to use when none is named: the first whose key is set.
pub fn first_with_key(env: impl Fn(&str) -> Option<String>) -> Option<(&'static Row, Credential)> {
    PROVIDERS.iter().find_map(|row| Some((row, auth::find_key(row, &env)?)))
}

/// The address of a provider: its variable's, where one is set, else its usual one.
pub fn base_url(row: &Row, env: impl Fn(&str) -> Option<String>) -> String {
    let set = row.base_url_env.iter().find_map(|name| env(name).filter(|value| !value.trim().is_empty()));
    match set {
        Some(host) if row.name == "ollama" => ollama_url(host.trim()),
        Some(url) => url.trim().to_owned(),
        None => row.base_url.to_owned(),
    }
}

/// `OLLAMA_HOST` is written for the server as well: `0.0.0.0`, `host`, `host:port` or a URL.
fn ollama_url(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = rest.trim_end_matches('/').trim_end_matches("/v1");
    let rest = rest.replacen("0.0.0.0", "localhost", 1);
    let has_port = rest.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let port = if has_port || scheme == "https" { "" } else { ":11434" };
    format!("{scheme}://{rest}{port}/v1")
}

/// The dialect at an address. The host decides where it is known. `openai` at any other address is
/// taken as a compatible server: half the world's servers are reached through that name.
pub(super) fn dialect(name: &str, base_url: &str) -> Dialect {
    let host = host(base_url);
    let known = PROVIDERS.iter().find(|row| !row.is_local && host == self::host(row.base_url));
    if let Some(row) = known {
        return row.dialect;
    }
    if host.ends_with(".openai.azure.com") {
        return find("openai").map_or(CAUTIOUS, |row| row.dialect);
    }
    find(name).filter(|row| row.name != "openai").map_or(CAUTIOUS, |row| row.dialect)
}

/// The host of an address, without user, port and path.
pub(super) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.strip_prefix('[') {
        Some(ipv6) => ipv6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

/// An address as messages show it: without a user's name, password and query.
pub(super) fn shown_url(url: &str) -> String {
    let url = url.split('?').next().unwrap_or_default();
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let start = rest[..end].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[start..])
        }
        None => url.to_owned(),
    }
}

/// The sizes of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSize {
    /// Tokens of prompt and answer together.
    pub window: u64,
    /// Most tokens of an answer, thinking included.
    pub max_output: u32,
}

/// Windows and output limits by the beginning of a model's name (without its vendor's prefix). Only
/// what vendors document; where members of a family differ, the smaller figure.
const MODELS: [(&str, ModelSize); 22] = [
    ("claude-3-opus", size(200_000, 4_096)),
    ("claude-3-haiku", size(200_000, 4_096)),
    ("claude-3-5", size(200_000, 8_192)),
    ("claude-opus-4-0", size(200_000, 32_000)),
    ("claude-opus-4-1", size(200_000, 32_000)),
    ("claude-", size(200_000, 32_000)),
    ("gpt-4o", size(128_000, 16_384)),
    ("gpt-4.1", size(1_047_576, 32_768)),
    ("gpt-5", size(272_000, 128_000)),
    ("gpt-oss", size(131_072, 32_768)),
    ("o1", size(200_000, 100_000)),
    ("o3", size(200_000, 100_000)),
    ("o4-mini", size(200_000, 100_000)),
    ("deepseek-reasoner", size(128_000, 32_000)),
    ("deepseek", size(128_000, 8_192)),
    ("qwen3-coder", size(256_000, 32_768)),
    ("glm-4.6", size(200_000, 32_768)),
    ("glm-", size(128_000, 16_384)),
    ("kimi-k2", size(128_000, 16_384)),
    ("gemini-", size(1_000_000, 32_768)),
    ("grok-", size(128_000, 16_384)),
    ("devstral", size(128_000, 16_384)),
];

const fn size(window: u64, max_output: u32) -> ModelSize {
    ModelSize { window, max_output }
}

/// The sizes of a model, or cautious ones for a model that is not known. A model on a local server is
/// as large as the person set it up, which is seldom its vendor's figure.
pub fn model_size(provider: &str, model: &str) -> ModelSize {
    let is_local = find(provider).is_some_and(|row| row.is_local);
    if is_local {
        return size(32_768, 8_192);
    }
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let known = MODELS.iter().find(|(prefix, _)| name.starts_with(prefix));
    known.map_or(size(128_000, 8_192), |(_, size)| *size)
}
