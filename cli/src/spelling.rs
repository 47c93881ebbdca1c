//! `--whitespace`, `--numbers`, `--escapes`, `--order`: how JSON is spelt; `--patterns`, `--draft`, `--content` and `--document`: how schemas are read;
//! `--work`: what compiling them may cost.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use maskwright::base::Limits;
use maskwright::front::json_schema::{
    self, PropertyOrder, SchemaConfig, SchemaDocument, SchemaError, SpacePattern, Whitespace,
};
use maskwright::regular;

/// The options of a spelling.
#[derive(Args, Clone, Debug)]
pub(crate) struct Spelling {
    /// White space in JSON: json (any), compact (none), pretty (at most one space, or a line break and
    /// behind it at most 64 spaces or 16 tabs), or /PATTERN/, which what stands between two tokens matches
    /// [default: pretty in arguments and responses, json for a schema by itself]
    #[arg(long, value_name = "json|compact|pretty|/PATTERN/", value_parser = whitespace)]
    whitespace: Option<Whitespace>,
    /// How numbers are spelt [default: plain in arguments and responses, any for a schema by itself]
    #[arg(long, value_enum)]
    numbers: Option<Numbers>,
    /// Escapes in strings, keys apart
    #[arg(long, value_enum, default_value = "free")]
    escapes: Escapes,
    /// The order of properties in JSON
    #[arg(long, value_enum, default_value = "declared")]
    order: Order,
    /// Whose syntax patterns are in [default: ecma in schemas, python in --regex]
    #[arg(long, value_enum)]
    patterns: Option<Patterns>,
    /// The draft of schemas that do not name one by `$schema`
    #[arg(long, value_enum, default_value = "2020-12")]
    draft: Draft,
    /// What `contentEncoding`, `contentMediaType` and `contentSchema` do
    #[arg(long, value_enum, default_value = "annotate")]
    content: Content,
    /// What schemas may refer to: a document and the URI it is known by, or a folder of documents, each known by
    /// its path in it; may be repeated
    #[arg(long = "document", value_name = "URI=FILE|FOLDER", value_parser = documents)]
    documents: Vec<Documents>,
    /// Steps that compiling may take, and each mask as many: a step is some ten nanoseconds
    #[arg(long, value_name = "STEPS", default_value_t = Limits::default().work)]
    work: usize,
}

/// Some documents, read.
#[derive(Clone, Debug)]
struct Documents(Vec<SchemaDocument>);

