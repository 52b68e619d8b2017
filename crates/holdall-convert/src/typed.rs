//! Values of Rust types in other formats and back, each way in one call. A message of holdall is between the two.

use holdall::bindings::schema_to_read;
use holdall::{Code, DecodeOwned, Decoder, Encode, Encoder, Error, Limits, Result, Schema};

use crate::coding::Emitted;
use crate::spelled::SpelledSource;
use crate::{Format, Packer, Unpacker};

impl Format {
    /// Writes a value of a Rust type in this format; `holdall_convert::serde::to_vec` does the same for types with serde's derives.
    ///
    /// A value that the format cannot hold is an error with its path. [`Unpacker::to_vec`] has options for some of them.
    ///
    /// ```
    /// use holdall::{Decode, Encode};
    /// use holdall_convert::Format;
    ///
    /// #[derive(Debug, PartialEq, Encode, Decode)]
    /// struct User { id: u32, name: String, score: Option<f64> }
    ///
    /// let users = vec![User { id: 7, name: "Ada".into(), score: None }];
    /// let json = Format::Json.to_vec(&users)?;
    /// assert_eq!(json, br#"[{"id":7,"name":"Ada","score":null}]"#);
    /// assert_eq!(Format::Json.from_slice::<Vec<User>>(&json)?, users);
    ///
    /// let rows = Format::Csv.to_vec(&users)?;
    /// assert_eq!(rows, b"id,name,score\n7,Ada,\n");
    /// assert_eq!(Format::Csv.from_slice::<Vec<User>>(&rows)?, users);
    ///
    /// let error = Format::Json.to_vec(&[f64::NAN]).unwrap_err();
    /// assert_eq!((error.code(), error.path()), (holdall::Code::Unrepresentable, "$[0]"));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::encode`] and [`Unpacker::unpack`].
    pub fn to_vec<T: Encode + ?Sized>(self, value: &T) -> Result<Vec<u8>> {
        Unpacker::new(self).to_vec(value)
    }

    /// Reads a value of a Rust type from data in this format; `holdall_convert::serde::from_slice` does the same for types with
    /// serde's derives.
    ///
    /// ```
    /// use holdall_convert::Format;
    ///
    /// assert_eq!(Format::Msgpack.from_slice::<(u8, String)>(b"\x92\x07\xA1a")?, (7, "a".to_owned()));
    ///
    /// let error = Format::Json.from_slice::<Vec<u8>>(b"[1, 300]").unwrap_err();
    /// assert_eq!((error.code(), error.path()), (holdall::Code::Unconvertible, "$[1]"));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Packer::from_slice`].
    pub fn from_slice<T: DecodeOwned>(self, input: &[u8]) -> Result<T> {
        Packer::new(self).from_slice(input)
    }
}

impl Unpacker {
    /// Writes a value of a Rust type, in the forms of [`Unpacker::like_serde`] unless it is or contains a [`Value`](holdall::Value).
    ///
    /// ```
    /// use holdall_convert::{Format, Unpacker};
    ///
    /// let when = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    /// let storage = Unpacker::new(Format::Json).storage(true);
    /// assert_eq!(storage.to_vec(&[when])?, br#"["1970-01-01T00:00:01Z"]"#);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::encode`] and [`Unpacker::unpack`].
    pub fn to_vec<T: Encode + ?Sized>(&self, value: &T) -> Result<Vec<u8>> {
        // Only a type that has a schema says what these forms stand for.
        let like_serde = self.like_serde || T::schema().is_ok();
        let message = holdall::to_vec(value)?;
        self.like_serde(like_serde).write_own(Emitted::Message(message.into()))
    }

    /// Writes a value that the program made itself, so no limit is of use.
    pub(crate) fn write_own(&self, value: Emitted<'_>) -> Result<Vec<u8>> {
        let limits = Limits::new().budget(u64::MAX).output(usize::MAX);
        let written = self.write(&mut Decoder::new().limits(limits), value);
        written.map_err(Error::without_offset)
    }
}

impl Packer<'_> {
    /// Reads a value of a Rust type. Unless [`Packer::names`] says otherwise, names in DLHN and text in CSV are those of the type. The forms
    /// that [`Unpacker::like_serde`] and [`Unpacker::storage`] write are read by the type's schema.
    ///
    /// ```
    /// use holdall_convert::{Format, Packer};
    ///
    /// #[derive(Debug, PartialEq, holdall::Encode, holdall::Decode)]
    /// enum Shape { Point, Circle(f32) }
    ///
    /// let shapes = Packer::new(Format::Json).from_slice::<Vec<Shape>>(br#"["Point",{"Circle":0.1}]"#)?;
    /// assert_eq!(shapes, [Shape::Point, Shape::Circle(0.1)]);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Packer::pack`], with the offset in the input; as [`Decoder::decode`], with the path in the value.
    pub fn from_slice<T: DecodeOwned>(&self, input: &[u8]) -> Result<T> {
        let own = schema_of::<T>()?;
        let packer = self.or_names(own.as_ref());
        let message = packer.pack(&mut Encoder::new(), input)?;
        let read = holdall::from_slice(&message).or_else(|error| match &own {
            Some(schema) if matches!(error.code(), Code::Incompatible | Code::Unconvertible) => {
                let is_text = packer.is_human_readable();
                let mut source = SpelledSource { message: &message, schema, is_text };
                holdall::from_slice(&Encoder::new().message(&mut source)?)
            }
            _ => Err(error),
        });
        read.map_err(Error::without_offset)
    }
}

/// The schema of a type, if all its values have one.
fn schema_of<T: DecodeOwned>() -> Result<Option<Schema>> {
    match schema_to_read::<T>() {
        Err(error) if error.code() == Code::UnsupportedValue => Ok(None),
        schema => schema.map(Some),
    }
}
