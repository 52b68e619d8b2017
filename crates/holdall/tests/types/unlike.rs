//! Data of another schema in Rust types that lack a counterpart: variants that an enum lacks, null within two options,
//! shared values in types that share nothing.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use holdall::resolution::Reads;
use holdall::{
    Code, Decode, Decoder, Encode, Field, Limits, Resolver, Schema, Value, from_slice, to_vec,
};

fn read<T: for<'de> Decode<'de>>(value: &(impl Encode + ?Sized)) -> holdall::Result<T> {
    from_slice(&to_vec(value).unwrap())
}

#[derive(Encode)]
enum Newer {
    Start,
    Pause { until: Vec<u64>, note: String },
    Stop(u8),
    Jump(Box<Newer>),
    Skip,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum Event {
    Start,
    Stop(u16),
    #[holdall(other)]
    Unknown,
}

fn newer() -> Vec<Newer> {
    vec![
        Newer::Skip,
        Newer::Stop(3),
        Newer::Pause { until: vec![1, 2], note: "n".into() },
        Newer::Jump(Box::new(Newer::Start)),
        Newer::Start,
    ]
}

#[test]
fn unknown_variants_become_other() {
    use Event::{Start, Stop, Unknown};
    assert_eq!(read::<Vec<Event>>(&newer()).unwrap(), [Unknown, Stop(3), Unknown, Unknown, Start]);
    // Its own name is read as before.
    assert_eq!(read::<Event>(&Unknown).unwrap(), Unknown);
    assert_eq!(
        Event::schema().unwrap().to_string(),
        "union {Start: null, Stop: u16, Unknown: null}"
    );
}

#[test]
fn a_known_variant_with_a_wrong_payload_is_not_other() {
    #[derive(Encode)]
    enum Text {
        Start,
        Stop(String),
    }
    assert_eq!(read::<Vec<Event>>(&vec![Text::Start]).unwrap(), [Event::Start]);
    let error = read::<Vec<Event>>(&vec![Text::Start, Text::Stop("x".into())]).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[1]<Stop>"));
}

#[test]
fn an_enum_without_known_variants_is_all_other() {
    #[derive(Encode)]
    enum Strange {
        A(u8),
        B,
    }
    let events: Vec<Event> = read(&vec![Strange::A(1), Strange::B]).unwrap();
    assert_eq!(events, [Event::Unknown, Event::Unknown]);
}

#[test]
fn other_belongs_to_one_enum() {
    #[derive(Debug, PartialEq, Decode)]
    enum Strict {
        Start,
        Stop(u16),
        Unknown,
    }
    // The same variants in another order: information about one does not apply to the other.
    type Pair = (Event, Strict);
    let pair = |a, b| read::<Pair>(&(a, b));
    assert_eq!(pair(Newer::Skip, Newer::Start).unwrap(), (Event::Unknown, Strict::Start));
    let error = pair(Newer::Start, Newer::Skip).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[1]<Skip>"));
}

#[test]
fn other_works_in_shared_structs_and_with_defaults() {
    #[derive(Debug, PartialEq, Decode)]
    struct Entry {
        event: Event,
        #[holdall(default)]
        tags: Vec<u8>,
    }
    #[derive(Debug, PartialEq, Decode)]
    struct Log {
        first: Entry,
        second: Entry,
        all: Vec<Entry>,
    }
    #[derive(Encode)]
    struct Written {
        event: Newer,
    }
    #[derive(Encode)]
    struct WrittenLog {
        first: Written,
        second: Written,
        all: Vec<Written>,
    }
    let written = || Written { event: Newer::Pause { until: vec![], note: String::new() } };
    let log = WrittenLog { first: written(), second: written(), all: vec![written()] };
    let entry = || Entry { event: Event::Unknown, tags: vec![] };
    let expected = Log { first: entry(), second: entry(), all: vec![entry()] };
    assert_eq!(read::<Log>(&log).unwrap(), expected);
}

#[test]
fn values_shared_with_a_skipped_payload_are_read() {
    #[derive(Encode)]
    enum Sharing {
        New(Rc<String>),
        Old(Rc<String>),
    }
    #[derive(Debug, PartialEq, Decode)]
    enum Known {
        Old(Rc<String>),
        #[holdall(other)]
        Other,
    }
    let text = Rc::new("x".to_owned());
    let known: Vec<Known> =
        read(&vec![Sharing::New(Rc::clone(&text)), Sharing::Old(Rc::clone(&text))]).unwrap();
    assert_eq!(known, [Known::Other, Known::Old(text)]);
}

#[test]
fn a_resolver_takes_other_variants_by_name_where_they_are_null() {
    let old = Vec::<Event>::schema().unwrap();
    let new = Schema::of_message(&to_vec(&newer()).unwrap()).unwrap();
    let doubtful = Resolver::new(old.clone());
    assert!(matches!(doubtful.reads(&new), Reads::Depends(checks) if checks.len() == 3));
    let resolver = Resolver::new(old.clone()).other_variant("Unknown");
    assert!(matches!(resolver.reads(&new), Reads::Always));
    let events = resolver.read(&to_vec(&newer()).unwrap()).unwrap();
    let typed: Vec<Event> = read(&newer()).unwrap();
    assert_eq!(
        to_vec(&from_slice::<Value>(&to_vec(&typed).unwrap()).unwrap()).unwrap(),
        to_vec(&events).unwrap()
    );
    // A variant with a value has none to give.
    let error =
        Resolver::new(old).other_variant("Stop").read(&to_vec(&newer()).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::Unconvertible);
}

#[test]
fn null_within_options_keeps_its_depth() {
    type Two = Option<Option<u64>>;
    let two: Vec<Option<Option<u8>>> = vec![None, Some(None), Some(Some(7))];
    assert_eq!(read::<Vec<Two>>(&two).unwrap(), [None, Some(None), Some(Some(7))]);
    let three: Vec<Option<Option<Option<u8>>>> =
        vec![None, Some(None), Some(Some(None)), Some(Some(Some(7)))];
    let wide: Vec<Option<Option<Option<u16>>>> =
        vec![None, Some(None), Some(Some(None)), Some(Some(Some(7)))];
    assert_eq!(read::<Vec<Option<Option<Option<u16>>>>>(&three).unwrap(), wide);
    // An option that the data lacks: their null is the outer one's, their value is in both.
    assert_eq!(read::<Vec<Two>>(&vec![None, Some(7_u8)]).unwrap(), [None, Some(Some(7))]);
    assert_eq!(read::<Vec<Two>>(&vec![7_u8]).unwrap(), [Some(Some(7))]);
    assert_eq!(read::<Two>(&()).unwrap(), None);
    // An option that the reader lacks: null within it is not a number.
    let error = read::<Vec<Option<u64>>>(&two).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[1]"));
    // Null as a value of its own.
    let units: Vec<Option<Option<()>>> = vec![None, Some(None), Some(Some(()))];
    let list: Vec<(Option<Option<()>>, u64)> =
        read(&units.iter().map(|unit| (*unit, 1_u8)).collect::<Vec<_>>()).unwrap();
    assert_eq!(list.iter().map(|(unit, _)| *unit).collect::<Vec<_>>(), units);
}

#[test]
fn null_within_an_option_behind_a_pointer_is_kept() {
    type Data = Vec<(Option<Rc<Option<u8>>>, u8)>;
    type Read = Vec<(Option<Rc<Option<u8>>>, u16)>;
    let shared = Rc::new(None);
    let data: Data = vec![
        (None, 1),
        (Some(Rc::clone(&shared)), 2),
        (Some(shared), 3),
        (Some(Rc::new(Some(4))), 5),
    ];
    let back: Read = read(&data).unwrap();
    let values: Vec<Option<Option<u8>>> =
        back.iter().map(|(at, _)| at.as_deref().copied()).collect();
    assert_eq!(values, [None, Some(None), Some(None), Some(Some(4))]);
    assert!(Rc::ptr_eq(back[1].0.as_ref().unwrap(), back[2].0.as_ref().unwrap()));
}

#[test]
fn a_default_replaces_a_missing_field_but_not_null() {
    fn three() -> Option<u8> {
        Some(3)
    }
    fn cell() -> Rc<Cell<Option<u8>>> {
        Rc::new(Cell::new(Some(3)))
    }
    #[derive(Debug, PartialEq, Decode)]
    struct Options {
        #[holdall(default = "three")]
        a: Option<u8>,
        #[holdall(default = "cell")]
        b: Rc<Cell<Option<u8>>>,
    }
    #[derive(Encode)]
    struct Null {
        a: Option<u8>,
        b: Option<u8>,
    }
    #[derive(Encode)]
    struct Missing {}
    let options = |value| Options { a: value, b: Rc::new(Cell::new(value)) };
    assert_eq!(read::<Options>(&Missing {}).unwrap(), options(Some(3)));
    assert_eq!(read::<Options>(&Null { a: None, b: None }).unwrap(), options(None));
    assert_eq!(read::<Options>(&Null { a: Some(4), b: Some(4) }).unwrap(), options(Some(4)));
    let record = Value::record([("a", Value::Null), ("b", Value::Null)]);
    assert_eq!(read::<Options>(&record).unwrap(), options(None));
    // The resolver's own defaults differ: it has a value for an option.
    let schema = Schema::of_message(&to_vec(&(Some(1_u8),)).unwrap()).unwrap();
    assert!(
        Resolver::new(schema)
            .default(Field::of_record("a"), Value::Null)
            .read(&to_vec(&(1_u8,)).unwrap())
            .is_ok()
    );
}

#[test]
fn shared_values_are_copied_into_types_that_do_not_share() {
    let text = Rc::new("x".to_owned());
    let pair = vec![Rc::clone(&text), Rc::new("y".to_owned()), text];
    assert_eq!(read::<Vec<String>>(&pair).unwrap(), ["x", "y", "x"]);
    let list = Rc::new(vec![1_u8, 2]);
    let lists = vec![Some(Rc::clone(&list)), None, Some(list)];
    assert_eq!(
        read::<Vec<Option<Vec<u64>>>>(&lists).unwrap(),
        [Some(vec![1, 2]), None, Some(vec![1, 2])]
    );
}

#[test]
fn values_are_shared_or_copied_by_their_types() {
    #[derive(Encode)]
    struct Written {
        a: Rc<Vec<u8>>,
        b: Rc<Vec<u8>>,
        c: Rc<Vec<u8>>,
        d: Rc<Vec<u8>>,
        e: Rc<Vec<u8>>,
    }
    #[derive(Decode)]
    struct Read {
        a: Vec<u8>,
        b: Rc<Vec<u8>>,
        c: Arc<Vec<u8>>,
        d: Rc<Vec<u8>>,
        e: Rc<Vec<u16>>,
    }
    let of = Rc::new(vec![1_u8, 2, 3]);
    let [a, b, c, d, e] = std::array::from_fn(|_| Rc::clone(&of));
    let read: Read = read(&Written { a, b, c, d, e }).unwrap();
    assert_eq!((&read.a, &*read.b, &*read.c), (&*of, &*of, &*of));
    assert!(Rc::ptr_eq(&read.b, &read.d));
    assert_eq!(*read.e, [1, 2, 3]);
}

#[derive(Encode)]
struct Doubling(Option<[Rc<Doubling>; 2]>);

#[derive(Decode)]
struct Copied(#[allow(dead_code)] Option<Box<[Copied; 2]>>);

fn doubling(levels: usize) -> Doubling {
    (0..levels).fold(Doubling(None), |inner, _| {
        let inner = Rc::new(inner);
        Doubling(Some([Rc::clone(&inner), inner]))
    })
}

#[test]
fn the_budget_bounds_copies_of_shared_values() {
    assert!(read::<Copied>(&doubling(8)).is_ok());
    let bytes = to_vec(&doubling(60)).unwrap();
    let mut decoder = Decoder::new().limits(Limits::new().budget(1 << 20));
    let error = decoder.decode::<Copied>(&bytes).err().unwrap();
    assert_eq!(error.code(), Code::LimitBudget);
}

#[test]
fn a_ring_cannot_be_copied() {
    use std::cell::RefCell;
    use std::rc::Weak;

    #[derive(Encode)]
    struct Node {
        name: String,
        parent: RefCell<Weak<Node>>,
        children: RefCell<Vec<Rc<Node>>>,
    }
    #[derive(Debug, Decode)]
    struct Flat {
        #[allow(dead_code)]
        name: String,
        #[allow(dead_code)]
        children: Vec<Flat>,
    }
    #[derive(Debug, Decode)]
    struct Looped {
        #[allow(dead_code)]
        parent: Option<Box<Looped>>,
        #[allow(dead_code)]
        children: Vec<Looped>,
    }
    let node = |name: &str| Node {
        name: name.into(),
        parent: RefCell::default(),
        children: RefCell::default(),
    };
    let root = Rc::new(node("root"));
    let child = Rc::new(node("child"));
    *child.parent.borrow_mut() = Rc::downgrade(&root);
    root.children.borrow_mut().push(child);
    let bytes = to_vec(&root).unwrap();
    assert!(from_slice::<Flat>(&bytes).is_ok());
    let error = from_slice::<Looped>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$.children[0].parent"));
}

#[test]
fn errors_in_converted_rows_have_no_offset() {
    #[derive(PartialEq, Eq, Hash, Decode)]
    #[holdall(from = "u8")]
    struct Parity(bool);
    impl From<u8> for Parity {
        fn from(number: u8) -> Parity {
            Parity(number % 2 == 1)
        }
    }
    type Numbers<V> = BTreeMap<u8, V>;
    let two: Numbers<f64> = [(1, 0.5), (3, 0.5)].into();
    // Its own columns, in the bytes.
    let error = read::<HashMap<Parity, f64>>(&two).map(drop).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::DuplicateKey, Some(6)));
    let two: Numbers<f32> = [(1, 0.5), (3, 0.5)].into();
    let error = read::<HashMap<Parity, f64>>(&two).map(drop).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::DuplicateKey, None));
}

