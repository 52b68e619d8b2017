//! Deeply nested Rust values are written and read up to the limit, without exhausting the stack (F-37).

use std::cell::RefCell;
use std::num::NonZero;
use std::rc::Rc;
use std::thread;

use holdall::{Code, Decode, Decoder, Encode, Encoder, Limits, Schema, from_slice, to_vec};

#[derive(Debug, Encode, Decode)]
struct Link {
    number: u32,
    next: Option<Box<Link>>,
}

impl Link {
    /// This many links, numbered from the last one.
    fn chain(len: u32) -> Link {
        (1..len).fold(Link { number: 0, next: None }, |link, number| Link {
            number,
            next: Some(Box::new(link)),
        })
    }

    /// Takes the links apart one by one, because `Drop` would recurse; returns the numbers.
    fn numbers(mut self) -> Vec<u32> {
        let mut numbers = vec![self.number];
        let mut next = self.next.take();
        while let Some(mut link) = next {
            numbers.push(link.number);
            next = link.next.take();
        }
        numbers
    }
}

#[derive(Encode)]
struct Twice<T> {
    a: Box<T>,
    b: Box<T>,
}

type Twice4<T> = Twice<Twice<Twice<Twice<T>>>>;
type Twice16<T> = Twice4<Twice4<Twice4<Twice4<T>>>>;

#[test]
fn doubly_nested_structs_end_at_the_limit_of_types() {
    // A struct occurs in the schema once for each of its places: 2^(levels + 1) - 1 types.
    assert_eq!(Twice16::<u8>::schema().unwrap().sites(), (1 << 17) - 1);
    assert_eq!(Twice16::<Twice<u8>>::schema().unwrap().sites(), (1 << 18) - 1);
    for schema in [Twice16::<Twice<Twice<u8>>>::schema(), Twice16::<Twice16<Twice16<u8>>>::schema()]
    {
        assert_eq!(schema.unwrap_err().code(), Code::LimitSites);
    }
}

#[test]
fn a_list_of_10000_boxes_survives_by_default() {
    let link = Link::chain(10_000);
    let bytes = to_vec(&link).unwrap();
    let schema = Schema::of_message(&bytes).unwrap().to_string();
    assert_eq!(schema, "#0 where #0 = struct Link {number: u32, next: option(#0)}");
    let back: Link = from_slice(&bytes).unwrap();
    assert!(back.numbers().into_iter().eq((0..10_000).rev()));
    assert_eq!(link.numbers().len(), 10_000);
}

#[test]
fn a_list_of_a_million_boxes_survives_with_a_higher_limit() {
    const LEN: u32 = 1_000_000;
    let limits = Limits::new().depth(LEN as usize);
    let link = Link::chain(LEN);
    let bytes = Encoder::new().limits(limits).encode(&link).unwrap();
    // 20 bits of number and a bit of presence each, in words of 32 bits.
    assert!(bytes.len() < 4_200_000, "{}", bytes.len());
    let back: Link = Decoder::new().limits(limits).decode(&bytes).unwrap();
    assert!(back.numbers().into_iter().eq((0..LEN).rev()));

    let error = Encoder::new().encode(&link).unwrap_err();
    assert_eq!(error.code(), Code::LimitDepth);
    let error = from_slice::<Link>(&bytes).unwrap_err();
    assert_eq!(error.code(), Code::LimitDepth);
    assert_eq!(link.numbers().len(), LEN as usize);
}

#[test]
fn a_list_one_longer_than_the_limit_is_rejected() {
    for depth in [1, 2, 1000] {
        let limits = Limits::new().depth(depth);
        let fits = Link::chain(depth as u32);
        let bytes = Encoder::new().limits(limits).encode(&fits).unwrap();
        let back: Link = Decoder::new().limits(limits).decode(&bytes).unwrap();
        assert_eq!(back.numbers().len(), depth);

        let longer = Link::chain(depth as u32 + 1);
        let error = Encoder::new().limits(limits).encode(&longer).unwrap_err();
        let text =
            format!("limit_depth: expected at most {depth} nested values of one type, got more");
        assert_eq!(error.to_string(), text);
        let bytes = to_vec(&longer).unwrap();
        let error = Decoder::new().limits(limits).decode::<Link>(&bytes).unwrap_err();
        assert_eq!(error.code(), Code::LimitDepth);
    }
}

