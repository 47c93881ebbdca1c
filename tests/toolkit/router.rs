//! The tool router.

use super::read;
use maskwright_transcript::{
    ArgumentValidator, BodyDeadlines, ErrorCode, Format, Message, ParserConfig, ReplyEnvelope,
    Role, RouterConfig, StreamEvent, ToolError, ToolRouter, parse,
};

const CALLS: &str = "<|start|>assistant<|channel|>analysis<|message|>secret<|end|>\
    <|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>{\"x\":1}<|call|>\
    <|start|>assistant to=browser.search call_id=b<|channel|>analysis<|message|>{\"query\":\"q\"}<|call|>";

/// The text of [`CALLS`] where an error is said to be.
fn place(error: &ToolError) -> &'static str {
    &CALLS[error.span().start..error.span().end]
}

fn reply(name: &str, id: Option<&str>, body: &str) -> Message {
    let mut reply = Message::new(Role::Tool, body);
    reply.name = Some(name.to_owned());
    reply.call_id = id.map(str::to_owned);
    reply
}

fn router(config: RouterConfig<'_>) -> ToolRouter<'_> {
    let mut router = ToolRouter::new(config);
    router.route("functions.*", "functions");
    router.route("functions.f", "f");
    router.route("browser.*", "browser");
    router
}

/// Dispatches the calls of [`CALLS`] at time 0.
fn dispatched(config: RouterConfig<'_>) -> ToolRouter<'_> {
    let mut router = router(config);
    let transcript = read(CALLS, Format::OpenChatMl22).unwrap();
    for call in transcript.messages().iter().flat_map(Message::calls) {
        router.dispatch(&call, 0).unwrap();
    }
    router
}

#[test]
fn calls_are_dispatched_by_recipient_and_answered_in_any_order() {
    let transcript = read(CALLS, Format::OpenChatMl22).unwrap();
    let mut router = router(RouterConfig::default());
    let mut sent = Vec::new();
    for call in transcript.messages().iter().flat_map(Message::calls) {
        let dispatch = router.dispatch(&call, 0).unwrap();
        assert!(!format!("{dispatch:?}").contains("secret"));
        sent.push((dispatch.call_id, dispatch.tool, dispatch.body));
    }
    let sent: Vec<_> = sent
        .iter()
        .map(|(id, tool, body)| (id.as_str(), tool.as_str(), body.as_str()))
        .collect();
    assert_eq!(
        sent,
        [
            ("a", "f", "{\"x\":1}"),
            ("b", "browser", "{\"query\":\"q\"}")
        ]
    );
    assert_eq!(router.open_calls(), ["a", "b"]);
    assert!(
        router
            .answer(&reply("browser.search", Some("b"), "x"), 1)
            .is_ok()
    );
    let answer = router
        .answer(&reply("functions.f", Some("a"), "{\"ok\":true}"), 2)
        .unwrap();
    assert_eq!((answer.call_id.as_str(), answer.reply.ok), ("a", true));
    assert!(router.open_calls().is_empty());
}

#[test]
fn replies_that_nothing_waits_for_are_refused() {
    let mut router = dispatched(RouterConfig::default());
    let mut code = |reply: &Message| router.answer(reply, 1).map_err(|error| error.code());
    let unmatched = Err(ErrorCode::ReplyUnmatched);
    assert_eq!(
        code(&reply("functions.f", Some("z"), "")).map(drop),
        unmatched
    );
    assert_eq!(
        code(&reply("functions.g", Some("a"), "")).map(drop),
        unmatched
    );
    assert_eq!(code(&reply("functions.g", None, "")).map(drop), unmatched);
    let mut user = reply("functions.f", Some("a"), "");
    user.role = Role::User;
    assert_eq!(code(&user).map(drop), unmatched);
    assert!(
        code(&reply("functions.f", None, "")).is_ok(),
        "by the tool's name, in order"
    );
    assert_eq!(
        code(&reply("functions.f", Some("a"), "")).map(drop),
        unmatched
    );
}

/// The router takes the replies that the parser takes, and refuses those that it refuses, with its code.
#[test]
fn the_router_matches_the_replies_that_the_parser_matches() {
    let called = "<|start|>assistant to=functions.search call_id=a<|channel|>commentary<|message|>{}<|call|>";
    for header in [
        "tool name=functions.search call_id=a to=assistant",
        "tool to=assistant call_id=a name=search",
        "functions.search call_id=a",
        "tool name=functions.find call_id=a",
        "tool name=find call_id=a",
        "tool name=search call_id=b",
        "functions.find call_id=a",
        "python call_id=a",
        "browser.search call_id=a",
    ] {
        let text = format!("{called}<|start|>{header}<|message|>1<|end|>");
        let parsed = read(&text, Format::OpenChatMl22).map_err(|error| error.code());
        let mut router = router(RouterConfig::default());
        let calls = read(called, Format::OpenChatMl22).unwrap();
        let call = calls.messages()[0].calls().next().unwrap();
        router.dispatch(&call, 0).unwrap();
        let (role, rest) = header.split_once(' ').unwrap();
        let value = |key: &str| rest.split(' ').find_map(|word| word.strip_prefix(key));
        let reply = reply(value("name=").unwrap_or(role), value("call_id="), "1");
        let answered = router.answer(&reply, 1).map_err(|error| error.code());
        assert_eq!(answered.map(drop), parsed.map(drop), "{header}");
    }
    // By its id alone.
    let mut router = dispatched(RouterConfig::default());
    let mut nameless = reply("", Some("b"), "1");
    nameless.name = None;
    let answer = router.answer(&nameless, 1).unwrap();
    assert_eq!(answer.recipient, "browser.search");
}

/// A message of OpenChatML 0.1 holds an output for each call.
#[test]
fn one_message_may_answer_several_calls() {
    let text = "<|im_start|>assistant\n<|function_call|>{\"name\":\"f\",\"arguments\":{}}\
        <|function_call|>{\"name\":\"g\",\"arguments\":{}}<|im_end|>\n<|im_start|>tool\n\
        <|function_output|>{\"name\":\"f\",\"content\":1}\
        <|function_output|>{\"name\":\"g\",\"content\":[2]}<|im_end|>";
    let transcript = read(text, Format::OpenChatMl01).unwrap();
    let [calls, replies] = transcript.messages() else {
        panic!("two messages");
    };
    let mut router = router(RouterConfig::default());
    for call in calls.calls() {
        router.dispatch(&call, 0).unwrap();
    }
    let answers = router.answers(replies, 1);
    let contents: Vec<_> = answers
        .into_iter()
        .map(|answer| answer.unwrap())
        .map(|answer| (answer.recipient, answer.reply.content.unwrap()))
        .collect();
    let pair = |name: &str, content: &str| (name.to_owned(), content.to_owned());
    assert_eq!(
        contents,
        [pair("functions.f", "1"), pair("functions.g", "[2]")]
    );
    assert!(router.open_calls().is_empty());
    let again = router.answers(replies, 2);
    let codes = again.into_iter().map(|answer| answer.unwrap_err().code());
    assert_eq!(codes.collect::<Vec<_>>(), [ErrorCode::ReplyUnmatched; 2]);
}

#[test]
fn deadlines_are_the_callers_clock() {
    let config = RouterConfig {
        deadline_ms: Some(100),
        ..RouterConfig::default()
    };
    let mut late = dispatched(config.clone());
    assert_eq!(late.next_deadline(), Some(100));
    let error = late
        .answer(&reply("functions.f", Some("a"), ""), 101)
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::ToolTimeout);
    assert_eq!(place(&error), "{\"x\":1}");
    assert_eq!(error.safe_text(), "A tool took too long to answer.");
    assert_eq!(late.open_calls(), ["b"]);

    let mut expired = dispatched(config.clone());
    assert!(expired.expire(100).is_empty());
    let late = expired.expire(101);
    let codes: Vec<_> = late.iter().map(|e| e.code()).collect();
    assert_eq!(codes, [ErrorCode::ToolTimeout; 2]);
    assert_eq!(place(&late[1]), "{\"query\":\"q\"}");
    assert!(expired.expire(200).is_empty(), "told once");
    let error = expired
        .answer(&reply("functions.f", Some("a"), ""), 300)
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::ToolTimeout);
    assert!(
        dispatched(config)
            .answer(&reply("functions.f", Some("a"), ""), 100)
            .is_ok()
    );
}

