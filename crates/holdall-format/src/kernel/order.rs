//! Whether memory has the byte order of the format.

/// Whether numbers have the same bytes in memory as in the format, so that columns are copied, borrowed or mapped whole.
/// Otherwise each number is converted.
///
/// `--cfg holdall_each_number` takes the way of the other machines where both orders are the same, so that tests run it:
/// `make test-byte-order`.
pub const IS_FORMAT_ORDER: bool = cfg!(all(target_endian = "little", not(holdall_each_number)));
