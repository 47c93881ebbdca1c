//! Reading input: files or stdin, plain or zstd, whole or line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use maskwright::base::{LimitError, LineColumn};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::failure::Failure;
use super::pointer;

/// The four bytes that a zstd frame starts with.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The most bytes of a file, or of a line where lines are read one by one; unpacked.
const MOST_BYTES: usize = 256 << 20;
/// How many bytes are unpacked at a time: the decoder keeps all that is asked for before it gives any.
const CHUNK: usize = 1 << 16;

/// A text and what it is called in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Named {
    /// Reads a file, or stdin for `-`.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        Ok(Self {
            name: name(path),
            text: read_text(path)?,
        })
    }

    /// The byte at `place`.
    pub(crate) fn offset(&self, place: LineColumn) -> usize {
        let before = self.text.split_inclusive('\n').take(place.line - 1);
        let start: usize = before.map(str::len).sum();
        let line = self.text[start..].chars().take(place.column - 1);
        start + line.map(char::len_utf8).sum::<usize>()
    }

    /// An error at `span`, in bytes.
    pub(crate) fn failure(&self, message: impl Into<String>, span: Range<usize>) -> Failure {
        Failure::at(message, &self.name, &self.text, span)
    }

    /// `name:line:column: ` of the value of this JSON text that `pointer` leads to.
    pub(crate) fn place_of(&self, pointer: &str) -> String {
        match pointer::find(&self.text, pointer) {
            Some(span) => {
                let at = LineColumn::of(&self.text, span.start);
                format!("{}:{}:{}: ", self.name, at.line, at.column)
            }
            None => format!("{}: ", self.name),
        }
    }

    /// An error at the value of this JSON text that `pointer` leads to, or as far as it leads: what
    /// is missing has no place of its own.
    pub(crate) fn failure_at(&self, message: impl Into<String>, pointer: &str) -> Failure {
        let mut path = pointer;
        loop {
            match (pointer::find(&self.text, path), path.rsplit_once('/')) {
                (Some(span), _) => return self.failure(message, span),
                (None, Some((parent, _))) => path = parent,
                (None, None) => return Failure::new(format!("{}: {}", self.name, message.into())),
            }
        }
    }
}

/// How a path is called in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file, or stdin for `-`.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if is_stdin(path) {
        return Ok(Box::new(std::io::stdin()));
    }
    Ok(Box::new(
        File::open(path).map_err(|e| Failure::io(path, &e))?,
    ))
}

/// The files of a directory, by name.
pub(crate) fn files_in(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail = |e| Failure::io(directory, &e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The whole of a file (or stdin) as bytes, decompressed.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let fail = |e| Failure::io(path, &e);
    let mut reader = decompressed(open(path)?).map_err(fail)?;
    read_whole(&mut reader, MOST_BYTES).map_err(fail)
}

/// All that `reader` gives, which is text.
pub(crate) fn read_text_of(reader: &mut dyn BufRead) -> std::io::Result<String> {
    let bytes = read_whole(reader, MOST_BYTES)?;
    String::from_utf8(bytes).map_err(std::io::Error::other)
}

/// The next line of `reader`, which is text; none after the last.
pub(crate) fn read_line(reader: &mut dyn BufRead) -> std::io::Result<Option<String>> {
    let line = read_line_bytes(reader)?;
    line.map(String::from_utf8)
        .transpose()
        .map_err(std::io::Error::other)
}

/// The next line of `reader`; none after the last.
pub(crate) fn read_line_bytes(reader: &mut dyn BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut reader = reader.take(MOST_BYTES as u64 + 1);
    let read = reader.read_until(b'\n', &mut line)?;
    LimitError::check("bytes of a line", read, MOST_BYTES).map_err(std::io::Error::other)?;
    Ok((read > 0).then_some(line))
}

fn read_whole(reader: &mut dyn BufRead, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = reader.take(most as u64 + 1).read_to_end(&mut bytes)?;
    LimitError::check("bytes of a file", read, most).map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// The whole of a file (or stdin) as text, decompressed.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read_bytes(path)?).map_err(|e| {
        Failure::new(format!(
            "{}: not UTF-8 at byte {}",
            name(path),
            e.utf8_error().valid_up_to()
        ))
    })
}

