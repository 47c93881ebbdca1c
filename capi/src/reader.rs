//! Readers: `mw_reader`.

use std::collections::VecDeque;

use super::constraint_options::MwConstraintOptions;
use super::error::{MwError, guard, make};
use super::failure::Failure;
use super::lead::{Lead, OwnedLead};
use super::options::write;
use super::pointer::{exclusive, free, shared, slice};
use super::request::Request;
use super::status::Status;
use super::text::MwText;
use super::vocabulary::MwVocabulary;
use maskwright::base::{Span, TokenId};
use maskwright::reader::{Closing, Event, ReadError, Reader, ReaderConfig, ReaderPlan, Strictness};
use maskwright::session::Engine;

/// `mw_reader`.
pub(super) struct MwReader(Box<Turn>);

struct Turn {
    shared: Shared,
    /// `None` once the turn has been ended.
    reader: Option<Reader>,
    /// The events that the host has not asked for.
    open: VecDeque<Event>,
    /// The event whose texts the host has.
    told: Option<Event>,
}

/// What readers of one request share.
#[derive(Clone)]
struct Shared {
    plan: ReaderPlan,
    lead: Option<OwnedLead>,
    config: ReaderConfig,
    engine: Option<Engine>,
}

/// `mw_event`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct MwEvent {
    size: usize,
    /// `enum mw_event_kind`.
    kind: i32,
    complete: i32,
    call: usize,
    text: MwText,
    id: MwText,
    start: usize,
    end: usize,
}

// The bits of `enum mw_reader_flags`.
const LENIENT: u32 = 1;
const CLOSED: u32 = 2;

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_reader_new(
    vocabulary: *const MwVocabulary,
    options: *const MwConstraintOptions,
    flags: u32,
    out: *mut *mut MwReader,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: the host's, here and in all functions of this interface.
    unsafe {
        make(out, error, || {
            let over = match vocabulary.is_null() {
                true => None,
                false => Some(shared(vocabulary, "vocabulary")?),
            };
            let (plan, lead) = Request::read(options)?.reader(over)?;
            Turn::begin(Shared {
                plan,
                lead: lead.owned(),
                config: config(flags)?,
                engine: over.map(|over| over.0.clone()),
            })
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_reader_settle(
    options: *const MwConstraintOptions,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_reader_new`.
    unsafe { guard(error, || Request::read(options)?.settle()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_reader_again(
    reader: *const MwReader,
    out: *mut *mut MwReader,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_reader_new`.
    unsafe {
        make(out, error, || {
            Turn::begin(shared(reader, "reader")?.0.shared.clone())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_reader_free(reader: *mut MwReader) {
    // SAFETY: as in `mw_reader_new`.
    unsafe { free(reader) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_reader_feed(
    reader: *mut MwReader,
    text: MwText,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_reader_new`.
    unsafe {
        guard(error, || {
            let turn = &mut *exclusive(reader, "reader")?.0;
            let bytes = text.bytes("text")?;
            turn.read(|reader| reader.feed_bytes(bytes))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_reader_feed_tokens(
    reader: *mut MwReader,
    tokens: *const u32,
    count: usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_reader_new`; a `TokenId` is a `u32`.
    unsafe {
        guard(error, || {
            let turn = &mut *exclusive(reader, "reader")?.0;
            let tokens = slice(tokens.cast::<TokenId>(), count, "tokens")?;
            turn.read(|reader| reader.feed_tokens(tokens))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_reader_finish(reader: *mut MwReader, error: *mut *mut MwError) -> i32 {
    // SAFETY: as in `mw_reader_new`.
    unsafe {
        guard(error, || {
            let turn = &mut *exclusive(reader, "reader")?.0;
            let reader = turn.reader.take().ok_or_else(ended)?;
            turn.open.extend(reader.finish()?.0);
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_reader_next(
    reader: *mut MwReader,
    event: *mut MwEvent,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_reader_new`.
    unsafe {
        guard(error, || {
            let turn = &mut *exclusive(reader, "reader")?.0;
            let next = turn.open.front().map_or(MwEvent::NONE, MwEvent::lent);
            write(event, next, "event")?;
            turn.told = turn.open.pop_front();
            Ok(())
        })
    }
}

impl Turn {
    fn begin(shared: Shared) -> Result<MwReader, Failure> {
        let mut reader = Reader::new(&shared.plan, shared.config);
        let vocabulary = shared.engine.as_ref().map(Engine::vocabulary);
        Lead::skip(shared.lead.as_ref(), &mut reader, vocabulary)?;
        Ok(MwReader(Box::new(Self {
            shared,
            reader: Some(reader),
            open: VecDeque::new(),
            told: None,
        })))
    }

    fn read(
        &mut self,
        feed: impl FnOnce(&mut Reader) -> Result<Vec<Event>, ReadError>,
    ) -> Result<(), Failure> {
        let reader = self.reader.as_mut().ok_or_else(ended)?;
        self.open.extend(feed(reader)?);
        // What was wrong behind these events is told at once, too.
        reader.feed_bytes(&[])?;
        Ok(())
    }
}

fn ended() -> Failure {
    Failure::new(Status::Ended, "the turn was ended by mw_reader_finish")
}

fn config(flags: u32) -> Result<ReaderConfig, Failure> {
    if flags & !(LENIENT | CLOSED) != 0 {
        let message = format!("`flags`: {flags} has bits that are not known");
        return Err(Failure::invalid(message));
    }
    let mut config = ReaderConfig::default();
    if flags & LENIENT != 0 {
        config.strictness = Strictness::Lenient;
    }
    if flags & CLOSED != 0 {
        config.closing = Closing::Needed;
    }
    Ok(config)
}

impl MwEvent {
    const NONE: Self = Self {
        size: size_of::<Self>(),
        kind: 0,
        complete: 0,
        call: 0,
        text: MwText::ABSENT,
        id: MwText::ABSENT,
        start: 0,
        end: 0,
    };

    /// The event for the host; its texts stay the event's.
    fn lent(event: &Event) -> Self {
        let of = |kind, span: &Span| Self {
            kind,
            start: span.start,
            end: span.end,
            ..Self::NONE
        };
        let text = |text: &str| MwText::lent(Some(text));
        match event {
            Event::Reasoning { text: said, span } => Self {
                text: text(said),
                ..of(1, span)
            },
            Event::Content { text: said, span } => Self {
                text: text(said),
                ..of(2, span)
            },
            Event::Call {
                index,
                name,
                id,
                span,
            } => Self {
                call: *index,
                text: text(name),
                id: MwText::lent(id.as_deref()),
                ..of(3, span)
            },
            Event::CallId { index, id, span } => Self {
                call: *index,
                id: text(id),
                ..of(4, span)
            },
            Event::Arguments {
                index,
                text: said,
                span,
            } => Self {
                call: *index,
                text: text(said),
                ..of(5, span)
            },
            Event::CallEnd { index, span } => Self {
                call: *index,
                ..of(6, span)
            },
            Event::Argument {
                index,
                name,
                value,
                span,
            } => Self {
                call: *index,
                text: text(value),
                id: text(name),
                ..of(9, span)
            },
            Event::Broken { span } => of(7, span),
            Event::End { is_complete, span } => Self {
                complete: i32::from(*is_complete),
                ..of(8, span)
            },
            // Whatever later versions of the library have is told of by later versions of this interface.
            _ => Self::NONE,
        }
    }
}
