//! Where commands print: data to stdout as it is, warnings to stderr, and colours only where they show.

use std::fmt::{self, Write as _};
use std::io::{self, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

/// What is written to it arrives byte by byte. Colours that would not show are left out by `style`: a
/// filter that took them out afterwards would take out what looks like them in the data too.
pub(crate) struct Output<W = AutoStream<StdoutLock<'static>>> {
    to: W,
    colours: ColorChoice,
}

/// The style of the word with which warnings begin.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Warns of something on stderr; that changes no exit code.
pub(crate) fn warn(of: impl fmt::Display) {
    let of = brief(&of.to_string());
    anstream::eprintln!("{WARNING}warning{WARNING:#}: {}", Shown(&of));
}

/// The most characters of a message.
const MOST_SAID: usize = 900;

/// The message in one line. Of one that quotes a long text the beginning and the end are left.
pub(crate) fn brief(message: &str) -> String {
    let line = message.trim_end().replace("\r\n", "\n").replace('\n', "; ");
    let count = line.chars().count();
    if count <= MOST_SAID {
        return line;
    }
    let (first, last) = (MOST_SAID * 2 / 3, MOST_SAID / 3);
    let beginning: String = line.chars().take(first).collect();
    let end: String = line.chars().skip(count - last).collect();
    format!("{beginning} … {end}")
}

/// Locks stdout.
#[expect(clippy::disallowed_methods, reason = "the one place that prints data")]
pub(crate) fn stdout() -> Output {
    let stdout = io::stdout().lock();
    let colours = AutoStream::choice(&stdout);
    let to = match colours {
        // Unlike `AutoStream::never`, which filters.
        ColorChoice::Never => AutoStream::always_ansi(stdout),
        colours => AutoStream::new(stdout, colours),
    };
    Output::new(to, colours)
}

impl<W: Write> Output<W> {
    pub(crate) fn new(to: W, colours: ColorChoice) -> Self {
        Self { to, colours }
    }

    /// The style where colours show, else none.
    pub(crate) fn style(&self, style: Style) -> Style {
        match self.colours {
            ColorChoice::Never => Style::new(),
            _ => style,
        }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Text with its control characters made visible, so that it cannot move the cursor.
pub(crate) struct Shown<'t>(pub(crate) &'t str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' | '\t' => f.write_char(c)?,
                c if c.is_control() => write!(f, "{}", c.escape_default())?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_brief() {
        for (message, expect) in [
            ("a\nb\r\nc\n", "a; b; c".to_owned()),
            (&"é".repeat(900), "é".repeat(900)),
            (
                &format!("a {} z", "é".repeat(2000)),
                format!("a {} … {} z", "é".repeat(598), "é".repeat(298)),
            ),
        ] {
            assert_eq!(brief(message), expect);
        }
    }
}