/// An older version, with a smaller number.
mod before {
    #[derive(holdall::Encode)]
    pub struct Link {
        pub next: Option<Box<Link>>,
        pub number: u16,
    }
}

#[test]
fn a_list_of_another_schema_has_the_same_depth_limit() {
    const LEN: u16 = 10_000;
    let first = before::Link { next: None, number: 0 };
    let mut link =
        (1..LEN).fold(first, |link, number| before::Link { next: Some(Box::new(link)), number });
    let bytes = to_vec(&link).unwrap();
    let back: Link = from_slice(&bytes).unwrap();
    assert!(back.numbers().into_iter().eq((0..u32::from(LEN)).rev()));
    while let Some(next) = link.next.take() {
        link = *next;
    }
}

/// The maximum depth, read on a stack smaller than its destruction needs.
fn fails_on_a_small_stack<T: for<'de> Decode<'de>>(message: Vec<u8>, fault: &'static str) {
    let reader = thread::Builder::new().stack_size(256 << 10).spawn(move || {
        let error = from_slice::<T>(&message).map(drop).expect_err(fault);
        assert_eq!(format!("{} {}", error.code(), error.path()), fault);
    });
    reader.unwrap().join().unwrap();
}

const DEEPEST: u32 = 10_000;

#[derive(Debug, Encode)]
struct Unchecked {
    next: Option<Box<Unchecked>>,
    number: u8,
}

#[derive(Debug, Encode, Decode)]
#[holdall(rename = "Unchecked")]
struct Checked {
    next: Option<Box<Checked>>,
    number: NonZero<u8>,
}

#[test]
fn values_before_a_fault_are_freed_within_the_stack() {
    // The outermost number is a 0 that the type rejects, and is read after all links inside.
    let deepest = Unchecked { next: None, number: 1 };
    let mut link = (1..DEEPEST).fold(deepest, |link, at| Unchecked {
        next: Some(Box::new(link)),
        number: u8::from(at != DEEPEST - 1),
    });
    let message = to_vec(&link).unwrap();
    while let Some(next) = link.next.take() {
        link = *next;
    }
    fails_on_a_small_stack::<Checked>(message, "unconvertible #0[9999].number");
}

#[derive(Debug, Encode, Decode)]
struct Pointer {
    next: RefCell<Option<Rc<Pointer>>>,
    inside: Vec<Pointer>,
    number: NonZero<u8>,
}

#[derive(Debug, Encode)]
#[holdall(rename = "Pointer")]
struct UncheckedPointer {
    next: RefCell<Option<Rc<UncheckedPointer>>>,
    inside: Vec<UncheckedPointer>,
    number: u8,
}

#[test]
fn pointers_kept_until_a_fault_are_freed_within_the_stack() {
    let pointer =
        |next, inside, number| UncheckedPointer { next: RefCell::new(next), inside, number };
    let mut first = pointer(None, vec![], 1);
    for at in 1..DEEPEST {
        let number = u8::from(at != DEEPEST - 1);
        first = match at % 2 {
            0 => pointer(None, vec![first], number),
            _ => pointer(Some(Rc::new(first)), vec![], number),
        };
    }
    let message = to_vec(&first).unwrap();
    loop {
        let next = match first.inside.pop() {
            Some(inside) => inside,
            None => match first.next.take() {
                Some(next) => Rc::into_inner(next).unwrap(),
                None => break,
            },
        };
        first = next;
    }
    fails_on_a_small_stack::<Pointer>(message, "unconvertible #0[9999].number");
}