/// A validator that refuses `deadline_ms`.
struct Closed;

impl ArgumentValidator for Closed {
    fn validate(&self, _: &str, arguments: &str) -> Result<(), String> {
        match arguments.contains("deadline_ms") {
            true => Err("an unknown member".to_owned()),
            false => Ok(()),
        }
    }
}

#[test]
fn a_body_may_say_its_deadline() {
    let text = "<|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>\
        { \"x\": 1.0, \"deadline_ms\": 50, \"y\":[ ] }<|call|>";
    let transcript = read(text, Format::OpenChatMl22).unwrap();
    let call = transcript.messages()[0].calls().next().unwrap();
    let mut config = RouterConfig {
        arguments: Some(&Closed),
        ..RouterConfig::default()
    };
    let error = router(config.clone()).dispatch(&call, 7).unwrap_err();
    assert_eq!(error.code(), ErrorCode::CallSchema);
    config.body_deadlines = BodyDeadlines::Read;
    let dispatch = router(config).dispatch(&call, 7).unwrap();
    assert_eq!(dispatch.body, "{\"x\":1.0,\"y\":[ ]}");
    assert_eq!(dispatch.deadline, Some(57));
}

/// A validator of a tool that has a member `deadline_ms` of its own.
struct OwnDeadline;

impl ArgumentValidator for OwnDeadline {
    fn validate(&self, _: &str, arguments: &str) -> Result<(), String> {
        match arguments.contains("deadline_ms") {
            true => Ok(()),
            false => Err("a member is missing".to_owned()),
        }
    }

