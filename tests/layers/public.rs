//! The public surface of a library: what hosts may name, as Rust without bodies, documentation and private parts.

use std::collections::{BTreeMap, BTreeSet};

use syn::parse::ParseStream;
use syn::{
    Attribute, Fields, File, Ident, ImplItem, Item, ItemImpl, ItemMacro, ItemStruct, TraitItem,
    Type, Visibility, parse_quote,
};

/// The surface of the layers, whose files are `(layer, text)`, each layer sorted. What says `pub` is public: the lint
/// `unreachable_pub` refuses it where nobody outside could name it.
pub(crate) fn surface(files: &[(String, String)]) -> String {
    let parsed = files.iter().map(|(layer, text)| {
        let file = syn::parse_file(text).unwrap();
        (layer, file.items)
    });
    let parsed: Vec<_> = parsed.collect();
    let names = Names::of(parsed.iter().flat_map(|(_, items)| items));
    let mut layers: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (layer, items) in parsed {
        let shown = items.into_iter().filter_map(|item| shown(item, &names));
        layers.entry(layer).or_default().extend(shown.map(print));
    }
    let layers = layers.iter().filter(|(_, items)| !items.is_empty());
    let page = |(layer, items): (&&str, &BTreeSet<String>)| {
        let items: Vec<_> = items.iter().map(String::as_str).collect();
        format!("// {layer}\n\n{}", items.join("\n"))
    };
    layers.map(page).collect::<Vec<_>>().join("\n")
}

fn print(item: Item) -> String {
    let file = File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![item],
    };
    prettyplease::unparse(&file)
}

/// The names that decide which blocks of `impl` others see.
#[derive(Default)]
struct Names {
    public_types: BTreeSet<String>,
    hidden_traits: BTreeSet<String>,
}

impl Names {
    fn of<'i>(items: impl Iterator<Item = &'i Item>) -> Self {
        let mut names = Self::default();
        for item in items {
            let (vis, name) = match item {
                Item::Struct(item) => (&item.vis, item.ident.to_string()),
                Item::Enum(item) => (&item.vis, item.ident.to_string()),
                Item::Type(item) => (&item.vis, item.ident.to_string()),
                Item::Trait(item) if !is_public(&item.vis) => {
                    names.hidden_traits.insert(item.ident.to_string());
                    continue;
                }
                _ => continue,
            };
            if is_public(vis) {
                names.public_types.insert(name);
            }
        }
        names
    }
}

/// What of an item others see, if they see it at all.
fn shown(item: Item, names: &Names) -> Option<Item> {
    let mut item = match item {
        Item::Impl(block) => return shown_impl(block, names).map(Item::Impl),
        Item::Macro(call) => return public_id(&call),
        other => other,
    };
    match &mut item {
        Item::Struct(item) => shown_struct(item),
        Item::Enum(item) => {
            for variant in &mut item.variants {
                keep_attributes(&mut variant.attrs);
                let fields = variant.fields.iter_mut();
                fields.for_each(|field| keep_attributes(&mut field.attrs));
            }
        }
        Item::Trait(item) => item.items.iter_mut().for_each(shown_member),
        Item::Fn(item) => *item.block = parse_quote!({}),
        Item::Const(item) => *item.expr = parse_quote!(_),
        _ => {}
    }
    let (attributes, vis) = parts(&mut item)?;
    if !is_public(vis) || is_for_tests(attributes) {
        return None;
    }
    keep_attributes(attributes);
    Some(item)
}

fn parts(item: &mut Item) -> Option<(&mut Vec<Attribute>, &Visibility)> {
    Some(match item {
        Item::Const(item) => (&mut item.attrs, &item.vis),
        Item::Enum(item) => (&mut item.attrs, &item.vis),
        Item::Fn(item) => (&mut item.attrs, &item.vis),
        Item::Mod(item) => (&mut item.attrs, &item.vis),
        Item::Static(item) => (&mut item.attrs, &item.vis),
        Item::Struct(item) => (&mut item.attrs, &item.vis),
        Item::Trait(item) => (&mut item.attrs, &item.vis),
        Item::Type(item) => (&mut item.attrs, &item.vis),
        Item::Use(item) => (&mut item.attrs, &item.vis),
        _ => return None,
    })
}

