//! Documents of BSON: names and values in turn.

use super::{Content, Item, take};

/// A name, which has no type of its own.
const NAME: u8 = 0;

pub fn document(bytes: &mut &[u8], kind: u8, depth: usize) -> Option<Item> {
    let rest = depth.checked_sub(1)?;
    let len = length(bytes)?.checked_sub(5)?;
    let mut inside = take(bytes, len)?;
    let mut items = Vec::new();
    while let Some((kind, after)) = inside.split_first() {
        inside = after;
        items.push(Item::new(NAME, Content::Sized(text(&mut inside)?.to_vec())));
        items.push(value(&mut inside, *kind, rest)?);
    }
    take(bytes, 1)?;
    Some(Item::new(kind, Content::Groups { size: 2, items }))
}

fn value(bytes: &mut &[u8], kind: u8, depth: usize) -> Option<Item> {
    let fixed = |bytes: &mut &[u8], len| Some(Content::Fixed(take(bytes, len)?.to_vec()));
    let content = match kind {
        0x03 | 0x04 => return document(bytes, kind, depth),
        0x02 | 0x0D | 0x0E => {
            let len = length(bytes)?.checked_sub(1)?;
            let text = take(bytes, len)?.to_vec();
            take(bytes, 1)?;
            Content::Sized(text)
        }
        // With the subtype, which the length does not count.
        0x05 => {
            let len = length(bytes)?.checked_add(1)?;
            Content::Sized(take(bytes, len)?.to_vec())
        }
        // A pattern and its options.
        0x0B => {
            let both = [text(bytes)?, b"\0", text(bytes)?, b"\0"].concat();
            Content::Fixed(both)
        }
        0x06 | 0x0A | 0x7F | 0xFF => fixed(bytes, 0)?,
        0x08 => fixed(bytes, 1)?,
        0x10 => fixed(bytes, 4)?,
        0x01 | 0x09 | 0x11 | 0x12 => fixed(bytes, 8)?,
        0x07 => fixed(bytes, 12)?,
        0x13 => fixed(bytes, 16)?,
        _ => return None,
    };
    Some(Item::new(kind, content))
}

fn length(bytes: &mut &[u8]) -> Option<usize> {
    let len = i32::from_le_bytes(take(bytes, 4)?.try_into().ok()?);
    usize::try_from(len).ok()
}

/// Text up to its NUL.
fn text<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let len = bytes.iter().position(|byte| *byte == 0)?;
    let text = take(bytes, len);
    take(bytes, 1)?;
    text
}

pub fn write(item: &Item, out: &mut Vec<u8>) {
    match &item.content {
        Content::Fixed(bytes) => out.extend(bytes),
        Content::Sized(bytes) if item.kind == 0x05 => {
            out.extend((bytes.len().saturating_sub(1) as u32).to_le_bytes());
            out.extend(bytes);
        }
        Content::Sized(bytes) => {
            out.extend((bytes.len() as u32 + 1).to_le_bytes());
            out.extend(bytes);
            out.push(0);
        }
        Content::Groups { items, .. } => {
            let start = out.len();
            out.extend([0; 4]);
            for pair in items.chunks_exact(2) {
                out.push(pair[1].kind);
                if let Content::Sized(name) = &pair[0].content {
                    out.extend(name);
                }
                out.push(0);
                write(&pair[1], out);
            }
            out.push(0);
            let len = (out.len() - start) as u32;
            out[start..start + 4].copy_from_slice(&len.to_le_bytes());
        }
    }
}
