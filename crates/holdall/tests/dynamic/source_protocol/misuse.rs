//! Events that break the protocol, each with its error.

use super::*;

type Events = fn(&mut Shredder) -> Result<()>;

#[test]
fn a_source_that_breaks_the_protocol_gets_an_error() {
    let misuses: &[(&str, Events)] = &[
        ("nothing", |_| Ok(())),
        ("two roots", |s| {
            s.int(1)?;
            s.int(2)
        }),
        ("a second root behind a container", |s| {
            s.begin_list(0)?;
            s.end()?;
            s.null()
        }),
        ("an end at first", |s| s.end()),
        ("an end behind a scalar", |s| {
            s.bool(true)?;
            s.end()
        }),
        ("two ends", |s| {
            s.begin_list(0)?;
            s.end()?;
            s.end()
        }),
        ("a list without end", |s| s.begin_list(0)),
        ("a list in a list without end", |s| {
            s.begin_list(1)?;
            s.begin_list(0)?;
            s.end()
        }),
        ("a tuple with too few items", |s| {
            s.begin_tuple(2)?;
            s.null()?;
            s.end()
        }),
        ("a tuple with too many items", |s| {
            s.begin_tuple(1)?;
            s.null()?;
            s.null()
        }),
        ("several integers in a tuple of one", |s| {
            s.begin_tuple(1)?;
            s.ints(&[1, 2])
        }),
        ("a record with too few values", |s| {
            s.begin_record(&shape("a b"))?;
            s.null()?;
            s.end()
        }),
        ("a record with too many values", |s| {
            s.begin_record(&shape("a"))?;
            s.null()?;
            s.null()
        }),
        ("an empty record with a value", |s| {
            s.begin_record(&shape(""))?;
            s.null()
        }),
        ("a long mapping with too few values", |s| {
            let keys = many_keys();
            s.begin_mapping(keys.iter().map(String::as_str))?;
            (1..keys.len()).try_for_each(|_| s.null())?;
            s.end()
        }),
        ("a long mapping with too many values", |s| {
            let keys = many_keys();
            s.begin_mapping(keys.iter().map(String::as_str))?;
            (0..=keys.len()).try_for_each(|_| s.null())
        }),
        ("a map's key without value", |s| {
            s.begin_map(1)?;
            s.int(1)?;
            s.end()
        }),
        ("a struct with too few values", |s| {
            s.begin_struct(&name("S"), &shape("a b"))?;
            s.null()?;
            s.end()
        }),
        ("a struct with too many values", |s| {
            s.begin_struct(&name("S"), &shape("a"))?;
            s.null()?;
            s.null()
        }),
        ("an open struct with a field without value", |s| {
            s.begin_open_struct(&name("S"))?;
            s.field_of_struct("a")?;
            s.end()
        }),
        ("an open struct with a value without field", |s| {
            s.begin_open_struct(&name("S"))?;
            s.null()
        }),
        ("an open struct with two fields in a row", |s| {
            s.begin_open_struct(&name("S"))?;
            s.field_of_struct("a")?;
            s.field_of_struct("b")
        }),
        ("a field outside a struct", |s| s.field_of_struct("a")),
        ("a field in a list", |s| {
            s.begin_list(1)?;
            s.field_of_struct("a")
        }),
        ("a variant without payload", |s| {
            s.begin_variant(&name("V"))?;
            s.end()
        }),
        ("a variant with two payloads", |s| {
            s.begin_variant(&name("V"))?;
            s.null()?;
            s.null()
        }),
        ("an array with too few items", |s| {
            s.begin_array(2)?;
            s.null()?;
            s.end()
        }),
        ("an array with too many items", |s| {
            s.begin_array(1)?;
            s.ints(&[1, 2])
        }),
        ("a logical value without storage", |s| {
            s.begin_logical(&set_type())?;
            s.end()
        }),
        ("a logical value with two storages", |s| {
            s.begin_logical(&set_type())?;
            s.begin_list(0)?;
            s.end()?;
            s.null()
        }),
        ("an extension without value", |s| {
            s.begin_extension(&name("e"))?;
            s.end()
        }),
        ("an extension with two values", |s| {
            s.begin_extension(&name("e"))?;
            s.null()?;
            s.null()
        }),
        ("a long tuple without end", |s| {
            s.begin_tuple(9)?;
            s.ints(&[1, 2, 3, 4, 5, 6, 7, 8, 9])
        }),
        ("a u8 of 256", |s| s.fixed_int(IntKind::U8, 256)),
        ("an i8 of 128", |s| s.fixed_int(IntKind::I8, 128)),
        ("an i8 that is not sign-extended", |s| s.fixed_int(IntKind::I8, 0xFF)),
        ("a big integer without bytes", |s| s.big_int(IntKind::Int, &[])),
        ("a big integer with a byte too many", |s| {
            s.big_int(IntKind::Int, &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
        }),
        ("a negative u128", |s| s.big_int(IntKind::U128, &[0xFF])),
        ("an i128 of 17 bytes", |s| {
            s.big_int(IntKind::I128, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0])
        }),
        ("a big u64 beyond 64 bits", |s| s.big_int(IntKind::U64, &[0, 0, 0, 0, 0, 0, 0, 0, 1])),
    ];
    for (misuse, events) in misuses {
        match encoded(events) {
            Err(error) => assert_eq!(error.code(), Code::BadSource, "{misuse}: {error}"),
            Ok(bytes) => panic!("{misuse}: {bytes:02X?}"),
        }
        let body = Encoder::new().body(&mut Emits(events));
        assert_eq!(body.map_err(|error| error.code()), Err(Code::BadSource), "{misuse}");
    }
}