/// What `reader` gives, decompressed where it starts with zstd's magic number.
pub(crate) fn decompressed<R: Read + 'static>(reader: R) -> std::io::Result<Box<dyn BufRead>> {
    let mut reader = BufReader::with_capacity(CHUNK, reader);
    let mut magic = [0; 4];
    let mut known = 0;
    while known < magic.len() {
        match reader.read(&mut magic[known..])? {
            0 => break,
            n => known += n,
        }
    }
    let whole = std::io::Cursor::new(magic).take(known as u64).chain(reader);
    if known < magic.len() || magic != ZSTD_MAGIC {
        return Ok(Box::new(whole));
    }
    Ok(Box::new(BufReader::with_capacity(
        CHUNK,
        Frames::new(whole)?,
    )))
}

/// The contents of zstd frames, one after the other.
struct Frames<R: BufRead> {
    /// The frame being read; none once all are read.
    frame: Option<StreamingDecoder<R, FrameDecoder>>,
}

impl<R: BufRead> Frames<R> {
    fn new(reader: R) -> std::io::Result<Self> {
        let frame = StreamingDecoder::new(reader).map_err(std::io::Error::other)?;
        Ok(Self { frame: Some(frame) })
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let chunk = out.len().min(CHUNK);
        let out = &mut out[..chunk];
        while let Some(frame) = &mut self.frame {
            let read = frame.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let ended = self.frame.take().map(StreamingDecoder::into_inner);
            if let Some(mut rest) = ended
                && !rest.fill_buf()?.is_empty()
            {
                *self = Self::new(rest)?;
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_plain_and_zstd() {
        let text = "one\ntwo\n".repeat(1000).into_bytes();
        let packed = ruzstd::encoding::compress_to_vec(
            text.as_slice(),
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        assert!(packed.len() < text.len());
        let (two, twice) = (
            [&packed[..], &packed[..]].concat(),
            [&text[..], &text[..]].concat(),
        );
        for (input, expect) in [
            (text.clone(), &text),
            (packed, &text),
            (b"ab".to_vec(), &b"ab".to_vec()),
            (two, &twice),
        ] {
            let mut out = Vec::new();
            let mut reader = decompressed(std::io::Cursor::new(input)).expect("readable");
            reader.read_to_end(&mut out).expect("readable");
            assert_eq!(&out, expect);
        }
    }

    #[test]
    fn reads_no_more_than_the_limit() {
        let read = |bytes: usize| {
            let mut reader = std::io::Cursor::new(vec![b'x'; bytes]);
            read_whole(&mut reader, 10).map_err(|error| error.to_string())
        };
        assert_eq!(read(10).map(|bytes| bytes.len()), Ok(10));
        let error = read(1000).expect_err("too many");
        assert_eq!(error, "bytes of a file: 11 needed, 10 allowed");
    }

    #[test]
    fn places_become_bytes() {
        let named = Named {
            name: "t".to_owned(),
            text: "ab\nécd\n".to_owned(),
        };
        for (at, line, column) in [(0, 1, 1), (3, 2, 1), (5, 2, 2), (8, 3, 1)] {
            assert_eq!(named.offset(LineColumn { line, column }), at);
        }
    }

    #[test]
    fn refuses_damaged_zstd() {
        let input = [&ZSTD_MAGIC[..], b"nonsense"].concat();
        let mut out = Vec::new();
        let read = decompressed(std::io::Cursor::new(input))
            .and_then(|mut reader| reader.read_to_end(&mut out));
        assert!(read.is_err());
    }
}
