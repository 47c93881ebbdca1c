//! Printing a turn as it is generated: control tokens, header and body told apart in colour.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::output::{Output, Shown};

/// Where a header ends and the body begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyStart {
    /// After this control token.
    Control(&'static str),
    /// After the first line break.
    Line,
    /// At once: there is no header.
    Start,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Control,
    Header,
    Body,
}

impl Part {
    fn style(self) -> Style {
        match self {
            Self::Control => AnsiColor::Magenta.on_default().bold(),
            Self::Header => AnsiColor::Cyan.on_default(),
            Self::Body => Style::new(),
        }
    }
}

/// Paints tokens onto `out`.
pub(crate) struct Painter<'o, W: Write> {
    out: &'o mut Output<W>,
    body_start: BodyStart,
    part: Part,
    /// The beginning of a character whose other bytes are still to come.
    pending: Vec<u8>,
}

impl<'o, W: Write> Painter<'o, W> {
    /// A painter at the beginning of a turn.
    pub(crate) fn new(out: &'o mut Output<W>, body_start: BodyStart) -> Self {
        let part = if body_start == BodyStart::Start {
            Part::Body
        } else {
            Part::Header
        };
        Self {
            out,
            body_start,
            part,
            pending: Vec::new(),
        }
    }

    /// Paints a control token. The others than the one that starts a body start a header.
    pub(crate) fn control(&mut self, name: &str) -> io::Result<()> {
        self.flush_pending()?;
        self.write(Part::Control, name)?;
        self.part = match self.body_start {
            BodyStart::Control(start) if start == name => Part::Body,
            BodyStart::Start => Part::Body,
            BodyStart::Control(_) | BodyStart::Line => Part::Header,
        };
        self.out.flush()
    }

    /// Paints the bytes of an ordinary token.
    pub(crate) fn text(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(bytes);
        let complete = match std::str::from_utf8(&self.pending) {
            Ok(_) => self.pending.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.pending.len(),
        };
        let rest = self.pending.split_off(complete);
        let text = std::mem::replace(&mut self.pending, rest);
        self.parts(&String::from_utf8_lossy(&text))?;
        self.out.flush()
    }

    /// Ends the turn's line.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush_pending()?;
        writeln!(self.out)?;
        self.out.flush()
    }

    fn flush_pending(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.pending);
        self.parts(&String::from_utf8_lossy(&text))
    }

    /// Writes text, which may hold the end of a header.
    fn parts(&mut self, text: &str) -> io::Result<()> {
        if (self.body_start, self.part) == (BodyStart::Line, Part::Header)
            && let Some(end) = text.find('\n')
        {
            self.write(Part::Header, &text[..end])?;
            self.part = Part::Body;
            return self.write(Part::Body, &text[end..]);
        }
        self.write(self.part, text)
    }

    fn write(&mut self, part: Part, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let style = self.out.style(part.style());
        write!(self.out, "{style}{}{style:#}", Shown(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARMONY: BodyStart = BodyStart::Control("<|message|>");

    /// Paints `<…>` as control tokens and the rest byte by byte; `[h:…]`, `[c:…]` mark the parts.
    fn painted(body_start: BodyStart, tokens: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut coloured = Output::new(&mut out, anstream::ColorChoice::Always);
        let mut painter = Painter::new(&mut coloured, body_start);
        for token in tokens {
            match std::str::from_utf8(token) {
                Ok(name) if name.starts_with("<|") => painter.control(name),
                _ => painter.text(token),
            }
            .expect("writing to memory");
        }
        painter.finish().expect("writing to memory");
        let mut text = String::from_utf8(out).expect("UTF-8");
        for (part, mark) in [(Part::Control, "[c:"), (Part::Header, "[h:")] {
            text = text.replace(&part.style().to_string(), mark);
        }
        text.replace("\u{1b}[0m", "]")
    }

    #[test]
    fn tells_the_parts_apart() {
        let tokens: &[&[u8]] = &[
            b"<|channel|>",
            b"final",
            b"<|message|>",
            b"Hi",
            b"<|end|>",
            b"x",
        ];
        assert_eq!(
            painted(HARMONY, tokens),
            "[c:<|channel|>][h:final][c:<|message|>]Hi[c:<|end|>][h:x]\n"
        );
        assert_eq!(
            painted(BodyStart::Line, &[b"assistant\nHi"]),
            "[h:assistant]\nHi\n"
        );
        assert_eq!(
            painted(BodyStart::Start, &[b"{}", b"<|return|>"]),
            "{}[c:<|return|>]\n"
        );
    }

    #[test]
    fn joins_split_characters_and_hides_escapes() {
        assert_eq!(
            painted(BodyStart::Start, &[b"\xc3", b"\xa9\xf0\x9f", b"\x98\x80"]),
            "é😀\n"
        );
        assert_eq!(painted(BodyStart::Start, &[b"a\xff", b"b"]), "a\u{fffd}b\n");
        assert_eq!(painted(BodyStart::Start, &[b"\x1b[2J\t"]), "\\u{1b}[2J\t\n");
        assert_eq!(painted(BodyStart::Start, &[b"\xc3"]), "\u{fffd}\n");
    }
}
