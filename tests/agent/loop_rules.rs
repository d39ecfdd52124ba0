//! The rules of the loop, each on a scripted provider.

use bareagent::event::Event;
use bareagent::loop_error::LoopError;
use bareagent::message::{
    Block, ImageSource, InvalidInput, InvalidKind, Message, Role, StopReason, ToolCall, ToolContent,
};
use bareagent::permission::{Answer, Approver, Mode, Question};
use bareagent::provider::{ErrorKind, ProviderError};
use bareagent::tools::{Output, ToolError};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::scripted::{Stage, Step, calls, response, text};

#[tokio::test]
async fn an_answer_without_calls_ends_the_turn_and_is_returned() {
    let mut stage = Stage::new([text("hello")]);
    assert_eq!(stage.turn("hi").await.unwrap(), "hello");
    let roles: Vec<Role> = stage.transcript.messages().iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant]);
    assert!(stage.events().contains(&Event::Text("hello".to_owned())));
}

#[tokio::test]
async fn results_of_one_answer_go_into_one_message_in_call_order() {
    let three = [("echo", json!({"n": 1})), ("echo", json!({"n": 2})), ("echo", json!({"n": 3}))];
    let mut stage =
        Stage::new([calls(three), text("done")]).tool("echo", |input| Ok(Output::Text(input["n"].to_string())));
    assert_eq!(stage.turn("go").await.unwrap(), "done");
    let results: Vec<_> = stage.results().into_iter().map(|(id, text, _)| (id, text)).collect();
    let expected = [("echo-0", "1"), ("echo-1", "2"), ("echo-2", "3")];
    assert_eq!(results, expected.map(|(id, text)| (id.to_owned(), text.to_owned())));
    assert_eq!(stage.transcript.messages().len(), 4);
}

#[tokio::test]
async fn whatever_goes_wrong_with_a_tool_is_a_result_that_the_model_can_act_on() {
    let round = [
        ("nope", json!({})),
        ("fails", json!({"bad": 1})),
        ("fails", json!({})),
        ("panics", json!({})),
        ("works", json!({})),
    ];
    let mut stage = Stage::new([calls(round), text("done")])
        .tool("fails", |_| Err(ToolError::new("disk on fire")))
        .tool("panics", |_| panic!("a bug"))
        .tool("works", |_| Ok(Output::Nothing));
    assert_eq!(stage.turn("go").await.unwrap(), "done");
    let results = stage.results();
    let errors: Vec<bool> = results.iter().map(|(_, _, is_error)| *is_error).collect();
    assert_eq!(errors, [true, true, true, true, false]);
    for (index, part) in
        ["no tool \"nope\"", "\"bad\" is no field", "disk on fire", "internal error", ""].iter().enumerate()
    {
        assert!(results[index].1.contains(part), "{}: {:?}", index, results[index]);
    }
    assert!(results[0].1.contains("works"), "names the tools there are: {}", results[0].1);
}

