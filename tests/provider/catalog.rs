//! The providers by name, where their keys and addresses are looked for, and local servers.

use bareagent::provider::{auth, catalog, probe_local};

use crate::support::model_server::{ModelServer, refused_url};

fn env<'a>(set: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
    move |name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
}

#[test]
fn every_row_is_whole_and_its_name_is_its_own() {
    for row in catalog::all() {
        assert_eq!(catalog::find(row.name), Some(row));
        assert!(row.base_url.starts_with(if row.is_local { "http://localhost:" } else { "https://" }), "{row:?}");
        assert_eq!(row.is_local, row.key_env.is_empty(), "{row:?}");
        assert_eq!(row.is_local, row.default_model.is_none(), "{row:?}");
        assert!(row.dialect.extra.is_none_or(|(_, json)| serde_json::from_str::<serde_json::Value>(json).is_ok()));
        let parsed: catalog::Wire = serde_json::from_value(row.wire.as_str().into()).unwrap();
        assert_eq!(parsed, row.wire);
    }
    assert_eq!(catalog::find("nobody"), None);
}

#[test]
fn the_first_key_that_is_set_decides() {
    let found = |set: &[(&str, &str)]| catalog::first_with_key(env(set)).map(|(row, key)| (row.name, key.source));
    assert_eq!(found(&[]), None);
    assert_eq!(found(&[("GROQ_API_KEY", "k")]), Some(("groq", "GROQ_API_KEY".into())));
    assert_eq!(found(&[("GROQ_API_KEY", "k"), ("OPENAI_API_KEY", " ")]), Some(("groq", "GROQ_API_KEY".into())));
    let both = [("OPENAI_API_KEY", "k"), ("ANTHROPIC_AUTH_TOKEN", "t")];
    assert_eq!(found(&both), Some(("anthropic", "ANTHROPIC_AUTH_TOKEN".into())));
    assert_eq!(auth::find_key(catalog::find("ollama").unwrap(), env(&both)), None);
}

#[test]
fn addresses_come_from_the_environment_where_it_names_one() {
    let base_url = |name: &str, set: &[(&str, &str)]| catalog::base_url(catalog::find(name).unwrap(), env(set));
    assert_eq!(base_url("openai", &[]), "https://api.openai.com/v1");
    assert_eq!(base_url("openai", &[("OPENAI_BASE_URL", "http://proxy/v1")]), "http://proxy/v1");
    for (host, url) in [
        ("0.0.0.0", "http://localhost:11434/v1"),
        ("box:8000", "http://box:8000/v1"),
        ("http://box:8000/", "http://box:8000/v1"),
        ("https://box.example.com", "https://box.example.com/v1"),
    ] {
        assert_eq!(base_url("ollama", &[("OLLAMA_HOST", host)]), url, "{host}");
    }
}

#[test]
fn sizes_are_known_by_family_and_cautious_otherwise() {
    let window = |provider: &str, model: &str| catalog::model_size(provider, model).window;
    assert_eq!(window("anthropic", "claude-sonnet-4-5"), 200_000);
    assert_eq!(window("openrouter", "openai/gpt-4.1"), 1_047_576);
    assert_eq!(window("work", "who-knows"), 128_000);
    assert_eq!(window("ollama", "gpt-oss:20b"), 32_768);
    assert_eq!(catalog::model_size("work", "who-knows").max_output, 8_192);
}

#[tokio::test]
async fn a_local_server_is_found_with_a_model_of_its_own() {
    let server = ModelServer::start([]);
    let host = server.base_url();
    let found = probe_local(env(&[("OLLAMA_HOST", &host)])).await.unwrap();
    assert_eq!((found.provider, found.model.as_str()), ("ollama", "scripted"));
    assert_eq!(found.base_url, format!("{host}/v1"));

    // Whatever else this machine runs, nothing answers at this one.
    let nobody = refused_url();
    let found = probe_local(env(&[("OLLAMA_HOST", &nobody)])).await;
    assert!(found.is_none_or(|found| found.provider != "ollama"));
}