    fn declares_deadline(&self, recipient: &str) -> bool {
        recipient == "functions.f"
    }
}

#[test]
fn a_deadline_that_is_an_argument_stays_one() {
    let text = "<|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>\
        {\"deadline_ms\":50}<|call|>";
    let own = ParserConfig {
        body_deadlines: BodyDeadlines::Read,
        arguments: Some(&OwnDeadline),
        format: Format::OpenChatMl22,
        ..ParserConfig::default()
    };
    let transcript = parse(text, &own).unwrap();
    let call = transcript.messages()[0].calls().next().unwrap();
    let config = RouterConfig {
        arguments: own.arguments,
        body_deadlines: BodyDeadlines::Read,
        ..RouterConfig::default()
    };
    let dispatch = router(config).dispatch(&call, 7).unwrap();
    assert_eq!(dispatch.body, "{\"deadline_ms\":50}");
    assert_eq!(dispatch.deadline, Some(57));
    let closed = ParserConfig {
        arguments: Some(&Closed),
        ..own
    };
    assert!(parse(text, &closed).is_ok());
}

#[test]
fn calls_can_be_cancelled() {
    let mut router = dispatched(RouterConfig::default());
    let event = router.cancel("a", "the user left").unwrap();
    let StreamEvent::ToolCancel { call_id, reason } = &event else {
        panic!("{event:?}")
    };
    assert_eq!((call_id.as_str(), reason.as_str()), ("a", "the user left"));
    assert_eq!(
        event.to_json(),
        r#"{"type":"tool.cancel","call_id":"a","reason":"the user left"}"#
    );
    assert!(router.cancel("a", "again").is_err());
    let error = router
        .answer(&reply("functions.f", Some("a"), ""), 1)
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::ToolCancelled);
    assert_eq!(place(&error), "{\"x\":1}");
    let told = error.to_reply().to_json();
    assert!(
        told.contains("\"ok\":false") && told.contains("E-TOOL-CANCELLED"),
        "{told}"
    );
    assert_eq!(router.open_calls(), ["b"]);
}

#[test]
fn calls_that_cannot_be_routed_are_not_open() {
    let mut router = dispatched(RouterConfig::default());
    let text = "<|start|>assistant to=math.sum<|channel|>commentary<|message|>{}<|call|>\
        <|start|>assistant to=functions.g<|channel|>commentary<|message|>{}<|call|>\
        <|start|>assistant to=functions.g<|channel|>commentary<|message|>{}<|call|>";
    let transcript = read(text, Format::Harmony).unwrap();
    let calls: Vec<_> = transcript
        .messages()
        .iter()
        .flat_map(Message::calls)
        .collect();
    let error = router.dispatch(&calls[0], 0).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ToolUnknown);
    // Harmony has no ids: the router has its own, and replies come in order.
    let first = router.dispatch(&calls[1], 0).unwrap().call_id;
    let second = router.dispatch(&calls[2], 0).unwrap().call_id;
    assert_ne!(first, second);
    let answered = router.answer(&reply("functions.g", None, ""), 1).unwrap();
    assert_eq!(answered.call_id, first);
    let twice = read(CALLS, Format::OpenChatMl22).unwrap();
    let call = twice.messages()[1].calls().next().unwrap();
    assert_eq!(
        router.dispatch(&call, 0).unwrap_err().code(),
        ErrorCode::CallSchema
    );
}

#[test]
fn envelopes_are_read() {
    let read = ReplyEnvelope::read;
    let good = read(
        r#"{"ok":true,"content":{"t":2.0},"error":null,"provenance":{"source":"s","timestamp":"t"}}"#,
    );
    assert_eq!(good.content.as_deref(), Some("{\"t\":2.0}"));
    assert_eq!(good.provenance.and_then(|p| p.source).as_deref(), Some("s"));
    assert_eq!(good.error, None);
    for (body, code) in [
        (
            r#"{"ok":false,"error":"E-TOOL-TIMEOUT"}"#,
            ErrorCode::ToolTimeout,
        ),
        (
            r#"{"ok":false,"error":{"code":"E-TOOL-CANCELLED","message":"m"}}"#,
            ErrorCode::ToolCancelled,
        ),
        (r#"{"ok":false,"error":"disk full"}"#, ErrorCode::ToolFailed),
        (r#"{"ok":false}"#, ErrorCode::ToolFailed),
    ] {
        assert_eq!(
            read(body).error.map(|error| error.code),
            Some(code),
            "{body}"
        );
    }
    for body in ["sunny", "{\"temperature\":20}", "{\"ok\":1}", ""] {
        let plain = read(body);
        assert_eq!((plain.ok, plain.content.as_deref()), (true, Some(body)));
    }
}

#[test]
fn every_code_has_a_name_and_a_safe_text() {
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::from_name(code.as_str()), Some(code));
        assert!(code.safe_text().ends_with('.'), "{code}");
    }
}
