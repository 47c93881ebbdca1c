//! The requests that a format is tried under.

use maskwright::front::chat::{
    Analysis, BuiltIn, Constrain, ParallelCalls, Profile, Thought, Thoughts, ToolChoice,
};
use maskwright::regular::Dialect;

use crate::failure::Failure;
use crate::input::Named;
use crate::request::Request;
use crate::source::built_in;
use crate::told::Told;

const RESPONSE: &str = r#"{
  "type": "object",
  "properties": {"answer": {"type": "string"}, "sure": {"type": "boolean"}},
  "required": ["answer"], "additionalProperties": false}"#;

/// Requests that mean something to `format`.
pub(super) fn requests(format: &str) -> Result<Vec<Request>, Failure> {
    let nothing = Request {
        tools: None,
        response: None,
        tool_choice: ToolChoice::Auto,
        allowed: None,
        parallel: ParallelCalls::Forbidden,
        analysis: Analysis::Allowed,
        told: Told::default(),
        dialect: Dialect::Ecma,
    };
    let response = Request {
        response: Some(Named {
            name: "response schema".to_owned(),
            text: RESPONSE.to_owned(),
        }),
        ..nothing.clone()
    };
    let mut requests = vec![nothing.clone(), response];
    if format != "chatml" {
        requests.extend(with_tools(&nothing, format)?);
    }
    match format {
        "openchatml-0.1" => {
            let plain = requests.clone();
            let thinking = |(index, request): (usize, Request)| thinking(request, index);
            requests.extend(plain.into_iter().enumerate().map(thinking));
        }
        "harmony" | "openchatml-2.2" => {
            let plain = requests.clone();
            requests.extend(plain.iter().cloned().map(|request| Request {
                analysis: Analysis::Forbidden,
                ..request
            }));
            requests.extend(plain.into_iter().map(|request| narrowed(request, format)));
        }
        _ => {}
    }
    let known = built_in(format)?;
    requests.retain(|request| request.check_format(&known).is_ok());
    Ok(requests)
}

fn with_tools(nothing: &Request, format: &str) -> Result<Vec<Request>, Failure> {
    let mut auto = nothing.clone();
    auto.use_example_tools()?;
    let required = Request {
        tool_choice: ToolChoice::Required,
        allowed: None,
        ..auto.clone()
    };
    let mut built_ins = auto.clone();
    if format != "openchatml-0.1" {
        built_ins.told.built_ins.python = BuiltIn::Offered;
    }
    built_ins.told.built_ins.browser = BuiltIn::Offered;
    let parallel = |request: &Request| Request {
        parallel: ParallelCalls::Allowed,
        ..request.clone()
    };
    Ok(vec![
        parallel(&auto),
        parallel(&required),
        parallel(&built_ins),
        auto,
        required,
        built_ins,
    ])
}

/// The same with thoughts, others for each number.
fn thinking(mut request: Request, number: usize) -> Request {
    let demanded = |bit: usize| match (number + 1) >> bit & 1 {
        1 => Thought::Demanded,
        _ => Thought::Forbidden,
    };
    let mut thoughts = Thoughts::default();
    (thoughts.reflect, thoughts.introspect, thoughts.reason) =
        (demanded(0), demanded(1), demanded(2));
    request.told.thoughts = thoughts;
    request
}

/// The same under the profile with Harmony; in OpenChatML after calls with ids.
fn narrowed(mut request: Request, format: &str) -> Request {
    request.told.profile = Profile::hip_1();
    if format == "openchatml-2.2" {
        request.told.profile.constrain = Constrain::Optional;
        request.told.used_call_ids = ["a", "b", "call", "call_1"].map(str::to_owned).to_vec();
    }
    request
}