/// Private fields of a struct are one field without a name, since all that others know is that there are some.
fn shown_struct(item: &mut ItemStruct) {
    let private = item.fields.iter().any(|field| !is_public(&field.vis));
    match &mut item.fields {
        Fields::Named(all) => {
            let public = std::mem::take(&mut all.named).into_iter();
            all.named = public.filter(|field| is_public(&field.vis)).collect();
            if private {
                let hidden: syn::FieldsNamed = parse_quote!({ _: _ });
                all.named.extend(hidden.named);
            }
        }
        Fields::Unnamed(all) => {
            let hidden = all
                .unnamed
                .iter_mut()
                .filter(|field| !is_public(&field.vis));
            hidden.for_each(|field| field.ty = parse_quote!(_));
        }
        Fields::Unit => {}
    }
    item.fields.iter_mut().for_each(|field| {
        keep_attributes(&mut field.attrs);
        if !is_public(&field.vis) {
            field.vis = Visibility::Inherited;
        }
    });
}

fn shown_member(member: &mut TraitItem) {
    match member {
        TraitItem::Fn(member) => {
            keep_attributes(&mut member.attrs);
            // Whether there is one, implementors need to know.
            member.default = member.default.take().map(|_| parse_quote!({}));
        }
        TraitItem::Const(member) => keep_attributes(&mut member.attrs),
        TraitItem::Type(member) => keep_attributes(&mut member.attrs),
        _ => {}
    }
}

/// What a block gives to a public type: its public functions, or that it has a trait.
fn shown_impl(mut block: ItemImpl, names: &Names) -> Option<ItemImpl> {
    if is_for_tests(&block.attrs) || !names.public_types.contains(&last_name(&block.self_ty)?) {
        return None;
    }
    keep_attributes(&mut block.attrs);
    if let Some((_, path, _)) = &block.trait_ {
        let name = path.segments.last()?.ident.to_string();
        block.items.retain(|item| matches!(item, ImplItem::Type(_)));
        return (!names.hidden_traits.contains(&name)).then_some(block);
    }
    block.items.retain_mut(|item| match item {
        ImplItem::Fn(item) if is_public(&item.vis) => {
            keep_attributes(&mut item.attrs);
            item.block = parse_quote!({});
            true
        }
        ImplItem::Const(item) => {
            keep_attributes(&mut item.attrs);
            item.expr = parse_quote!(_);
            is_public(&item.vis)
        }
        _ => false,
    });
    (!block.items.is_empty()).then_some(block)
}

fn last_name(of: &Type) -> Option<String> {
    let Type::Path(path) = of else { return None };
    Some(path.path.segments.last()?.ident.to_string())
}

/// A public id that `define_id!` makes.
fn public_id(call: &ItemMacro) -> Option<Item> {
    let parse = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        Ok((input.parse::<Visibility>()?, input.parse::<Ident>()?))
    };
    if !call.mac.path.is_ident("define_id") {
        return None;
    }
    let (vis, name) = call.mac.parse_body_with(parse).unwrap();
    is_public(&vis).then(|| syn::parse_str(&format!("pub struct {name}(u32);")).unwrap())
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let test: Attribute = parse_quote!(#[cfg(test)]);
    attributes.contains(&test)
}

/// Of attributes, those that hosts can tell.
fn keep_attributes(attributes: &mut Vec<Attribute>) {
    const KEPT: [&str; 5] = ["cfg", "deprecated", "derive", "must_use", "non_exhaustive"];
    attributes.retain(|attribute| KEPT.iter().any(|kept| attribute.path().is_ident(kept)));
}
