//! The sizes of a value in the other profiles.
//!
//! A message does not name its profile, so the value is written in each one and the sizes are compared. The numbers
//! apply to this version of the library. A message of another writer, or of a program with static types, may have
//! another schema than the one inferred from its value; then only the sizes of entire messages are known.

use holdall::{
    Alignment, Decoder, Encoder, Header, Limits, Metadata, Profile, Result, Shredder, Source, Value,
};

use crate::number;
use crate::stat::{Column, columns};

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
    /// Writes the value of a valid message.
    pub(crate) fn of(
        message: &[u8],
        decoder: &Decoder,
        flags: Flags,
        columns: &[Column],
    ) -> Savings {
        let mut savings = Savings { sizes: Vec::new(), next: None, columns: None, note: None };
        if let Err(error) = savings.try_all(message, decoder, flags, columns) {
            savings.note = Some(format!("the value cannot be written again: {error}"));
        }
        savings
    }

    fn try_all(
        &mut self,
        message: &[u8],
        decoder: &Decoder,
        flags: Flags,
        own: &[Column],
    ) -> Result<()> {
        let mut encoder = flags.encoder().metadata(Metadata::of_message(message)?);
        for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
            encoder = encoder.profile(profile);
            let again = encoder.message(&mut Emitted { message, decoder: decoder.clone() })?;
            self.sizes.push((profile, again.len()));
            if profile == Profile::Fast || self.next.is_some() || again.len() >= message.len() {
                continue;
            }
            self.next = Some(profile);
            self.columns = column_savings(message, own, &again, decoder);
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

/// Returns what each column of a message would save in another message of the same value.
fn column_savings(
    message: &[u8],
    own: &[Column],
    again: &[u8],
    decoder: &Decoder,
) -> Option<Vec<i64>> {
    // This crate wrote it, and it may need as large a budget as the original, which is longer.
    let mut decoder = decoder.clone().limits(Limits::new().budget(u64::MAX));
    if decoder.schema(again).ok()? != decoder.schema(message).ok()? {
        return None;
    }
    let again = columns(&decoder.trace(again));
    let is_like = |(one, other): (&Column, &Column)| {
        (one.role, one.rows, &one.path) == (other.role, other.rows, &other.path)
    };
    let are_like = again.len() == own.len() && own.iter().zip(&again).all(is_like);
    let saved = |(now, then): (&Column, &Column)| now.bytes as i64 - then.bytes as i64;
    are_like.then(|| own.iter().zip(&again).map(saved).collect())
}

/// The flags of a message (F-58, F-66).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) first: u64,
    pub(crate) extended: u64,
}

impl Flags {
    /// An encoder for messages with these flags.
    fn encoder(self) -> Encoder {
        let is_set = |flags: u64, bit: u32| flags >> bit & 1 != 0;
        Encoder::new()
            .header(if is_set(self.first, 0) { Header::Fingerprint } else { Header::Schema })
            .aligned(if is_set(self.first, 2) { Alignment::On } else { Alignment::Off })
            .checksum(is_set(self.extended, 1))
            .length(is_set(self.extended, 2))
    }
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
