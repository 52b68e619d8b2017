//! Inputs of binary formats as trees of items, to be changed and written with the lengths and counts that they then have.

mod bson;
mod cbor;
mod msgpack;

use crate::common::chance::Chance;

/// The format of an input, which is one item.
#[derive(Clone, Copy)]
pub enum Grammar {
    Bson,
    Cbor,
    Msgpack,
}

#[derive(Clone)]
pub struct Item {
    /// The bytes of its tags.
    tags: Vec<u8>,
    /// What its format knows it by.
    kind: u8,
    /// The bytes before its content as they were read, and the length or count in them: they may be longer than they need to be.
    head: (Vec<u8>, usize),
    content: Content,
}

#[derive(Clone)]
enum Content {
    /// As many bytes as its kind has.
    Fixed(Vec<u8>),
    /// Bytes, or text, with a length before them.
    Sized(Vec<u8>),
    /// Items, or keys and values in turn: a group is 1 or 2 of them.
    Groups { size: usize, items: Vec<Item> },
}

/// Containers nested deeper are not taken apart.
const DEPTH: usize = 256;

impl Grammar {
    /// The item that is the whole input.
    pub fn read(self, mut bytes: &[u8]) -> Option<Item> {
        let bytes = &mut bytes;
        let item = match self {
            Grammar::Bson => bson::document(bytes, 0x03, DEPTH),
            Grammar::Cbor => cbor::read(bytes, DEPTH),
            Grammar::Msgpack => msgpack::read(bytes, DEPTH),
        };
        item.filter(|_| bytes.is_empty())
    }

    pub fn write(self, item: &Item) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Grammar::Bson => bson::write(item, &mut out),
            Grammar::Cbor => cbor::write(item, &mut out),
            Grammar::Msgpack => msgpack::write(item, &mut out),
        }
        out
    }
}

impl Item {
    fn new(kind: u8, content: Content) -> Item {
        Item { tags: Vec::new(), kind, head: (Vec::new(), usize::MAX), content }
    }

    fn with_head(kind: u8, head: &[u8], len: usize, content: Content) -> Item {
        Item { head: (head.to_vec(), len), ..Item::new(kind, content) }
    }

    /// The bytes before its content as they were read, if it still has this length or count.
    fn head(&self, len: usize) -> Option<&[u8]> {
        (self.head.1 == len).then_some(&self.head.0)
    }

    fn items(&self) -> &[Item] {
        if let Content::Groups { items, .. } = &self.content { items } else { &[] }
    }

    /// How many items there are, with those inside.
    fn count(&self) -> usize {
        1 + self.items().iter().map(Item::count).sum::<usize>()
    }

    /// The item of a number: 0 is this one, and those inside follow.
    fn at(&mut self, number: &mut usize) -> Option<&mut Item> {
        if *number == 0 {
            return Some(self);
        }
        *number -= 1;
        let Content::Groups { items, .. } = &mut self.content else { return None };
        items.iter_mut().find_map(|item| item.at(number))
    }

    /// Any item of those inside, or this one.
    fn pick(&mut self, chance: &mut Chance) -> &mut Item {
        let mut number = chance.below(self.count());
        self.at(&mut number).expect("a number below the count")
    }

    /// Changes one item: `edit` the bytes that it has; or removes, repeats, swaps or copies what it holds; or gives it the kind of
    /// another one.
    pub fn change(&mut self, chance: &mut Chance, edit: impl FnOnce(&mut Chance, &mut Vec<u8>)) {
        let other = self.pick(chance).clone();
        let item = self.pick(chance);
        if !item.tags.is_empty() && chance.below(4) == 0 {
            return edit(chance, &mut item.tags);
        }
        let is_alike = match (&item.content, &other.content) {
            (Content::Sized(_), Content::Sized(_)) => true,
            (Content::Groups { size, .. }, Content::Groups { size: other, .. }) => size == other,
            _ => false,
        };
        // Names of BSON have none.
        let have_kinds = item.kind != 0 && other.kind != 0;
        if is_alike && have_kinds && item.kind != other.kind && chance.below(4) == 0 {
            (item.kind, item.head.1) = (other.kind, usize::MAX);
            return;
        }
        match &mut item.content {
            Content::Fixed(bytes) => {
                let len = bytes.len();
                edit(chance, bytes);
                bytes.resize(len, 0);
            }
            Content::Sized(bytes) => edit(chance, bytes),
            Content::Groups { size, items } => regroup(chance, *size, items, &other.content),
        }
    }
}

