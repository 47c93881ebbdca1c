//! Reads the Rust side: exported functions, structs laid out as in C, handles, status codes.

use syn::{Fields as SynFields, FnArg, Item, Pat, ReturnType, Type};

use super::declarations::Declarations;

pub(crate) fn parse(text: &str, found: &mut Declarations) {
    for item in syn::parse_file(text).unwrap().items {
        match item {
            Item::Fn(function) if has(&function.attrs, "no_mangle") => {
                let abi = function.sig.abi.as_ref().and_then(|abi| abi.name.as_ref());
                assert_eq!(abi.map(syn::LitStr::value).as_deref(), Some("C"));
                let parameters = function.sig.inputs.iter().map(parameter).collect();
                let result = result(&function.sig.output);
                let name = function.sig.ident.to_string();
                found.bodies.insert(name.clone(), body(text, &name));
                found.functions.insert(name, (parameters, result));
            }
            Item::Struct(item) if item.ident.to_string().starts_with("Mw") => {
                let name = c_name(&item.ident.to_string());
                match &item.fields {
                    SynFields::Named(fields) => {
                        assert!(has(&item.attrs, "repr"), "{name} has no layout");
                        let fields = fields.named.iter().map(|field| {
                            (field.ident.as_ref().unwrap().to_string(), spell(&field.ty))
                        });
                        found.structs.insert(name, fields.collect());
                    }
                    _ => drop(found.opaque.insert(name)),
                }
            }
            Item::Type(item) if item.ident.to_string().starts_with("Mw") => {
                let Type::BareFn(function) = option_of(&item.ty) else {
                    panic!("{} is no optional function pointer", item.ident);
                };
                let parameters = function.inputs.iter().map(|argument| {
                    let name = &argument.name.as_ref().unwrap().0;
                    (name.to_string(), spell(&argument.ty))
                });
                let signature = (parameters.collect(), result(&function.output));
                found
                    .callbacks
                    .insert(c_name(&item.ident.to_string()), signature);
            }
            Item::Enum(item) if item.ident == "Status" => {
                let values = item.variants.iter().map(|variant| {
                    let name = c_name(&format!("Mw{}", variant.ident)).to_uppercase();
                    let (_, value) = variant.discriminant.as_ref().unwrap();
                    let syn::Expr::Lit(syn::ExprLit {
                        lit: syn::Lit::Int(value),
                        ..
                    }) = value
                    else {
                        panic!("{name} has no pinned value");
                    };
                    (name, value.base10_parse().unwrap())
                });
                found.enums.insert("mw_status".to_owned(), values.collect());
            }
            _ => {}
        }
    }
}

/// From the name of a function to the brace that closes it, at the beginning of a line.
fn body(text: &str, name: &str) -> String {
    let (_, rest) = text.split_once(&format!("fn {name}(")).unwrap();
    rest.split("\n}").next().unwrap().to_owned()
}

/// Whether an attribute mentions `word`.
fn has(attributes: &[syn::Attribute], word: &str) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident(word),
        syn::Meta::List(list) => list.path.is_ident(word) || list.tokens.to_string().contains(word),
        syn::Meta::NameValue(_) => false,
    })
}

fn parameter(argument: &FnArg) -> (String, String) {
    let FnArg::Typed(argument) = argument else {
        panic!("a method");
    };
    let Pat::Ident(name) = &*argument.pat else {
        panic!("a pattern");
    };
    let name = name.ident.to_string();
    (
        name.trim_start_matches("r#").to_owned(),
        spell(&argument.ty),
    )
}

fn result(output: &ReturnType) -> String {
    match output {
        ReturnType::Default => "void".to_owned(),
        ReturnType::Type(_, result) => spell(result),
    }
}

/// A type as the header's parser spells it.
fn spell(written: &Type) -> String {
    match written {
        Type::Ptr(pointer) => {
            let kind = if pointer.mutability.is_some() {
                "mut"
            } else {
                "const"
            };
            format!("*{kind} {}", spell(&pointer.elem))
        }
        Type::Path(path) => {
            let name = path.path.segments.last().unwrap().ident.to_string();
            match name.as_str() {
                "c_void" => "void".to_owned(),
                _ if name.starts_with("Mw") => c_name(&name),
                _ => name,
            }
        }
        _ => panic!("a type that C does not have"),
    }
}

fn option_of(written: &Type) -> &Type {
    let Type::Path(path) = written else {
        return written;
    };
    let syn::PathArguments::AngleBracketed(arguments) =
        &path.path.segments.last().unwrap().arguments
    else {
        return written;
    };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(inner)) => inner,
        _ => written,
    }
}

/// `MwMaskJob` as `mw_mask_job`.
fn c_name(name: &str) -> String {
    let mut spelt = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !spelt.is_empty() {
            spelt.push('_');
        }
        spelt.push(character.to_ascii_lowercase());
    }
    spelt
}
