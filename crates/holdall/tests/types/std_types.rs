//! Types of the standard library beside numbers, text, lists and maps.

use std::cmp::Reverse;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fmt::Debug;
use std::ops::RangeToInclusive;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16,
    AtomicU32, AtomicU64, AtomicUsize,
};

use holdall::{
    BigInt, Code, Decode, DecodeOwned, Decoder, Encode, Encoder, Header, Value, from_slice, to_vec,
};

/// A value has this schema and these bytes, and survives.
#[track_caller]
fn check<T: Encode + DecodeOwned + Debug>(value: &T, schema: &str, bytes: &[u8]) {
    assert_eq!(T::schema().unwrap().to_string(), schema);
    let body = Encoder::new().header(Header::Bare).encode(value).unwrap();
    assert_eq!(body, bytes, "{value:?}");
    let text = format!("{value:?}");
    assert_eq!(format!("{:?}", Decoder::new().decode_body::<T>(&body).unwrap()), text);
    assert_eq!(format!("{:?}", from_slice::<T>(&to_vec(value).unwrap()).unwrap()), text);
    // In columns.
    let message = to_vec(&[value, value, value, value]).unwrap();
    assert_eq!(
        format!("{:?}", from_slice::<[T; 4]>(&message).unwrap()),
        format!("{:?}", [value; 4])
    );
}

#[test]
fn they_have_their_bytes() {
    check(&Reverse(300_u16), "u16", &[0xB1, 0x04]);
    check(&(..=7_u8), "struct RangeToInclusive {end: u8}", &[7]);
    check(&OsString::from("é"), "string", &[4, 0xC3, 0xA9]);
    check::<Box<OsStr>>(&OsStr::new("a").into(), "string", b"\x02a");
    check(&CString::new("ab").unwrap(), "bytes", b"\x04ab");
    check::<Box<CStr>>(&c"".into(), "bytes", &[0]);
    check(&AtomicBool::new(true), "bool", &[1]);
    check(&AtomicU8::new(255), "u8", &[255]);
    check(&AtomicI8::new(-1), "i8", &[255]);
    check(&AtomicU16::new(1), "u16", &[2]);
    check(&AtomicI16::new(-1), "i16", &[2]);
    check(&AtomicU32::new(1), "u32", &[2]);
    check(&AtomicI32::new(-1), "i32", &[2]);
    check(&AtomicU64::new(1), "u64", &[2]);
    check(&AtomicI64::new(-1), "i64", &[2]);
    check(&AtomicUsize::new(1), "u64", &[2]);
    check(&AtomicIsize::new(-1), "i64", &[2]);
    let all: RangeToInclusive<String> = ..="z".to_owned();
    check(&all, "struct RangeToInclusive {end: string}", b"\x02z");
}

/// std implements no trait for tuples of more than 12 items.
#[track_caller]
fn survives<T: Encode + DecodeOwned>(value: &T, schema: &str) {
    assert_eq!(T::schema().unwrap().to_string(), schema);
    let bytes = to_vec(value).unwrap();
    assert_eq!(to_vec(&from_slice::<T>(&bytes).unwrap()).unwrap(), bytes);
}

#[test]
fn tuples_have_up_to_16_items() {
    let bytes = (1_u8, 2_u8, 3_u8, 4_u8, 5_u8, 6_u8, 7_u8, 8_u8, 9_u8, 10_u8, 11_u8, 12_u8, 13_u8);
    let body = Encoder::new().header(Header::Bare).encode(&bytes).unwrap();
    assert_eq!(body, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    survives(&bytes, &format!("tuple({})", ["u8"; 13].join(", ")));
    let (one, text) = (1_u8, "z".to_owned());
    let row = (one, one, one, one, one, one, one, one, one, one, one, one, one, 1.5_f32, one, text);
    let schema = format!("tuple({}, f32, u8, string)", ["u8"; 13].join(", "));
    survives(&row, &schema);
    survives(&vec![row.clone(), row.clone(), row.clone(), row], &format!("list({schema})"));
}

#[test]
fn rejects_a_c_string_with_a_zero_inside() {
    let error = from_slice::<CString>(&to_vec(&b"a\0b".to_vec()).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "unconvertible in $: expected bytes other than 0, got a 0 at 1");
}

#[cfg(unix)]
#[test]
fn text_of_the_system_that_is_not_unicode_is_unsupported() {
    use std::os::unix::ffi::OsStrExt;

    let error = to_vec(OsStr::from_bytes(&[0xFF])).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Shared {
    names: Rc<[String]>,
    again: Rc<[String]>,
    other: Rc<[String]>,
}

#[test]
fn shared_lists_keep_their_identity() {
    let names: Rc<[String]> = ["a".to_owned(), "b".to_owned()].into();
    let value = Shared { names: Rc::clone(&names), again: names, other: Rc::new([]) };
    let back: Shared = from_slice(&to_vec(&value).unwrap()).unwrap();
    assert_eq!(back, value);
    assert!(Rc::ptr_eq(&back.names, &back.again));
    assert!(!Rc::ptr_eq(&back.names, &back.other));

    let list: Arc<[u32]> = (0..1000).collect();
    let many = vec![Arc::clone(&list); 100];
    let bytes = to_vec(&many).unwrap();
    assert!(bytes.len() < 1500, "{}", bytes.len());
    let back: Vec<Arc<[u32]>> = from_slice(&bytes).unwrap();
    assert_eq!(back, many);
    assert!(back.iter().all(|list| Arc::ptr_eq(list, &back[0])));
    // Without identity, and back.
    assert_eq!(from_slice::<Vec<Vec<u32>>>(&bytes).unwrap(), vec![list.to_vec(); 100]);
    let plain = to_vec(&vec![vec![1_u32], vec![]]).unwrap();
    assert_eq!(from_slice::<Vec<Arc<[u32]>>>(&plain).unwrap()[0][..], [1]);
}

#[derive(Debug, Encode, Decode)]
struct Nested {
    children: Arc<[Nested]>,
}

#[test]
fn shared_lists_of_a_type_that_contains_itself() {
    let leaf: Arc<[Nested]> = Arc::new([]);
    let inner: Arc<[Nested]> =
        Arc::new([Nested { children: Arc::clone(&leaf) }, Nested { children: leaf }]);
    let root = Nested {
        children: Arc::new([Nested { children: Arc::clone(&inner) }, Nested { children: inner }]),
    };
    let back: Nested = from_slice(&to_vec(&root).unwrap()).unwrap();
    let [one, two] = &back.children[..] else { panic!("{back:?}") };
    assert!(Arc::ptr_eq(&one.children, &two.children));
    assert!(Arc::ptr_eq(&one.children[0].children, &two.children[1].children));
}

#[test]
fn integers_beyond_64_bits_are_read_as_such_alone() {
    let big = |number: i128| BigInt::from_le_bytes(&number.to_le_bytes()).unwrap();
    let numbers = [1 << 64, i128::MIN, i128::MAX, -1 << 100];
    let values: Vec<BigInt> = numbers.map(big).into();
    let bytes = to_vec(&values).unwrap();
    let same: Vec<Value> = values.iter().cloned().map(Value::from).collect();
    assert_eq!(bytes, to_vec(&same).unwrap());
    assert_eq!(from_slice::<Vec<BigInt>>(&bytes).unwrap(), values);
    let error = from_slice::<Vec<BigInt>>(&to_vec(&[1_i64 << 62, 7]).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"));
}