fn documents(text: &str) -> Result<Documents, String> {
    let read = |path: &Path, uri: String| {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok::<_, String>(SchemaDocument { uri, text })
    };
    if Path::new(text).is_dir() {
        let mut documents = Vec::new();
        let mut folders = vec![PathBuf::from(text)];
        while let Some(folder) = folders.pop() {
            let entries =
                fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            for entry in entries {
                let path = entry.map_err(|e| e.to_string())?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path
                    .extension()
                    .is_some_and(|extension| extension == "json")
                {
                    let within = path.strip_prefix(text).unwrap_or(&path);
                    let parts = within.iter().map(|part| part.to_string_lossy());
                    let uri = parts.collect::<Vec<_>>().join("/");
                    documents.push(read(&path, uri)?);
                }
            }
        }
        documents.sort_by(|a, b| a.uri.cmp(&b.uri));
        return Ok(Documents(documents));
    }
    let (uri, file) = text
        .rsplit_once('=')
        .ok_or("expected URI=FILE, or a folder")?;
    Ok(Documents(vec![read(Path::new(file), uri.to_owned())?]))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Patterns {
    /// ECMA-262, and what means one thing only in other dialects
    Ecma,
    /// Python's `re`
    Python,
    /// PCRE2, with UTF
    Pcre,
    /// Rust's `regex`
    Rust,
}

impl Patterns {
    pub(crate) fn dialect(self) -> regular::Dialect {
        match self {
            Self::Ecma => regular::Dialect::Ecma,
            Self::Python => regular::Dialect::Python,
            Self::Pcre => regular::Dialect::Pcre,
            Self::Rust => regular::Dialect::Rust,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Draft {
    #[value(name = "3")]
    Three,
    /// Draft 4, and draft 5, which is the same
    #[value(name = "4", alias = "5")]
    Four,
    #[value(name = "6")]
    Six,
    #[value(name = "7")]
    Seven,
    #[value(name = "2019-09")]
    Of2019,
    /// OpenAPI 3.1 has it as well
    #[value(name = "2020-12", alias = "openapi-3.1")]
    Of2020,
    /// Draft 4 with `nullable`
    #[value(name = "openapi-3.0")]
    OpenApi30,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Escapes {
    /// Those that are needed, in their shortest spelling
    Minimal,
    /// All that JSON has in strings that only their lengths are asked of, minimal ones elsewhere
    Free,
    /// All that JSON has
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Numbers {
    /// As JSON allows it
    Any,
    /// As programs print them: integers in digits only, others with at most 17 significant digits
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Content {
    /// They are annotations, but for encodings in drafts 6 and 7
    Annotate,
    /// Encodings, and JSON in strings, are asserted
    Assert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// As the schema declares them, others anywhere between
    Declared,
    /// Any
    Any,
}

fn whitespace(text: &str) -> Result<Whitespace, String> {
    let pattern = text
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'));
    match (text, pattern) {
        ("json", _) => Ok(Whitespace::Json),
        ("compact", _) => Ok(Whitespace::Compact),
        ("pretty", _) => Ok(Whitespace::Pretty),
        (_, Some(pattern)) => match SpacePattern::new(pattern, &Limits::default()) {
            Ok(pattern) => Ok(Whitespace::Pattern(pattern)),
            Err(SchemaError::Malformed { reason, .. }) => Err(reason),
            Err(error) => Err(error.to_string()),
        },
        _ => Err("expected json, compact, pretty, or a pattern between slashes".to_owned()),
    }
}

impl Default for Spelling {
    fn default() -> Self {
        Self {
            whitespace: None,
            numbers: None,
            escapes: Escapes::Free,
            order: Order::Declared,
            patterns: None,
            draft: Draft::Of2020,
            content: Content::Annotate,
            documents: Vec::new(),
            work: Limits::default().work,
        }
    }
}

impl Spelling {
    /// White space, where it is asked for.
    pub(crate) fn whitespace(&self) -> Option<Whitespace> {
        self.whitespace.clone()
    }

    /// The spelling of numbers, where it is asked for.
    pub(crate) fn numbers(&self) -> Option<json_schema::Numbers> {
        self.numbers.map(|numbers| match numbers {
            Numbers::Any => json_schema::Numbers::Any,
            Numbers::Plain => json_schema::Numbers::Plain,
        })
    }

    /// The options of JSON and its schemas that ask for something.
    pub(crate) fn of_json(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            ("--whitespace", self.whitespace.is_some()),
            ("--numbers", self.numbers.is_some()),
            ("--escapes", self.escapes != Escapes::Free),
            ("--order", self.order != Order::Declared),
            ("--draft", self.draft != Draft::Of2020),
            ("--content", self.content != Content::Annotate),
            ("--document", !self.documents.is_empty()),
        ];
        let given = options.into_iter().filter(|&(_, is_given)| is_given);
        given.map(|(name, _)| name)
    }

    /// What compiling may cost.
    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.work = self.work;
        limits
    }

    /// The dialect of patterns, where it is asked for.
    pub(crate) fn dialect(&self) -> Option<regular::Dialect> {
        self.patterns.map(Patterns::dialect)
    }

    /// A configuration of schemas with this spelling.
    pub(crate) fn config(&self) -> SchemaConfig {
        SchemaConfig {
            whitespace: self.whitespace.clone().unwrap_or_default(),
            numbers: self.numbers().unwrap_or_default(),
            escapes: match self.escapes {
                Escapes::Minimal => json_schema::Escapes::Minimal,
                Escapes::Free => json_schema::Escapes::Free,
                Escapes::All => json_schema::Escapes::All,
            },
            order: match self.order {
                Order::Declared => PropertyOrder::Declared,
                Order::Any => PropertyOrder::Any,
            },
            regex: self.dialect().unwrap_or_default(),
            draft: match self.draft {
                Draft::Three => json_schema::Draft::Draft3,
                Draft::Four => json_schema::Draft::Draft4,
                Draft::Six => json_schema::Draft::Draft6,
                Draft::Seven => json_schema::Draft::Draft7,
                Draft::Of2019 => json_schema::Draft::Draft201909,
                Draft::Of2020 => json_schema::Draft::Draft202012,
                Draft::OpenApi30 => json_schema::Draft::OpenApi30,
            },
            content: match self.content {
                Content::Annotate => json_schema::Content::Annotate,
                Content::Assert => json_schema::Content::Assert,
            },
            documents: self
                .documents
                .iter()
                .flat_map(|documents| documents.0.clone())
                .collect(),
            limits: self.limits(),
            ..SchemaConfig::default()
        }
    }
}
