//! The sizes of a value in the other profiles.
//!
//! A message does not name its profile, so the value is written in each one and the sizes are compared. The numbers
//! apply to this version of the library. A message of another writer, or of a program with static types, may have
//! another schema than the one inferred from its value; then only the sizes of entire messages are known. Of a stream, the
//! values of each block are written as a block.

use holdall::events::{Shredder, Source};
use holdall::stream::is_stream;
use holdall::trace::{FieldForm, Trace};
use holdall::{
    Alignment, Decoder, Encoder, Header, Limits, Metadata, Profile, Reader, Result, Value,
    WriterOptions,
};

use crate::number;
use crate::stat::{Column, Statistics, columns, schemas};

/// The sizes of a value in each profile.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Savings {
    /// Each profile, and the bytes of the message in it, with the same envelope; none if the value cannot be written.
    pub sizes: Vec<(Profile, usize)>,
    /// The first of `balanced` and `small` in which the message is smaller.
    pub next: Option<Profile>,
    /// The bytes that each column would save there; negative if it would grow. None if there is no such profile, or if
    /// the schemas differ.
    pub columns: Option<Vec<i64>>,
    /// The reason for missing information.
    pub note: Option<String>,
}

/// Returns the name of a profile, as on the command line.
#[must_use]
pub fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Fast => "fast",
        Profile::Balanced => "balanced",
        Profile::Small => "small",
        _ => "other",
    }
}

impl Savings {
    /// Writes the values of a valid message or stream again.
    pub(crate) fn of(data: &[u8], decoder: &Decoder, own: &Statistics) -> Savings {
        let mut savings = Savings { sizes: Vec::new(), next: None, columns: None, note: None };
        if let Err(error) = savings.try_all(data, decoder, own) {
            savings.note = Some(format!("the value cannot be written again: {error}"));
        }
        savings
    }

    fn try_all(&mut self, data: &[u8], decoder: &Decoder, own: &Statistics) -> Result<()> {
        for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
            let again = own.envelope_options.write(data, decoder, profile)?;
            self.sizes.push((profile, again.len()));
            if profile == Profile::Fast || self.next.is_some() || again.len() >= data.len() {
                continue;
            }
            self.next = Some(profile);
            self.columns = column_savings(own, &again, decoder);
            if self.columns.is_none() {
                let note =
                    "columns cannot be compared: the schema inferred from the value is another";
                self.note = Some(note.to_owned());
            }
        }
        Ok(())
    }

    pub(crate) fn to_value(&self) -> Value {
        let sizes = self.sizes.iter().map(|&(profile, size)| (profile_name(profile), number(size)));
        Value::record([
            ("sizes", Value::record(sizes)),
            ("next", self.next.map_or(Value::Null, |next| Value::from(profile_name(next)))),
            ("note", self.note.as_deref().map_or(Value::Null, Value::from)),
        ])
    }
}

/// Returns what each column would save in other data with the same values.
fn column_savings(own: &Statistics, again: &[u8], decoder: &Decoder) -> Option<Vec<i64>> {
    // This crate wrote it, and it may need as large a budget as the original, which is longer.
    let decoder = decoder.clone().limits(Limits::new().budget(u64::MAX));
    let trace = decoder.trace(again);
    if schemas(&trace) != own.schemas {
        return None;
    }
    let (own, again) = (&own.columns, columns(&trace));
    let is_like = |(one, other): (&Column, &Column)| {
        (one.role, one.rows, &one.path) == (other.role, other.rows, &other.path)
    };
    let are_like = again.len() == own.len() && own.iter().zip(&again).all(is_like);
    let saved = |(now, then): (&Column, &Column)| now.bytes as i64 - then.bytes as i64;
    are_like.then(|| own.iter().zip(&again).map(saved).collect())
}

/// What surrounds the columns: the flags of a message (F-58, F-66), or the options of a stream.
#[derive(Clone, Debug)]
pub(crate) enum EnvelopeOptions {
    Message { first: u64, extended: u64 },
    Stream(WriterOptions),
}

impl EnvelopeOptions {
    /// The options of valid data.
    pub(crate) fn of(data: &[u8], trace: &Trace) -> EnvelopeOptions {
        let number = |form: FieldForm| {
            let span = trace.spans.iter().find(|span| span.form == form);
            span.and_then(|span| span.number).unwrap_or(0)
        };
        if !is_stream(data) {
            let (first, extended) = (number(FieldForm::Flags), number(FieldForm::ExtendedFlags));
            return EnvelopeOptions::Message { first, extended };
        }
        let head = trace.spans.iter().find(|span| span.rule == 85).and_then(|span| span.number);
        let mut options = WriterOptions::new()
            .aligned(alignment(head.is_some_and(|head| head & 1 != 0)))
            .block_bytes(usize::MAX)
            .statistics(trace.spans.iter().any(|span| span.form == FieldForm::Statistics));
        if let Some(sync) = data.get(8..).and_then(|rest| rest.first_chunk()) {
            options = options.sync(*sync);
        }
        EnvelopeOptions::Stream(options)
    }

    /// Writes the values of the same data in a profile.
    fn write(&self, data: &[u8], decoder: &Decoder, profile: Profile) -> Result<Vec<u8>> {
        match self {
            EnvelopeOptions::Message { first, extended } => {
                let is_set = |flags: u64, bit: u32| flags >> bit & 1 != 0;
                let by_fingerprint = is_set(*first, 0);
                let encoder = Encoder::new();
                let encoder = match decoder.dictionary_of(data) {
                    Some(dictionary) => encoder.dictionary(dictionary),
                    None => encoder,
                };
                encoder
                    .profile(profile)
                    .header(if by_fingerprint { Header::Fingerprint } else { Header::Schema })
                    .aligned(alignment(is_set(*first, 2)))
                    .checksum(is_set(*extended, 1))
                    .length(is_set(*extended, 2))
                    .metadata(Metadata::of_message(data)?)
                    .message(&mut Emitted { message: data, decoder: decoder.clone() })
            }
            EnvelopeOptions::Stream(options) => {
                let mut reader = Reader::with_decoder(data, decoder);
                let options = options.clone().metadata(reader.metadata()?.clone());
                let mut writer = options.profile(profile).to(Vec::new())?;
                while let Some(block) = reader.next_block()? {
                    for value in block.decode::<Value>()? {
                        writer.write(&value)?;
                    }
                    writer.write_block()?;
                }
                writer.finish()
            }
        }
    }
}

fn alignment(aligned: bool) -> Alignment {
    if aligned { Alignment::On } else { Alignment::Off }
}

/// The value of a message, emitted from its bytes without building a tree.
struct Emitted<'m> {
    message: &'m [u8],
    decoder: Decoder,
}

impl Source for Emitted<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        self.decoder.message(self.message, shredder)
    }
}
