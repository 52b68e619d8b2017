//! Options inside options, and nulls: derive and serde read each other.

use super::*;

/// Derive and serde read each other's messages; a value without its type has only one null, so the third way is left
/// out.
#[track_caller]
fn two_ways<T: Both>(value: &T, derived: &str, inferred: &str) {
    let (by_derive, by_serde) = (to_vec(value).unwrap(), serde::to_vec(value).unwrap());
    assert_eq!(schema(&by_derive), derived);
    assert_eq!(schema(&by_serde), inferred);
    reads(value, &by_derive, "by derive");
    reads(value, &by_serde, "by serde");
}

#[test]
fn options_inside_options_read_each_other_s_bytes() {
    type Twice = Option<Option<u8>>;
    type Thrice = Option<Twice>;
    let twice: Vec<Twice> = vec![Some(None), Some(Some(1)), None];
    two_ways(&twice, "list(option(option(u8)))", "list(option(union(union {Some: null}, u8)))");
    let thrice: Vec<Thrice> = vec![Some(Some(None)), None, Some(Some(Some(1))), Some(None)];
    let inferred = "list(option(union(union {Some: option(union {Some: null})}, u8)))";
    two_ways(&thrice, "list(option(option(option(u8))))", inferred);

    // For single values, serde's schema shows less.
    let derived = "option(option(option(u8)))";
    two_ways::<Thrice>(&None, derived, "null");
    two_ways::<Thrice>(&Some(None), derived, "union {Some: null}");
    two_ways::<Thrice>(&Some(Some(None)), derived, "union {Some: union {Some: null}}");
    two_ways::<Thrice>(&Some(Some(Some(1))), derived, "u8");
    two_ways::<Vec<Twice>>(
        &vec![Some(None)],
        "list(option(option(u8)))",
        "list(union {Some: null})",
    );
    let deep: Vec<Thrice> = vec![Some(Some(None)), Some(Some(Some(2)))];
    two_ways(
        &deep,
        "list(option(option(option(u8))))",
        "list(union(union {Some: union {Some: null}}, u8))",
    );

    // A value without its type keeps only its null.
    let derived = to_vec(&twice).unwrap();
    let nulls = Value::from(vec![Value::Null, Value::U8(1), Value::Null]);
    assert_eq!(from_slice::<Value>(&derived).unwrap(), nulls);
    assert_eq!(serde::from_slice::<Value>(&derived).unwrap(), nulls);
    assert_eq!(serde::from_value::<Vec<Twice>>(&nulls).unwrap(), [None, Some(Some(1)), None]);
    // A null inside is not null: with one option less, no reader accepts it.
    for message in [&derived, &serde::to_vec(&twice).unwrap()] {
        let error = from_slice::<Vec<Option<u8>>>(message).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"));
        let error = serde::from_slice::<Vec<Option<u8>>>(message).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"));
        // An additional option is the innermost one.
        let more: Vec<Thrice> = from_slice(message).unwrap();
        assert_eq!(more, [Some(None), Some(Some(Some(1))), None]);
    }
}

#[test]
fn serde_distinguishes_shared_nulls() {
    let (inner, none) = (Rc::new(Some(None::<u8>)), Rc::new(None::<Option<u8>>));
    let shared = vec![Some(Rc::clone(&inner)), None, Some(none), Some(inner)];
    let read: Vec<Option<Option<Option<u8>>>> =
        serde::from_slice(&to_vec(&shared).unwrap()).unwrap();
    assert_eq!(read, [Some(Some(None)), None, Some(None), Some(Some(None))]);
    // In an option, and without one.
    let none = Rc::new(None::<u8>);
    let bytes = to_vec(&(Some(Rc::clone(&none)), Rc::clone(&none), Some(none))).unwrap();
    type Read = (Option<Option<u8>>, Option<u8>, Option<Option<u8>>);
    assert_eq!(serde::from_slice::<Read>(&bytes).unwrap(), (Some(None), None, Some(None)));
    // A type that accepts null alone accepts it in options too, and a Value has only one null.
    let bytes = to_vec(&vec![Some(()), None]).unwrap();
    assert_eq!(serde::from_slice::<Vec<()>>(&bytes).unwrap(), [(), ()]);
    let nulls = Value::from(vec![Value::Null, Value::Null]);
    assert_eq!(serde::from_slice::<Value>(&bytes).unwrap(), nulls);
}

#[test]
fn options_of_null_or_some_read_each_other_s_bytes() {
    both! {
        enum Answer {
            Some(u8),
            Other,
        }

        enum Light {
            Red,
            Green,
        }

        struct Maybe {
            maybe: Option<Option<u8>>,
            unit: Option<()>,
        }
    }
    #[derive(Debug, PartialEq, ::serde::Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u8),
        Maybe { maybe: Option<Option<u8>>, unit: Option<()> },
    }
    #[derive(Debug, PartialEq, ::serde::Deserialize)]
    struct Around {
        #[serde(flatten)]
        inside: Maybe,
    }
    two_ways(&vec![Some(()), None], "list(option(null))", "list(option(union {Some: null}))");
    // For a variant with this name, serde reads no form but its own.
    let answers = vec![Some(Answer::Some(5)), Some(Answer::Other), None];
    let (derived, inferred) = (to_vec(&answers).unwrap(), serde::to_vec(&answers).unwrap());
    assert_eq!(schema(&derived), "list(option(union {Some: u8, Other: null}))");
    assert_eq!(schema(&inferred), "list(option(union {Some: union {Some: u8}, Other: null}))");
    reads(&answers, &inferred, "by serde");
    assert_eq!(from_slice::<Vec<Option<Answer>>>(&derived).unwrap(), answers);
    assert_eq!(
        from_slice::<Vec<Answer>>(&to_vec(&[Answer::Some(5)]).unwrap()).unwrap(),
        [Answer::Some(5)]
    );
    let wider: Vec<Option<Option<Answer>>> = from_slice(&derived).unwrap();
    assert_eq!(wider, [Some(Some(Answer::Some(5))), Some(Some(Answer::Other)), None]);
    two_ways(
        &vec![Some(Some(Light::Red)), Some(None), None],
        "list(option(option(union {Red: null, Green: null})))",
        "list(option(union {Red: null, Some: null}))",
    );
    two_ways(
        &vec![Some(Some(Duration::from_secs(1))), Some(None), None],
        "list(option(option(duration[ns](int))))",
        "list(option(union(struct Duration {secs: u64, nanos: u32}, union {Some: null})))",
    );
    // Types that examine a value before they know their own.
    for maybe in [Some(None), Some(Some(1)), None] {
        for unit in [Some(()), None] {
            let value = Maybe { maybe, unit };
            for bytes in [to_vec(&value).unwrap(), serde::to_vec(&value).unwrap()] {
                let around: Around = serde::from_slice(&bytes).unwrap();
                assert_eq!(around.inside, value);
                let either: Either = serde::from_slice(&bytes).unwrap();
                assert_eq!(either, Either::Maybe { maybe, unit });
            }
        }
    }
}
