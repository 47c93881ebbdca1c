//! Reads the C header: the few forms of declaration that it has, and a panic at any other.

use super::declarations::{Declarations, Fields, Signature};

pub(crate) fn parse(text: &str) -> Declarations {
    let mut found = Declarations::default();
    for declaration in declarations(&code(text)) {
        add(&declaration, &mut found);
    }
    found
}

/// The text without comments, preprocessor lines and the wrapping `extern "C"`.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").expect("comments are closed").1;
    }
    code.push_str(rest);
    let lines = code.lines().filter(|line| !line.starts_with('#'));
    lines
        .collect::<Vec<_>>()
        .join(" ")
        .replace("extern \"C\" {", "")
}

/// The declarations, each up to its semicolon.
fn declarations(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut depth, mut current) = (0, String::new());
    for character in code.chars() {
        match character {
            '{' => depth += 1,
            // That of `extern "C"` has lost its opening one.
            '}' if depth == 0 => continue,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                found.push(std::mem::take(&mut current).trim().to_owned());
                continue;
            }
            _ => {}
        }
        current.push(character);
    }
    assert_eq!(current.trim(), "", "a declaration without an end");
    found
}

fn add(declaration: &str, found: &mut Declarations) {
    if let Some(function) = declaration.strip_prefix("MW_API ") {
        let (head, parameters) = function.split_once('(').unwrap();
        let (name, result) = name_and_type(head);
        found.functions.insert(name, signature(parameters, result));
    } else if let Some(rest) = declaration.strip_prefix("enum ") {
        let (name, body) = braces(rest);
        found.enums.insert(name, values(&body));
    } else if let Some((result, rest)) = callback(declaration) {
        let (name, parameters) = rest.split_once(")(").unwrap();
        let result = name_and_type(&format!("{result} _")).1;
        found
            .callbacks
            .insert(name.to_owned(), signature(parameters, result));
    } else if let Some(rest) = declaration.strip_prefix("typedef struct ") {
        match rest.contains('{') {
            true => {
                let (name, body) = braces(rest);
                let fields = body
                    .split(';')
                    .map(str::trim)
                    .filter(|field| !field.is_empty());
                found
                    .structs
                    .insert(name, fields.map(name_and_type).collect());
            }
            false => {
                let (tag, name) = rest.split_once(' ').unwrap();
                assert_eq!(tag, name);
                found.opaque.insert(name.to_owned());
            }
        }
    } else {
        panic!("not understood: {declaration}");
    }
}

/// `typedef result (*rest`.
fn callback(declaration: &str) -> Option<(&str, &str)> {
    let rest = declaration.strip_prefix("typedef ")?;
    rest.split_once(" (*")
}

/// `name { body } …`
fn braces(text: &str) -> (String, String) {
    let (name, rest) = text.split_once('{').unwrap();
    let body = rest.split_once('}').unwrap().0;
    (name.trim().to_owned(), body.to_owned())
}

fn values(body: &str) -> Vec<(String, i64)> {
    let members = body
        .split(',')
        .map(str::trim)
        .filter(|member| !member.is_empty());
    members
        .map(|member| {
            let (name, value) = member.split_once('=').expect("values are pinned");
            (name.trim().to_owned(), value.trim().parse().unwrap())
        })
        .collect()
}

/// The parameters up to the closing parenthesis.
fn signature(parameters: &str, result: String) -> Signature {
    let parameters = parameters.trim_end().strip_suffix(')').unwrap().trim();
    let parameters: Fields = match parameters {
        "void" => Vec::new(),
        _ => parameters.split(',').map(name_and_type).collect(),
    };
    (parameters, result)
}

/// `const mw_x **name`: the name, and `*mut *const mw_x`.
fn name_and_type(declarator: &str) -> (String, String) {
    let spaced = declarator.replace('*', " * ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    let name = words.pop().unwrap().to_owned();
    let pointers = words.iter().filter(|&&word| word == "*").count();
    words.retain(|&word| word != "*");
    let (constant, base) = match words[..] {
        ["const", base] => (true, base),
        [base] => (false, base),
        _ => panic!("not understood: {declarator}"),
    };
    let base = match base {
        "size_t" => "usize",
        "uint32_t" => "u32",
        "int32_t" => "i32",
        "char" => "u8",
        named => named,
    };
    let pointer = |depth| match (depth, constant) {
        (0, true) => "*const ",
        _ => "*mut ",
    };
    let prefix: String = (0..pointers).rev().map(pointer).collect();
    (name, format!("{prefix}{base}"))
}