#[test]
fn converted_rows_of_each_kind_are_read() {
    #[derive(Encode)]
    struct Written<'a> {
        float: f32,
        bits: [bool; 3],
        small: i8,
        int: u16,
        wide: Vec<i128>,
        text: &'a str,
        bytes: Option<&'a [u8]>,
        shared: (Rc<u16>, Rc<u16>),
        time: std::time::Duration,
        map: BTreeMap<String, u8>,
        choice: Event,
    }
    #[derive(Debug, PartialEq, Decode)]
    struct Read {
        choice: Event,
        #[holdall(default)]
        added: Option<u8>,
        float: f64,
        bits: [bool; 3],
        small: i16,
        int: u64,
        wide: Vec<i128>,
        text: String,
        bytes: Option<Vec<u8>>,
        shared: (Rc<u32>, Rc<u32>),
        time: std::time::Duration,
        map: HashMap<String, u32>,
    }
    let rows: Vec<_> = (0..100_u8)
        .map(|n| {
            let shared = Rc::new(u16::from(n));
            Written {
                float: f32::from(n) / 2.0,
                bits: [n % 2 == 0, n % 3 == 0, true],
                small: n.cast_signed() - 50,
                int: u16::from(n) * 600,
                wide: vec![i128::MAX - i128::from(n); usize::from(n % 3)],
                text: ["", "a", "\u{e9}\u{e9}"][usize::from(n) % 3],
                bytes: (n % 5 > 0).then_some(b"\xFF"),
                shared: (Rc::clone(&shared), shared),
                time: std::time::Duration::from_nanos(u64::from(n)),
                map: (0..n % 4).map(|key| (key.to_string(), n)).collect(),
                choice: if n % 7 == 0 { Event::Stop(3) } else { Event::Start },
            }
        })
        .collect();
    let read: Vec<Read> = read(&rows).unwrap();
    assert_eq!(read.len(), rows.len());
    for (n, (read, row)) in read.into_iter().zip(rows).enumerate() {
        assert_eq!((read.float, read.bits), (row.float.into(), row.bits));
        assert_eq!((read.small, read.int), (row.small.into(), row.int.into()));
        assert_eq!((&*read.text, read.wide), (row.text, row.wide));
        assert_eq!(read.bytes.as_deref(), row.bytes);
        assert_eq!((*read.shared.0, *read.shared.1), (n as u32, n as u32));
        assert!(Rc::ptr_eq(&read.shared.0, &read.shared.1));
        assert_eq!((read.time, read.added), (row.time, None));
        assert_eq!((read.choice, read.map.len()), (row.choice, row.map.len()));
        assert!(read.map.iter().all(|(key, value)| u32::from(row.map[key]) == *value));
    }
}
