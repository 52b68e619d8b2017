//! Values of MessagePack. The kind is the code of the form with a length of 32 bits.

use super::{Content, Item, number, take};

const BINARY: u8 = 0xC6;
const EXTENSION: u8 = 0xC9;
const STRING: u8 = 0xDB;
const ARRAY: u8 = 0xDD;
const MAP: u8 = 0xDF;
/// What has no length.
const PLAIN: u8 = 0;

pub fn read(bytes: &mut &[u8], depth: usize) -> Option<Item> {
    let start = *bytes;
    let (&first, after) = bytes.split_first()?;
    *bytes = after;
    let inside = depth.checked_sub(1)?;
    let (kind, len) = match first {
        0x80..=0x8F => (MAP, usize::from(first & 15)),
        0x90..=0x9F => (ARRAY, usize::from(first & 15)),
        0xA0..=0xBF => (STRING, usize::from(first & 31)),
        0xC4..=0xC6 => (BINARY, number(bytes, 1 << (first - 0xC4))?),
        // The length does not count the byte of the type.
        0xC7..=0xC9 => (EXTENSION, number(bytes, 1 << (first - 0xC7))?.checked_add(1)?),
        0xD4..=0xD8 => (EXTENSION, 1 + (1 << (first - 0xD4))),
        0xD9..=0xDB => (STRING, number(bytes, 1 << (first - 0xD9))?),
        0xDC | 0xDD => (ARRAY, number(bytes, 2 << (first - 0xDC))?),
        0xDE | 0xDF => (MAP, number(bytes, 2 << (first - 0xDE))?),
        _ => {
            let len = match first {
                0xCC | 0xD0 => 1,
                0xCD | 0xD1 => 2,
                0xCA | 0xCE | 0xD2 => 4,
                0xCB | 0xCF | 0xD3 => 8,
                _ => 0,
            };
            take(bytes, len)?;
            return Some(Item::new(PLAIN, Content::Fixed(start[..1 + len].to_vec())));
        }
    };
    let head = &start[..start.len() - bytes.len()];
    let content = match kind {
        ARRAY | MAP => {
            let size = if kind == MAP { 2 } else { 1 };
            let count = len.checked_mul(size)?;
            let items = (0..count).map(|_| read(bytes, inside)).collect::<Option<_>>()?;
            Content::Groups { size, items }
        }
        _ => Content::Sized(take(bytes, len)?.to_vec()),
    };
    Some(Item::with_head(kind, head, len, content))
}

pub fn write(item: &Item, out: &mut Vec<u8>) {
    match &item.content {
        Content::Fixed(bytes) => out.extend(bytes),
        Content::Sized(bytes) => {
            head(item, bytes.len(), out);
            out.extend((item.kind == EXTENSION && bytes.is_empty()).then_some(0));
            out.extend(bytes);
        }
        Content::Groups { size, items } => {
            head(item, items.len() / size, out);
            items.iter().for_each(|each| write(each, out));
        }
    }
}

/// As it was read, or in the shortest form, but for extensions of 1, 2, 4, 8 and 16 bytes.
fn head(item: &Item, len: usize, out: &mut Vec<u8>) {
    if let Some(head) = item.head(len) {
        return out.extend(head);
    }
    let kind = item.kind;
    // Of an extension it does not count the byte of the type.
    let len = len.saturating_sub(usize::from(kind == EXTENSION));
    let is_container = matches!(kind, ARRAY | MAP);
    match (kind, len) {
        (MAP, 0..16) => out.push(0x80 | len as u8),
        (ARRAY, 0..16) => out.push(0x90 | len as u8),
        (STRING, 0..32) => out.push(0xA0 | len as u8),
        (_, 0..0x100) if !is_container => out.extend([kind - 2, len as u8]),
        (_, 0..0x1_0000) => {
            out.push(kind - 1);
            out.extend((len as u16).to_be_bytes());
        }
        _ => {
            out.push(kind);
            out.extend((len as u32).to_be_bytes());
        }
    }
}
