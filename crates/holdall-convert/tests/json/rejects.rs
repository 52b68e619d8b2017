//! Rejected texts: the code, the offset, the path and the text.

use holdall::Code;
use holdall_convert::json::pack;

const TEXTS: &[(&str, &str)] = &[
    // No value.
    ("", "bad_input at offset 0 in $: expected a value, got the end of the text"),
    (" \n", "bad_input at offset 2 in $: expected a value, got the end of the text"),
    ("\u{FEFF}1", "bad_input at offset 0: expected text without a byte order mark, got EF BB BF"),
    // Words.
    ("nul", "bad_input at offset 0 in $: expected a value, got `nul`"),
    ("[1, nulx]", "bad_input at offset 4 in $[1]: expected a value, got `nulx`"),
    ("True", "bad_input at offset 0 in $: expected a value, got `True`"),
    ("{\"a\": tru}", "bad_input at offset 6 in $.a: expected a value, got `tru`"),
    ("NaN", "bad_input at offset 0 in $: expected a value, got `NaN`"),
    ("[Infinity]", "bad_input at offset 1 in $[0]: expected a value, got `Infinity`"),
    ("-Infinity", "bad_input at offset 1 in $: expected a digit, got `Infinity`"),
    ("undefined", "bad_input at offset 0 in $: expected a value, got `undefined`"),
    ("'a'", "bad_input at offset 0 in $: expected a value, got `'`"),
    ("ä", "bad_input at offset 0 in $: expected a value, got `ä`"),
    ("\u{1}", "bad_input at offset 0 in $: expected a value, got U+0001"),
    ("/* no */ 1", "bad_input at offset 0 in $: expected a value, got `/`"),
    // Numbers.
    ("-", "bad_input at offset 1 in $: expected a digit, got the end of the text"),
    ("+1", "bad_input at offset 0 in $: expected a value, got `+`"),
    (".5", "bad_input at offset 0 in $: expected a value, got `.`"),
    ("1.", "bad_input at offset 2 in $: expected a digit, got the end of the text"),
    ("[1.]", "bad_input at offset 3 in $[0]: expected a digit, got `]`"),
    ("1.e5", "bad_input at offset 2 in $: expected a digit, got `e5`"),
    ("1e", "bad_input at offset 2 in $: expected a digit, got the end of the text"),
    ("[1e+]", "bad_input at offset 4 in $[0]: expected a digit, got `]`"),
    ("01", "bad_input at offset 1 in $: expected no digit after a leading zero, got `1`"),
    ("-00", "bad_input at offset 2 in $: expected no digit after a leading zero, got `0`"),
    ("0x1F", "bad_input at offset 1: expected the end of the text, got `x1F`"),
    ("1_000", "bad_input at offset 1: expected the end of the text, got `_`"),
    ("99999999999999999999_1", "bad_input at offset 20: expected the end of the text, got `_`"),
    ("1e400", "bad_input at offset 0 in $: expected a number in the range of f64, got `1e400`"),
    (
        "[-1e400]",
        "bad_input at offset 1 in $[0]: expected a number in the range of f64, got `-1e400`",
    ),
    ("1e-400", "bad_input at offset 0 in $: expected a number in the range of f64, got `1e-400`"),
    ("2e-324", "bad_input at offset 0 in $: expected a number in the range of f64, got `2e-324`"),
    (
        "{\"a\":-0.000e1,\"b\":1e99999999999999999999}",
        "bad_input at offset 18 in $.b: expected a number in the range of f64, got `1e99999999999999999999`",
    ),
    (
        "1e-99999999999999999999",
        "bad_input at offset 0 in $: expected a number in the range of f64, got `1e-99999999999999999999`",
    ),
    // Strings.
    ("\"", "bad_input at offset 1 in $: expected the end of the string, got the end of the text"),
    (
        "[\"abc",
        "bad_input at offset 5 in $[0]: expected the end of the string, got the end of the text",
    ),
    (
        "\"abc\\",
        "bad_input at offset 5 in $: expected the end of the string, got the end of the text",
    ),
    (
        "\"\\u12",
        "bad_input at offset 5 in $: expected the end of the string, got the end of the text",
    ),
    (
        "\"a\nb\"",
        "bad_input at offset 2 in $: expected control characters in strings to be escaped, got U+000A",
    ),
    (
        "\"\0\"",
        "bad_input at offset 1 in $: expected control characters in strings to be escaped, got U+0000",
    ),
    (r#""\x41""#, "bad_input at offset 2 in $: expected a valid JSON escape, got `x41`"),
    (r#""\u00g0""#, "bad_input at offset 5 in $: expected a valid JSON escape, got `g0`"),
    (
        r#""\ud800""#,
        r"bad_input at offset 1 in $: expected surrogates in pairs, got `\ud800` alone",
    ),
    (
        r#"["ab\udc00"]"#,
        r"bad_input at offset 4 in $[0]: expected surrogates in pairs, got `\udc00` alone",
    ),
    (
        r#""\uD83D\uD83D\uDE00""#,
        r"bad_input at offset 1 in $: expected surrogates in pairs, got `\uD83D` alone",
    ),
    (
        r#""\ud83d\ude00\n\\\ud83dx""#,
        r"bad_input at offset 17 in $: expected surrogates in pairs, got `\ud83d` alone",
    ),
    (
        r#""\ud83d\n""#,
        r"bad_input at offset 1 in $: expected surrogates in pairs, got `\ud83d` alone",
    ),
    (
        r#"{"a":1, "\ud800":2}"#,
        r"bad_input at offset 9 in $: expected surrogates in pairs, got `\ud800` alone",
    ),
    // Arrays.
    ("[", "bad_input at offset 1 in $[0]: expected the end of the array, got the end of the text"),
    ("[1", "bad_input at offset 2 in $[1]: expected the end of the array, got the end of the text"),
    ("[1,", "bad_input at offset 3 in $[1]: expected a value, got the end of the text"),
    ("[1,]", "bad_input at offset 3 in $[1]: expected another item after the comma, got `]`"),
    ("[,1]", "bad_input at offset 1 in $[0]: expected a value, got `,`"),
    ("[1 2]", "bad_input at offset 3 in $: expected `,` or `]`, got `2`"),
    ("[[1], [[1] x]]", "bad_input at offset 11 in $[1]: expected `,` or `]`, got `x`"),
    ("[1}", "bad_input at offset 2 in $: expected `,` or `]`, got `}`"),
    ("]", "bad_input at offset 0 in $: expected a value, got `]`"),
    // Objects.
    ("{", "bad_input at offset 1 in $: expected the end of the object, got the end of the text"),
    ("{1:2}", "bad_input at offset 1 in $: expected a key in double quotes, got `1`"),
    ("{a:2}", "bad_input at offset 1 in $: expected a key in double quotes, got `a`"),
    (
        "{\"a\"",
        "bad_input at offset 4 in $: expected the end of the object, got the end of the text",
    ),
    ("{\"a\" 1}", "bad_input at offset 5 in $: expected `:`, got `1`"),
    ("{\"a\":", "bad_input at offset 5 in $.a: expected a value, got the end of the text"),
    ("{\"a\":}", "bad_input at offset 5 in $.a: expected a value, got `}`"),
    (
        "{\"a\":1",
        "bad_input at offset 6 in $: expected the end of the object, got the end of the text",
    ),
    (
        "{\"a\":1,",
        "bad_input at offset 7 in $: expected a key in double quotes, got the end of the text",
    ),
    ("{\"a\":1,}", "bad_input at offset 7 in $: expected another item after the comma, got `}`"),
    ("{\"a\":1 \"b\":2}", "bad_input at offset 7 in $: expected `,` or `}`, got `\"`"),
    ("{\"a\":[]]", "bad_input at offset 7 in $: expected `,` or `}`, got `]`"),
    // After the value.
    ("1 1", "bad_input at offset 2: expected the end of the text, got `1`"),
    ("{} x", "bad_input at offset 3: expected the end of the text, got `x`"),
    ("[]]", "bad_input at offset 2: expected the end of the text, got `]`"),
    ("null\0", "bad_input at offset 4: expected the end of the text, got U+0000"),
    // Paths.
    (
        r#"{"users":[{"name":"a"},{"name":"b","tags":[1,2,{"x y":?}]}]}"#,
        r#"bad_input at offset 54 in $.users[1].tags[2]["x y"]: expected a value, got `?`"#,
    ),
    (r#"{"1a":?}"#, r#"bad_input at offset 6 in $["1a"]: expected a value, got `?`"#),
    (r#"{"":?}"#, r#"bad_input at offset 4 in $[""]: expected a value, got `?`"#),
    (r#"{"a\n\"":?}"#, r#"bad_input at offset 9 in $["a\n\""]: expected a value, got `?`"#),
    // Duplicate keys.
    (r#"{"a":1,"a":2}"#, "duplicate_key at offset 7 in $.a: expected each key once, got `a` twice"),
    (
        r#"[{"b":{"a":1}},{"b":{"a":1,"c":[{"a":2}],  "\u0061":1,"a":3}}]"#,
        "duplicate_key at offset 43 in $[1].b.a: expected each key once, got `a` twice",
    ),
    (
        r#"{"":1,"":2}"#,
        "duplicate_key at offset 6 in $[\"\"]: expected each key once, got `` twice",
    ),
];

#[test]
fn rejects_with_code_place_and_text() {
    for (text, words) in TEXTS {
        let error = pack(text.as_bytes()).expect_err(text);
        assert_eq!(error.to_string(), *words, "{text}");
    }
}

#[test]
fn rejects_bytes_that_are_not_utf8() {
    let cases: &[(&[u8], &str)] = &[
        (b"\"a\xFFb\"", "bad_input at offset 2: expected UTF-8, got FF"),
        (b"\"\xE2\x82\"", "bad_input at offset 1: expected UTF-8, got E2 82"),
        (
            b"\"\xE2\x82",
            "bad_input at offset 1: expected UTF-8, got the end of the text within a character",
        ),
        (b"\"\xED\xA0\x80\"", "bad_input at offset 1: expected UTF-8, got ED"),
        (b"\xFF\xFE1\0", "bad_input at offset 0: expected UTF-8, got FF"),
        (b"[1,\x80]", "bad_input at offset 3: expected UTF-8, got 80"),
    ];
    for (text, words) in cases {
        assert_eq!(pack(text).unwrap_err().to_string(), *words, "{text:?}");
    }
}

#[test]
fn long_paths_and_names_are_truncated() {
    let text = format!("{}?", "[".repeat(100_000));
    let error = pack(text.as_bytes()).unwrap_err();
    let zeros = "[0]".repeat(16);
    assert_eq!(error.path(), format!("${zeros}…{zeros}"));

    let text = format!("{{\"{}\":?}}", "ä".repeat(1000));
    let error = pack(text.as_bytes()).unwrap_err();
    assert_eq!(error.path(), format!("$[\"{}…\"]", "ä".repeat(60)));
}

#[test]
fn duplicate_keys_are_found_in_large_objects() {
    for count in [3, 300, 100_000] {
        let entries: Vec<String> = (0..count).map(|key| format!("\"k{key}\":0")).collect();
        let text = format!("{{{},\"k1\":1}}", entries.join(","));
        let error = pack(text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateKey);
        assert_eq!(error.offset(), Some(text.len() as u64 - 7));
        assert_eq!(error.path(), "$.k1");
    }
}
