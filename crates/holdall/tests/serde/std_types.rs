//! Types of std, in their compact forms.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BinaryHeap, LinkedList};
use std::ffi::{CString, OsString};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{NonZeroI128, NonZeroU8, Wrapping};
use std::ops::Bound;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use holdall::serde::{from_slice, to_vec};

use super::{check, round};

#[test]
fn addresses_are_compact() {
    check(
        vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)],
        "list(union {V4: tuple(u8, u8, u8, u8), V6: long_tuple(list(u8))})",
    );
    round(&Ipv6Addr::UNSPECIFIED);
    round(&"[::1]:80".parse::<SocketAddr>().unwrap());
    round(&"1.2.3.4:80".parse::<SocketAddr>().unwrap());
}

#[test]
fn times_and_ranges_survive() {
    check(Duration::new(1, 5), "struct Duration {secs: u64, nanos: u32}");
    round(&(SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 1)));
    check(1_u8..5, "struct Range {start: u8, end: u8}");
    round(&(1_i64..=5));
    round(&vec![Bound::Included(1_u8), Bound::Excluded(2), Bound::Unbounded]);
}

#[test]
fn results_and_options_survive() {
    round(&vec![Ok::<u8, String>(1), Err("x".into())]);
    round(&vec![Some(Ok::<(), ()>(())), Some(Err(())), None]);
}

#[test]
fn os_strings_survive() {
    round(&OsString::from("x"));
    round(&PathBuf::from("/a/b"));
    round(&CString::new("abc").unwrap());
    round(&"abc".to_owned().into_boxed_str());
}

#[test]
fn other_types_of_std_survive() {
    round(&LinkedList::from([1, 2]));
    round(&NonZeroU8::new(5));
    round(&NonZeroI128::MIN);
    round(&Wrapping(5_u16));
    round(&std::cmp::Reverse(5_u16));
    round(&(Cell::new(1), RefCell::new("x".to_owned()), Box::new(2)));
    round(&(PhantomData::<u8>, BTreeMap::from([(NonZeroU8::MIN, ())])));
    let heap: BinaryHeap<u8> =
        from_slice(&to_vec(&BinaryHeap::from([1_u8, 3, 2])).unwrap()).unwrap();
    assert_eq!(heap.into_sorted_vec(), [1, 2, 3]);
    let mutex: Mutex<u8> = from_slice(&to_vec(&Mutex::new(1_u8)).unwrap()).unwrap();
    assert_eq!(mutex.into_inner().unwrap(), 1);
    let atomic: AtomicU32 = from_slice(&to_vec(&AtomicU32::new(9)).unwrap()).unwrap();
    assert_eq!(atomic.load(Ordering::Relaxed), 9);
    let error = from_slice::<NonZeroU8>(&to_vec(&0_u8).unwrap()).unwrap_err();
    assert_eq!(error.code(), holdall::Code::Unconvertible);
}
