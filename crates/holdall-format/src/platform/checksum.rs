//! The checksum of a message (F-67).

/// CRC-32C. With std by the processor's own instructions, where it has them.
#[cfg(feature = "std")]
#[inline]
#[must_use]
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

/// CRC-32C, 4 bits at a time: 64 bytes of table, where a program has little room for one.
#[cfg(not(feature = "std"))]
#[must_use]
pub fn checksum(bytes: &[u8]) -> u32 {
    by_table(bytes)
}

/// Castagnoli's polynomial, the lowest bit first.
#[cfg(any(test, not(feature = "std")))]
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// What 4 bits add to the remainder.
#[cfg(any(test, not(feature = "std")))]
const REMAINDERS: [u32; 16] = {
    let mut all = [0; 16];
    let mut bits = 0;
    while bits < all.len() {
        let (mut left, mut step) = (bits as u32, 0);
        while step < 4 {
            left = if left & 1 == 1 { left >> 1 ^ POLYNOMIAL } else { left >> 1 };
            step += 1;
        }
        all[bits] = left;
        bits += 1;
    }
    all
};

#[cfg(any(test, not(feature = "std")))]
fn by_table(bytes: &[u8]) -> u32 {
    let step = |left: u32| left >> 4 ^ REMAINDERS[left as usize & 0xF];
    !bytes.iter().fold(!0, |left, byte| step(step(left ^ u32::from(*byte))))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn the_table_gives_the_checksum_of_the_instructions() {
        assert_eq!(by_table(b"123456789"), 0xE306_9283);
        let bytes: Vec<u8> = (0..300_u32).map(|n| ((n * n) >> 3) as u8).collect();
        (0..bytes.len())
            .for_each(|len| assert_eq!(by_table(&bytes[..len]), checksum(&bytes[..len])));
    }
}
