//! Items of CBOR (RFC 8949). The kind is the first byte of what has no length there: the major type, or of an item without a
//! length, also the five bits that say so.

use super::{Content, Item, number, take};

const BYTES: u8 = 2 << 5;
const TEXT: u8 = 3 << 5;
const ARRAY: u8 = 4 << 5;
const MAP: u8 = 5 << 5;
const TAG: u8 = 6;
/// The five bits of an item without a length, which ends with a break.
const OPEN: u8 = 31;
const BREAK: u8 = 0xFF;

pub fn read(bytes: &mut &[u8], depth: usize) -> Option<Item> {
    let start = *bytes;
    let (&first, after) = bytes.split_first()?;
    *bytes = after;
    let (major, low) = (first & 0xE0, first & OPEN);
    let extra = match low {
        24..28 => 1 << (low - 24),
        28..31 => return None,
        _ => 0,
    };
    let argument = number(bytes, extra)?;
    let len = if low < 24 { usize::from(low) } else { argument };
    let head = start[..1 + extra].to_vec();
    let inside = depth.checked_sub(1)?;
    if first >> 5 == TAG {
        let mut item = read(bytes, inside)?;
        item.tags.splice(..0, head).for_each(drop);
        return Some(item);
    }
    let size = if major == MAP { 2 } else { 1 };
    let item = match major {
        BYTES..=MAP if low == OPEN => {
            let mut items = Vec::new();
            while bytes.first() != Some(&BREAK) {
                items.push(read(bytes, inside)?);
            }
            take(bytes, 1)?;
            if items.len() % size > 0 {
                return None;
            }
            Item::new(first, Content::Groups { size, items })
        }
        BYTES | TEXT => {
            Item::with_head(major, &head, len, Content::Sized(take(bytes, len)?.to_vec()))
        }
        ARRAY | MAP => {
            let count = len.checked_mul(size)?;
            let items = (0..count).map(|_| read(bytes, inside)).collect::<Option<_>>()?;
            Item::with_head(major, &head, len, Content::Groups { size, items })
        }
        _ => Item::new(major, Content::Fixed(head)),
    };
    Some(item)
}

pub fn write(item: &Item, out: &mut Vec<u8>) {
    out.extend(&item.tags);
    match &item.content {
        Content::Fixed(bytes) => out.extend(bytes),
        Content::Sized(bytes) => {
            head(item, bytes.len(), out);
            out.extend(bytes);
        }
        Content::Groups { size, items } => {
            let is_open = item.kind & OPEN == OPEN;
            match is_open {
                true => out.push(item.kind),
                false => head(item, items.len() / size, out),
            }
            items.iter().for_each(|each| write(each, out));
            out.extend(is_open.then_some(BREAK));
        }
    }
}

/// As it was read, or in the shortest form.
fn head(item: &Item, len: usize, out: &mut Vec<u8>) {
    if let Some(head) = item.head(len) {
        return out.extend(head);
    }
    let major = item.kind;
    match len {
        0..24 => out.push(major | len as u8),
        24..0x100 => out.extend([major | 24, len as u8]),
        0x100..0x1_0000 => {
            out.push(major | 25);
            out.extend((len as u16).to_be_bytes());
        }
        _ => {
            out.push(major | 26);
            out.extend((len as u32).to_be_bytes());
        }
    }
}
