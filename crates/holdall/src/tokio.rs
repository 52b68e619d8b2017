//! Messages for tokio's `AsyncWrite` and `AsyncRead`. Requires the feature `tokio`.
//!
//! Connections with a value after the other have [`stream::Codec`](crate::stream::Codec).
//!
//! ```
//! # ::tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let (mut ours, mut theirs) = tokio::io::duplex(3);
//! let written = async {
//!     holdall::tokio::to_writer(&mut ours, &(300_u32, "hello")).await?;
//!     drop(ours); // the message ends where the connection does
//!     Ok::<(), holdall::Error>(())
//! };
//! let read = holdall::tokio::from_reader::<(u32, String)>(&mut theirs);
//! let ((), read) = tokio::try_join!(written, read)?;
//! assert_eq!(read, (300, "hello".into()));
//! # Ok::<(), holdall::Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::vec::Vec;

use ::tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::decoder::{Arrival, Decoder, no_message};
use crate::encoder::Encoder;
use crate::error::Result;
use crate::typed::{DecodeOwned, Encode};

/// Writes a value as a message, as [`to_writer`](crate::to_writer). The value is encoded by the call itself, so the future
/// does not hold it. It does not flush the writer.
///
/// # Errors
/// As [`Encoder::encode`]; `io`.
pub fn to_writer<'w, W, T>(
    writer: &'w mut W,
    value: &T,
) -> impl Future<Output = Result<()>> + use<'w, W, T>
where
    W: AsyncWrite + Unpin + ?Sized,
    T: Encode + ?Sized,
{
    let message = Encoder::new().encode(value);
    async move { Ok(writer.write_all(&message?).await?) }
}

/// Reads one message, as [`from_reader`](crate::from_reader).
///
/// # Errors
/// The same.
pub async fn from_reader<T: DecodeOwned>(
    reader: &mut (impl AsyncRead + Unpin + ?Sized),
) -> Result<T> {
    let mut decoder = Decoder::new();
    let message = next_message(&decoder, reader).await?.ok_or_else(no_message)?;
    decoder.decode(&message)
}

/// Reads the bytes of the next message, as [`Decoder::next_message`]. A future that is dropped loses what it has read.
///
/// # Errors
/// The same.
pub async fn next_message(
    decoder: &Decoder,
    reader: &mut (impl AsyncRead + Unpin + ?Sized),
) -> Result<Option<Vec<u8>>> {
    let mut arrival = Arrival::default();
    while let Some(wanted) = arrival.wants(decoder.messages.limits)? {
        let count = reader.take(wanted).read_to_end(arrival.buffer()).await?;
        arrival.took(count, wanted);
    }
    arrival.finish()
}
