//! Where settings come from, and what is said when they cannot be used.

use serde_json::json;

use crate::support::model_server::{ModelServer, Turn, Wire};
use crate::support::run::Run;

#[test]
fn without_a_provider_the_quickest_ways_are_told() {
    let outcome = Run::new().args(["-p", "go"]).run().assert_code(2);
    for way in ["ANTHROPIC_API_KEY", "ollama", "bareagent demo"] {
        assert!(outcome.stderr.contains(way), "{way}: {outcome}");
    }
}

#[test]
fn a_configuration_error_names_file_line_and_nearest_key() {
    let cases = [
        (
            "[provider]\nname = \"anthropic\"\nmodle = \"x\"\n",
            "config.toml:3: unknown key \"modle\" (did you mean \"model\"?)",
        ),
        ("[permision]\nmode = \"auto\"\n", "config.toml:1: unknown key \"permision\" (did you mean \"permission\"?)"),
        ("[limits]\n\nmax_iterations = \"many\"\n", "config.toml:3: "),
        ("[permission]\nmode = \"yolo\"\n", "config.toml:2: "),
        ("[context]\ncompact_at = 3.0\n", "compact_at"),
        ("[timeouts]\nidle = -1.0\n", "timeouts.idle"),
        ("not toml at all", "config.toml:1: "),
    ];
    for (text, said) in cases {
        let outcome = Run::new().state_file("config.toml", text).args(["-p", "go"]).run().assert_code(2);
        assert!(outcome.stderr.contains(said), "{said}: {outcome}");
    }
    let outcome = Run::new().args(["-p", "go", "--config", "nowhere.toml"]).run().assert_code(2);
    assert!(outcome.stderr.contains("nowhere.toml"), "{outcome}");
}

#[test]
fn later_layers_win() {
    let server = ModelServer::start((0..4).map(|_| Turn::text("ok")));
    let config =
        |model: &str, url: &str| format!("[provider]\nname = \"openai\"\nmodel = \"{model}\"\nbase_url = \"{url}\"\n");
    let url = server.base_url_for(Wire::OpenAi);
    let run = || {
        Run::new().state_file("config.toml", config("from-user", &url)).env("BAREAGENT_API_KEY", "k").args(["-p", "go"])
    };
    let model = || server.last_request().json["model"].as_str().unwrap().to_owned();
    run().run().assert_code(0);
    assert_eq!(model(), "from-user");
    run().file(".bareagent/config.toml", "[provider]\nmodel = \"from-project\"\n").run().assert_code(0);
    assert_eq!(model(), "from-project");
    run().env("BAREAGENT_MODEL", "from-env").run().assert_code(0);
    assert_eq!(model(), "from-env");
    run().env("BAREAGENT_MODEL", "from-env").args(["-m", "from-flag"]).run().assert_code(0);
    assert_eq!(model(), "from-flag");
}

#[test]
fn a_projects_file_may_not_loosen_or_redirect_anything() {
    let server = ModelServer::start([Turn::call("write_file", json!({"path": "a", "content": "x"})), Turn::text("no")]);
    let project =
        "[provider]\nbase_url = \"http://127.0.0.1:9\"\n[permission]\nmode = \"bypass\"\nallow = [\"write_file\"]\n";
    let outcome = Run::new()
        .file(".bareagent/config.toml", project)
        .provider_at(&server, Wire::Anthropic)
        .args(["-p", "go"])
        .run()
        .assert_code(3);
    assert!(!outcome.place.exists("a"));
    for key in ["provider.base_url", "permission.mode", "permission.allow"] {
        assert!(outcome.stderr.contains(key), "{key}: {outcome}");
    }
    assert_eq!(outcome.stderr.matches("ignored in a project's file").count(), 1);
}

#[test]
fn a_server_of_the_users_own_is_used_by_name() {
    let server = ModelServer::start([Turn::text("ok")]);
    let config = format!(
        "[provider]\nname = \"work\"\nmodel = \"m1\"\n[providers.work]\nwire = \"openai-chat\"\nbase_url = \"{}\"\n\
         api_key_env = \"WORK_KEY\"\nheaders = {{ \"x-team\" = \"blue\" }}\n",
        server.base_url_for(Wire::OpenAi)
    );
    Run::new().state_file("config.toml", config).env("WORK_KEY", "sesame").args(["-p", "go"]).run().assert_code(0);
    let request = server.last_request();
    assert_eq!(request.header("authorization"), Some("Bearer sesame"));
    assert_eq!((request.header("x-team"), &request.json["model"]), (Some("blue"), &json!("m1")));
}

#[test]
fn the_first_key_that_is_set_decides() {
    let server = ModelServer::start([Turn::text("a"), Turn::text("b")]);
    let run = || Run::new().env("OPENAI_API_KEY", "o").env("OPENAI_BASE_URL", server.base_url_for(Wire::OpenAi));
    run().args(["-p", "go", "-m", "gpt-x"]).run().assert_code(0);
    assert!(server.last_request().path.ends_with("/chat/completions"));
    run()
        .env("ANTHROPIC_API_KEY", "a")
        .env("ANTHROPIC_BASE_URL", server.base_url())
        .args(["-p", "go", "-m", "claude-x"])
        .run()
        .assert_code(0);
    assert!(server.last_request().path.ends_with("/messages"));
    assert_eq!(server.last_request().header("x-api-key"), Some("a"));
}

#[test]
fn instructions_of_user_and_project_reach_the_model() {
    let server = ModelServer::start([Turn::text("ok")]);
    Run::new()
        .state_file("AGENTS.md", "Prefer tabs.")
        .file("AGENTS.md", "Run make check.")
        .provider_at(&server, Wire::Anthropic)
        .args(["-p", "go", "--append-system-prompt", "Be brief."])
        .run()
        .assert_code(0);
    let system = server.last_request().json["system"].to_string();
    for part in ["Prefer tabs.", "Run make check.", "Be brief.", "coding agent"] {
        assert!(system.contains(part), "{part}: {system}");
    }
}

#[test]
fn rules_from_flags_and_configuration_hold_together() {
    let touch = |name: &str| Turn::call("bash", json!({"command": format!("touch {name}")}));
    let server = ModelServer::start([touch("yes"), touch("no"), Turn::text("done")]);
    let outcome = Run::new()
        .state_file("config.toml", "[permission]\ndeny = [\"bash(touch no)\"]\n")
        .provider_at(&server, Wire::Anthropic)
        .args(["-p", "go", "--allow", "bash(touch *)"])
        .run();
    assert_eq!((outcome.place.exists("yes"), outcome.place.exists("no")), (true, false), "{outcome}");
}