#[tokio::test]
async fn results_keep_text_turn_nothing_into_an_empty_string_and_the_rest_into_json() {
    let image = Block::Image { source: ImageSource::Url { url: "https://example.com/a.png".to_owned() } };
    let shown = image.clone();
    let round = ["text", "nothing", "json", "image"].map(|name| (name, json!({})));
    let mut stage = Stage::new([calls(round), text("done")])
        .tool("text", |_| Ok(Output::Text(" as it is\n".to_owned())))
        .tool("nothing", |_| Ok(Output::Nothing))
        .tool("json", |_| Ok(Output::Json(json!({"b": 1, "a": [true, null]}))))
        .tool("image", move |_| Ok(Output::Blocks(vec![image.clone()])));
    stage.turn("go").await.unwrap();
    let contents: Vec<ToolContent> = stage.transcript.messages()[2].tool_results().map(|r| r.content.clone()).collect();
    let text = |text: &str| ToolContent::Text(text.to_owned());
    assert_eq!(
        contents,
        [text(" as it is\n"), text(""), text(r#"{"b":1,"a":[true,null]}"#), ToolContent::Blocks(vec![shown])]
    );
}

#[tokio::test]
async fn the_iteration_limit_is_a_typed_error_and_leaves_results() {
    let mut stage = Stage::new((0..9).map(|_| calls([("echo", json!({}))]))).tool("echo", |_| Ok(Output::Nothing));
    stage.max_iterations = 3;
    assert_eq!(stage.turn("go").await, Err(LoopError::IterationLimit(3)));
    assert_eq!(stage.provider.requests.lock().unwrap().len(), 3);
    assert!(stage.transcript.messages().last().unwrap().tool_results().next().is_some());
}

#[tokio::test]
async fn a_failing_model_is_an_error_and_never_text() {
    let error = ProviderError::new(ErrorKind::Auth, "the key was refused");
    let mut stage = Stage::new([Step::Fail("", error.clone())]);
    assert_eq!(stage.turn("go").await, Err(LoopError::Provider(error)));
    assert_eq!(stage.transcript.messages().len(), 1, "nothing was said, so nothing is kept");
}

#[tokio::test]
async fn a_stream_that_breaks_after_text_keeps_it_marked_and_never_falls_back() {
    let mut error = ProviderError::new(ErrorKind::StreamCut, "the stream broke");
    error.try_without_stream = true;
    let mut stage = Stage::new([Step::Fail("half an ans", error.clone()), text("never")]);
    assert_eq!(stage.turn("go").await, Err(LoopError::BrokeOff(error)));
    let last = stage.transcript.messages().last().unwrap();
    assert!(last.incomplete && last.text() == "half an ans");
    assert_eq!(stage.provider.requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_server_that_cannot_stream_is_asked_for_one_piece_once_with_a_notice() {
    let mut error = ProviderError::new(ErrorKind::InvalidRequest, "streaming is not supported");
    error.try_without_stream = true;
    let mut stage = Stage::new([Step::Fail("", error), calls([("echo", json!({}))]), text("whole")])
        .tool("echo", |_| Ok(Output::Nothing));
    assert_eq!(stage.turn("go").await.unwrap(), "whole");
    let streamed: Vec<bool> = stage.provider.requests.lock().unwrap().iter().map(|(_, streamed)| *streamed).collect();
    assert_eq!(streamed, [true, false, false], "what the server cannot do is not tried again");
    let notices = stage.events().into_iter().filter(|event| matches!(event, Event::Notice(_))).count();
    assert_eq!(notices, 1);
    assert!(stage.events().contains(&Event::Text("whole".to_owned())));
}

#[tokio::test]
async fn an_empty_answer_is_reported_with_its_reason_and_tokens() {
    let mut stage = Stage::new([Step::Answer(response(vec![], StopReason::EndTurn))]);
    let error = stage.turn("go").await.unwrap_err();
    assert!(matches!(error, LoopError::EmptyAnswer { .. }));
    for part in ["empty answer", "end_turn", "10 input", "5 output"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_cut_answer_is_no_success_and_stays_in_the_conversation() {
    let cut = response(vec![Block::text("the first ha")], StopReason::MaxTokens);
    let mut stage = Stage::new([Step::Answer(cut)]);
    assert_eq!(stage.turn("go").await, Err(LoopError::CutShort { stop: StopReason::MaxTokens }));
    assert_eq!(stage.transcript.messages().last().unwrap().text(), "the first ha");
}

#[tokio::test]
async fn a_call_that_did_not_arrive_whole_is_never_run() {
    let call = |id: &str, invalid| ToolCall {
        id: id.to_owned(),
        name: "echo".to_owned(),
        input: json!({}).as_object().unwrap().clone(),
        invalid,
    };
    let cut = InvalidInput { kind: InvalidKind::Truncated, raw: r#"{"path": "/et"#.to_owned() };
    let content = vec![Block::ToolUse(call("whole", None)), Block::ToolUse(call("cut", Some(cut)))];
    let mut stage = Stage::new([Step::Answer(response(content, StopReason::MaxTokens)), text("done")])
        .tool("echo", |_| Ok(Output::Text("ran".to_owned())));
    assert_eq!(stage.turn("go").await.unwrap(), "done");
    let results = stage.results();
    assert_eq!(results[0].1, "ran");
    assert!(results[1].2 && results[1].1.contains(r#"{"path": "/et"#), "{results:?}");
}

#[tokio::test]
async fn a_denied_call_is_a_result_and_an_event() {
    let mut stage = Stage::new([calls([("echo", json!({}))]), text("then not")])
        .tool("echo", |_| Ok(Output::Text("ran".to_owned())))
        .gate(Mode::Default, None);
    assert_eq!(stage.turn("go").await.unwrap(), "then not");
    let results = stage.results();
    assert!(results[0].2 && results[0].1.contains("--permission-mode"), "{results:?}");
    let denied = |event: &Event| matches!(event, Event::Denied { way_out: Some(_), .. });
    assert!(stage.events().iter().any(denied));
}

/// Answers every question in the same way.
struct Says(Answer);

impl Approver for Says {
    fn ask<'a>(&'a self, _: Question<'a>, _: &'a CancellationToken) -> BoxFuture<'a, Answer> {
        let answer = self.0.clone();
        async move { answer }.boxed()
    }
}

#[tokio::test]
async fn a_refusal_with_a_reason_reaches_the_model() {
    let no = Says(Answer::No(Some("use the other file".to_owned())));
    let mut stage = Stage::new([calls([("echo", json!({}))]), text("ok")])
        .tool("echo", |_| Ok(Output::Text("ran".to_owned())))
        .gate(Mode::Default, Some(Box::new(no)));
    stage.turn("go").await.unwrap();
    assert!(stage.results()[0].1.contains("use the other file"));

    let mut stage = Stage::new([calls([("echo", json!({}))]), text("ok")])
        .tool("echo", |_| Ok(Output::Text("ran".to_owned())))
        .gate(Mode::Default, Some(Box::new(Says(Answer::Yes))));
    stage.turn("go").await.unwrap();
    assert_eq!(stage.results()[0].1, "ran");
}

#[tokio::test]
async fn cancelling_a_model_call_keeps_what_was_shown() {
    let mut stage = Stage::new([Step::Stall("so far"), text("next")]);
    let cancel = stage.cancel.clone();
    let (end, ()) = tokio::join!(stage.turn("go"), async { cancel.cancel() });
    assert_eq!(end, Err(LoopError::Interrupted));
    let last = stage.transcript.messages().last().unwrap();
    assert!(last.incomplete && last.text() == "so far");

    stage.cancel = CancellationToken::new();
    assert_eq!(stage.turn("and now?").await.unwrap(), "next");
}

#[tokio::test]
async fn cancelling_tools_answers_every_call() {
    let round = [("slow", json!({"wait": 1})), ("slow", json!({})), ("slow", json!({}))];
    let mut stage = Stage::new([calls(round), text("next")]).tool("slow", |_| Ok(Output::Nothing));
    let cancel = stage.cancel.clone();
    let events = stage.events.clone();
    let cancel_once_running = async {
        while !events.0.lock().unwrap().iter().any(|event| matches!(event, Event::ToolStarted(_))) {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (end, ()) = tokio::join!(stage.turn("go"), cancel_once_running);
    assert_eq!(end, Err(LoopError::Interrupted));
    let results = stage.results();
    assert_eq!(results.len(), 3);
    assert!(results.iter().all(|(_, text, is_error)| *is_error && text.contains("interrupted")), "{results:?}");

    stage.cancel = CancellationToken::new();
    assert_eq!(stage.turn("go on").await.unwrap(), "next");
}

#[tokio::test]
async fn messages_from_outside_are_delivered_at_the_top_of_an_iteration() {
    let mut stage = Stage::new([text("one"), text("two")]);
    stage.turn("go").await.unwrap();
    stage.inbox.steer("look at b.rs instead");
    stage.turn("on").await.unwrap();
    let sent = &stage.provider.requests.lock().unwrap()[1].0;
    let texts: Vec<String> = sent.iter().map(Message::text).collect();
    assert_eq!(texts, ["go", "one", "on", "look at b.rs instead"]);
}

#[tokio::test]
async fn a_paused_turn_goes_on() {
    let paused = response(vec![Block::text("thinking about it")], StopReason::PauseTurn);
    let mut stage = Stage::new([Step::Answer(paused), text("done")]);
    assert_eq!(stage.turn("go").await.unwrap(), "done");
}