fn regroup(chance: &mut Chance, size: usize, items: &mut Vec<Item>, other: &Content) {
    let groups = items.len() / size;
    let at = chance.below(groups + 1) * size;
    let from = match other {
        Content::Groups { size: own, items } if *own == size && !items.is_empty() => items,
        _ => &*items,
    };
    let group = from.chunks(size).nth(chance.below(from.len() / size)).map(<[Item]>::to_vec);
    match chance.below(4) {
        0 if at < items.len() => drop(items.drain(at..at + size)),
        1 if at < items.len() => {
            let with = chance.below(groups) * size;
            (0..size).for_each(|each| items.swap(at + each, with + each));
        }
        2 if at < items.len() => {
            items.splice(at..at + size, group.into_iter().flatten()).for_each(drop);
        }
        _ => items.splice(at..at, group.into_iter().flatten()).for_each(drop),
    }
}

/// Takes bytes from the front.
fn take<'b>(bytes: &mut &'b [u8], len: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// Takes a big-endian number of at most 8 bytes.
fn number(bytes: &mut &[u8], len: usize) -> Option<usize> {
    let value = take(bytes, len)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
    usize::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [(Grammar, &[&[u8]]); 3] = [
        (
            Grammar::Bson,
            &[
                b"\x05\0\0\0\0",
                b"\x1D\0\0\0\x01a\0\0\0\0\0\0\0\x08\xC0\x02b\0\x02\0\0\0x\0\x08c\0\x01\0",
                b"\x24\0\0\0\x03d\0\x1C\0\0\0\x04e\0\x0C\0\0\0\x0A0\0\x081\0\0\0\x03f\0\x05\0\0\0\0\0\0",
                b"\x15\0\0\0\x05u\0\x01\0\0\0\x80\x07\x0Br\0a\0i\0\0",
            ],
        ),
        (
            Grammar::Cbor,
            &[b"\xBF\x63Fun\xF5\x63Amt\x21\xFF", b"\x82\xD8\x25\x41\x05\xC1\x1A\x51\x4B\x67\xB0", b"\xA1\x81\xF6\x7F\x61a\xFF", b"\x9A\0\0\0\x01\x78\x01a"],
        ),
        (
            Grammar::Msgpack,
            &[b"\x82\xA1a\xC4\x02\x01\x02\x01\x93\xC0\xCB\0\0\0\0\0\0\0\0\xC7\x03\x05abc", b"\xDC\0\x02\xD5\x01ab\xDA\0\x01a"],
        ),
    ];

    #[test]
    fn inputs_are_written_as_they_were_read() {
        for (grammar, inputs) in FORMATS {
            for input in inputs {
                let item = grammar.read(input).expect("a whole item");
                assert_eq!(grammar.write(&item), *input);
            }
        }
    }

    #[test]
    fn what_is_no_whole_item_is_not_taken_apart() {
        for bytes in [&b"\xBF\x01\xFF"[..], b"\x9C", b"\x82\x01", b"\x01\x02", b""] {
            assert!(Grammar::Cbor.read(bytes).is_none(), "{bytes:02X?}");
        }
    }

    #[test]
    fn changed_inputs_have_right_lengths_and_counts() {
        let mut chance = Chance::new(1);
        for (grammar, inputs) in FORMATS {
            for input in inputs {
                let mut item = grammar.read(input).expect("a whole item");
                for _ in 0..500 {
                    // A byte more, which a number does not keep, but not in a tag.
                    item.change(&mut chance, |chance, bytes| {
                        let is_tag = matches!(bytes.first(), Some(0xC0..=0xDB));
                        if chance.below(2) == 0 && !is_tag {
                            bytes.push(b'x');
                        }
                    });
                    if item.count() > 500 {
                        item = grammar.read(input).expect("a whole item");
                    }
                    let bytes = grammar.write(&item);
                    let again = grammar.read(&bytes).expect("a whole item");
                    assert_eq!((again.count(), grammar.write(&again)), (item.count(), bytes));
                }
            }
        }
    }
}
