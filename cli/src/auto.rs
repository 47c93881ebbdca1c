//! `--format auto`: the format that a model writes, and which of its flags, told by its vocabulary and by the chat template in the same file or beside it.

use std::collections::BTreeSet;
use std::path::Path;

use maskwright::base::Limits;
use maskwright::front::chat::{Choice, Format};
use maskwright::vocab::{Vocabulary, chat_template_of_gguf};
use serde_json::Value;

use super::failure::Failure;
use super::input;
use super::output::warn;

/// The format whose flags a vocabulary's version tells.
const MISTRAL: &str = "mistral";
/// Where a model's folder has its chat template as Jinja text.
const TEMPLATE: &str = "chat_template.jinja";
/// Where it may stand otherwise, as the member `chat_template`.
const CONFIG: &str = "tokenizer_config.json";

/// The format that the vocabulary at `path` is of, and those of its flags that hold for the model.
pub(crate) fn format_of(
    vocabulary: &Vocabulary,
    path: &str,
) -> Result<(Format, BTreeSet<String>), Failure> {
    let template = template_beside(Path::new(path))?;
    let name = name_of(vocabulary, template.as_deref())?;
    let format = Format::built_in(name, &Limits::default());
    let format = format.map_err(|error| Failure::new(error.to_string()))?;
    let format = format.expect("a format that is chosen comes along");
    let flags = format.flags_for_model(|name| vocabulary.has_token(name), template.as_deref());
    match (name, template) {
        (MISTRAL, None) => {
            let flags = mistral_flags(Path::new(path), flags)?;
            Ok((format, flags))
        }
        _ => Ok((format, flags)),
    }
}

/// The flags of Mistral's file where no template tells them: by the version that a `tekken.json` says. Vocabularies of v13 have
/// the token of ids as well, whose models write none.
fn mistral_flags(path: &Path, by_tokens: BTreeSet<String>) -> Result<BTreeSet<String>, Failure> {
    if path.extension().is_some_and(|found| found == "json") {
        let file: Value = serde_json::from_slice(&input::read_bytes(path)?).unwrap_or_default();
        let version = file["config"]["version"].as_str();
        let number = version.and_then(|version| version.strip_prefix('v')?.parse::<u32>().ok());
        let flag = number.map(|number| match number {
            ..=10 => Some("v3"),
            11 | 12 => Some("v11"),
            _ => None,
        });
        if let Some(flag) = flag {
            return Ok(flag.into_iter().map(str::to_owned).collect());
        }
    }
    if by_tokens.contains("v11") {
        warn(format_args!(
            "the model may write calls with ids, as `--format mistral --flag v11`, or without, as `--format mistral`: its \
             vocabulary has a token of ids and nothing tells its version; ids are taken, and not needed"
        ));
    }
    Ok(by_tokens)
}

fn name_of(vocabulary: &Vocabulary, template: Option<&str>) -> Result<&'static str, Failure> {
    match Format::for_model(|name| vocabulary.has_token(name), template) {
        Choice::One(name) => Ok(name),
        Choice::Several(names) => {
            let failure = "the model may write several formats";
            let hint = format!(
                "give one by --format: {}; `maskwright formats --template FILE` tells by a chat template",
                names.join(", ")
            );
            Err(Failure::new(failure.to_owned()).hint(hint))
        }
        Choice::None => {
            let failure = match template {
                Some(_) => "the chat template is of no format that comes along",
                None => "the vocabulary has the control tokens of no format that comes along",
            };
            let hint = "`maskwright formats` lists them; --grammar FILE.abnf takes one of your own";
            Err(Failure::new(failure.to_owned()).hint(hint.to_owned()))
        }
    }
}

/// The chat template in the file of a vocabulary or in its folder, if it is there.
fn template_beside(path: &Path) -> Result<Option<String>, Failure> {
    if path.extension().is_some_and(|found| found == "gguf") {
        return Ok(chat_template_of_gguf(&input::read_bytes(path)?));
    }
    let folder = match path.is_dir() {
        true => path,
        false => path.parent().unwrap_or(Path::new("")),
    };
    let template = folder.join(TEMPLATE);
    if template.is_file() {
        let bytes = input::read_bytes(&template)?;
        return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
    }
    let config = folder.join(CONFIG);
    if !config.is_file() {
        return Ok(None);
    }
    // What is wrong with the file is said where the vocabulary is read.
    let config: Value = serde_json::from_slice(&input::read_bytes(&config)?).unwrap_or_default();
    Ok(texts_of(&config["chat_template"]))
}

/// A template, or several with names of which one is for tools.
fn texts_of(template: &Value) -> Option<String> {
    match template {
        Value::String(text) => Some(text.clone()),
        Value::Array(named) => {
            let text = |one: &Value| one["template"].as_str().map(str::to_owned);
            let for_tools = named.iter().find(|one| one["name"] == "tool_use");
            for_tools.or(named.first()).and_then(text)
        }
        _ => None,
    }
}
