//! CSV: cells, rows, and rejected inputs.

use std::sync::Arc;

use holdall::events::{Event, Sink};
use holdall::{Code, Decoder, Encoder, Limits, Shape, Value};
use holdall_convert::Format::{Csv, Json};
use holdall_convert::csv::{self, CsvSink};
use holdall_convert::{Packer, Remedy, Unpacker};

use super::bytes::{pack, unpack, write};

fn json_of(packer: Packer, text: &str) -> String {
    let message = packer.pack(&mut Encoder::new(), text.as_bytes()).unwrap();
    String::from_utf8(unpack(Json, &message).unwrap()).unwrap()
}

#[test]
fn cells_are_strings_and_survive() {
    let cases = [
        ("", "[]", ""),
        ("\u{FEFF}", "[]", ""),
        ("a\n", "[]", ""),
        ("a\n1\n", r#"[{"a":"1"}]"#, "a\n1\n"),
        ("a\n1", r#"[{"a":"1"}]"#, "a\n1\n"),
        ("a,b\r\n1,2\r\n3,4\r\n", r#"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#, "a,b\n1,2\n3,4\n"),
        ("a,b\r1,2\r", r#"[{"a":"1","b":"2"}]"#, "a,b\n1,2\n"),
        ("\n\na\n\n1\n\n", r#"[{"a":"1"}]"#, "a\n1\n"),
        ("a,b\n,\n", r#"[{"a":"","b":""}]"#, "a,b\n\"\",\"\"\n"),
        ("a\n\"\"\n", r#"[{"a":""}]"#, "a\n\"\"\n"),
        ("\u{FEFF}\"a\",b\n1,2\n", r#"[{"a":"1","b":"2"}]"#, "a,b\n1,2\n"),
        ("\"\u{FEFF}a\"\n1\n", "[{\"\u{FEFF}a\":\"1\"}]", "\"\u{FEFF}a\"\n1\n"),
        ("a\n\"x,\"\"y\"\"\r\nz\"\n", r#"[{"a":"x,\"y\"\r\nz"}]"#, "a\n\"x,\"\"y\"\"\r\nz\"\n"),
        ("a\n 1 \n", r#"[{"a":" 1 "}]"#, "a\n 1 \n"),
        ("a\nx\"y\n", r#"[{"a":"x\"y"}]"#, "a\n\"x\"\"y\"\n"),
        (",b\n1,2\n", r#"[{"":"1","b":"2"}]"#, "\"\",b\n1,2\n"),
        ("ä\nü\n", r#"[{"ä":"ü"}]"#, "ä\nü\n"),
    ];
    for (text, json, back) in cases {
        assert_eq!(json_of(Packer::new(Csv), text), json, "{text:?}");
        let message = pack(Csv, text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(unpack(Csv, &message).unwrap()).unwrap(), back, "{text:?}");
        let streamed = Packer::new(Csv).pack_from(&mut Encoder::new(), Bytewise(text.as_bytes()));
        assert!(streamed.unwrap() == message, "{text:?}");
    }
}

/// A reader that returns one byte at a time.
struct Bytewise<'t>(&'t [u8]);

impl std::io::Read for Bytewise<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = buffer.len().min(1);
        std::io::Read::read(&mut self.0, &mut buffer[..len])
    }
}

impl std::io::BufRead for Bytewise<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        Ok(&self.0[..self.0.len().min(1)])
    }
    fn consume(&mut self, len: usize) {
        self.0 = &self.0[len..];
    }
}

#[test]
fn columns_get_the_type_of_all_their_cells() {
    let infer = Packer::new(Csv).infer(true);
    let cases = [
        ("a\n1\n-2\n", r#"[{"a":1},{"a":-2}]"#),
        ("a\n99999999999999999999\n0\n", r#"[{"a":99999999999999999999},{"a":0}]"#),
        ("a\n1\n007\n", r#"[{"a":"1"},{"a":"007"}]"#),
        ("a\n1\n1.50\n", r#"[{"a":1.0},{"a":1.5}]"#),
        ("a\n1e3\n-0\n", r#"[{"a":1000.0},{"a":-0.0}]"#),
        // Digits beyond f64.
        ("a\n9007199254740993\n0.5\n", r#"[{"a":"9007199254740993"},{"a":"0.5"}]"#),
        ("a\nNaN\n", r#"[{"a":"NaN"}]"#),
        ("a\ntrue\nfalse\n", r#"[{"a":true},{"a":false}]"#),
        ("a\ntrue\n1\n", r#"[{"a":"true"},{"a":"1"}]"#),
        ("a\nTrue\n", r#"[{"a":"True"}]"#),
        ("a,b\n1,\n,x\n", r#"[{"a":1,"b":null},{"a":null,"b":"x"}]"#),
        ("a,b\n\"\",1\n", r#"[{"a":null,"b":1}]"#),
    ];
    for (text, json) in cases {
        assert_eq!(json_of(infer, text), json, "{text:?}");
    }
}

#[test]
fn faults_have_their_place() {
    let cases: &[(&[u8], &str)] = &[
        (
            b"a,b\n1\n",
            "bad_input at offset 4 in $[0]: expected 2 cells, one for each name in the first row, got 1, in line 2",
        ),
        (
            b"a\n1\n2,3\n",
            "bad_input at offset 4 in $[1]: expected 1 cells, one for each name in the first row, got 2, in line 3",
        ),
        (
            b"\xEF\xBB\xBFa,b\n1\n",
            "bad_input at offset 7 in $[0]: expected 2 cells, one for each name in the first row, got 1, in line 2",
        ),
        (
            b"\xEF\xBB\xBFa\n\"x",
            "bad_input at offset 5: expected a closing quote for this one, got the end of the input, in line 2",
        ),
        (
            b"a,b,a\n",
            "duplicate_key at offset 0: expected each name once, got `a` twice, in line 1",
        ),
        (
            b"a\n\"x\ny",
            "bad_input at offset 2: expected a closing quote for this one, got the end of the input, in line 2",
        ),
        (
            b"a\n\"x\" \n",
            "bad_input at offset 5: expected a comma or line break after the quote; one inside a cell is doubled, got 20, in line 2",
        ),
        (
            b"a\n\"x\ny\"z\n",
            "bad_input at offset 7: expected a comma or line break after the quote; one inside a cell is doubled, got `z`, in line 3",
        ),
        (
            b"a\r\n1\r\n\"\r\n",
            "bad_input at offset 6: expected a closing quote for this one, got the end of the input, in line 3",
        ),
        (
            b"a,b\n1,\xE9x\n",
            "bad_input at offset 4 in $[0].b: expected UTF-8 in the cell of `b`, got E9, in the row of line 2",
        ),
        (
            b"a,\xE9\n",
            "bad_input at offset 0: expected UTF-8 in the name of column 2, got the end of the cell within a character, in the row of line 1",
        ),
    ];
    for (text, words) in cases {
        for infer in [false, true] {
            let error = Packer::new(Csv).infer(infer).pack(&mut Encoder::new(), text).unwrap_err();
            assert_eq!(error.to_string(), *words);
        }
    }
    // Each cell must be UTF-8, even if together they would be.
    assert!(csv::pack(b"a,b\n\xC3,\xA4\n").is_err());
}

#[test]
fn values_are_written_as_text() {
    let row = Value::record([
        ("null", Value::Null),
        ("bool", Value::from(true)),
        ("int", Value::from(-1)),
        ("u64", Value::U64(u64::MAX)),
        ("u128", Value::U128(Box::new(u128::MAX))),
        ("f64", Value::from(1e300)),
        ("f32", Value::from(0.5_f32)),
        ("f16", Value::F16(holdall::f16::from_f32(1.5))),
        ("text", Value::from("a\"b")),
        ("empty", Value::from("")),
    ]);
    assert_eq!(
        String::from_utf8(write(Csv, &Value::list([row])).unwrap()).unwrap(),
        "null,bool,int,u64,u128,f64,f32,f16,text,empty\n\
         ,true,-1,18446744073709551615,340282366920938463463374607431768211455,1e+300,0.5,1.5,\"a\"\"b\",\"\"\n",
    );
}

#[test]
fn rows_have_all_columns() {
    for (json, text) in [
        ("[]", ""),
        (r#"[{"a":1},{"b":2,"a":3},{}]"#, "a,b\n1,\n3,2\n,\n"),
        (r#"[{"b":1,"a":2},{"a":3,"b":4}]"#, "b,a\n1,2\n4,3\n"),
        (r#"[{"a":null},{"a":"x"}]"#, "a\n\"\"\nx\n"),
        // Maps: their keys are data.
        (
            r#"[{"2024-01-01":1},{"2024-01-02":2,"2024-01-01":3}]"#,
            "2024-01-01,2024-01-02\n1,\n3,2\n",
        ),
    ] {
        let message = pack(Json, json.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(unpack(Csv, &message).unwrap()).unwrap(), text, "{json}");
    }
}

#[test]
fn an_empty_text_is_refused_in_a_column_with_nulls_unless_its_storage_is_wanted() {
    for (json, refused_at, text) in [
        (r#"[{"a":""}]"#, None, "a\n\"\"\n"),
        (r#"[{"a":"","b":null}]"#, None, "a,b\n\"\",\n"),
        (r#"[{"a":null},{"a":""}]"#, Some("$[1].a"), "a\n\"\"\n\"\"\n"),
        // Null, as the row lacks it.
        (r#"[{"a":"","b":1},{"b":2}]"#, Some("$[0].a"), "a,b\n\"\",1\n,2\n"),
        (
            r#"[{"a":null,"b":""},{"a":"","b":"x"},{"a":"","b":null}]"#,
            Some("$[0].b"),
            "a,b\n,\"\"\n\"\",x\n\"\",\n",
        ),
        // Maps.
        (
            r#"[{"2024-01-01":""},{"2024-01-02":"x"}]"#,
            Some("$[0][\"2024-01-01\"]"),
            "2024-01-01,2024-01-02\n\"\",\n,x\n",
        ),
    ] {
        let message = pack(Json, json.as_bytes()).unwrap();
        let storage = Unpacker::new(Csv).storage(true);
        let stored = storage.unpack(&mut Decoder::new(), &message).unwrap();
        assert_eq!(String::from_utf8(stored).unwrap(), text, "{json}");
        let written = unpack(Csv, &message);
        let Some(path) = refused_at else {
            assert_eq!(String::from_utf8(written.unwrap()).unwrap(), text, "{json}");
            continue;
        };
        let error = written.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "unrepresentable in {path}: expected a text that is not empty where others are null, because CSV has one cell for both, got an empty one"
            )
        );
        assert_eq!(Remedy::of(&error), Some(Remedy::Storage));
    }
}

#[test]
fn an_empty_text_is_refused_where_the_type_can_be_null() {
    #[derive(Debug, PartialEq, holdall::Encode, holdall::Decode)]
    struct Row {
        name: String,
        note: Option<String>,
    }
    let row =
        |name: &str, note: Option<&str>| Row { name: name.into(), note: note.map(Into::into) };
    let rows = vec![row("", Some("x")), row("y", None)];
    let data = Csv.to_vec(&rows).unwrap();
    assert_eq!(data, b"name,note\n\"\",x\ny,\n");
    assert_eq!(Csv.from_slice::<Vec<Row>>(&data).unwrap(), rows);
    let rows = vec![row("x", Some("x")), row("y", Some(""))];
    let error = Csv.to_vec(&rows).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[1].note"));
    let data = Unpacker::new(Csv).storage(true).to_vec(&rows).unwrap();
    assert_eq!(data, b"name,note\nx,x\ny,\"\"\n");
}

#[test]
fn more_names_than_a_record_can_have_survive() {
    let names: Vec<String> = (0..400).map(|name| format!("n{name}")).collect();
    let cells: Vec<String> = (0..400).map(|cell| cell.to_string()).collect();
    let text = format!("{}\n{}\n{}\n", names.join(","), cells.join(","), cells.join(","));
    assert_eq!(unpack(Csv, &pack(Csv, text.as_bytes()).unwrap()).unwrap(), text.as_bytes());
}

#[test]
fn values_that_are_no_table_are_rejected() {
    for (json, path, words) in [
        (
            "1",
            "$",
            "expected a list of records of scalars, because CSV has nothing else, got a scalar",
        ),
        (
            "{}",
            "$",
            "expected a list of records of scalars, because CSV has nothing else, got a record",
        ),
        ("[[]]", "$[0]", "expected a record for each row of CSV, got a list"),
        (r#"[{"a":1},null]"#, "$[1]", "expected a record for each row of CSV, got a scalar"),
        (
            r#"[{"a":1},{"b":[1]}]"#,
            "$[1].b",
            "expected a scalar in each cell of CSV; store its text instead, got a list",
        ),
        (
            r#"[{"a":{"b":1}}]"#,
            "$[0].a",
            "expected a scalar in each cell of CSV; store its text instead, got a record",
        ),
        ("[{},{}]", "", "expected records with fields, got 2 without any"),
    ] {
        let error = unpack(Csv, &pack(Json, json.as_bytes()).unwrap()).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, path), "{json}");
        assert!(error.to_string().ends_with(words), "{error}");
    }
    for value in [
        Value::from(f64::NAN),
        Value::Bytes(vec![1]),
        Value::Fixed(vec![1]),
        Value::Variant(holdall::value::Variant::new("X", Value::Null)),
    ] {
        let table = Value::list([Value::record([("a", value)])]);
        let error = write(Csv, &table).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0].a"));
    }
    let map = Value::map([(Value::from(1), Value::from(2))]);
    let error = write(Csv, &Value::list([map])).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0][0].key"));
}

#[test]
fn tables_of_commas_stay_within_the_limit() {
    // 2,000 rows of one field each, all different: 4 million cells.
    let rows = (0..2_000).map(|row| Value::record([(format!("{row:04}x"), Value::from(1))]));
    let message = holdall::to_vec(&Value::list(rows)).unwrap();
    let unpack = |bytes| {
        let limits = Limits::new().output(bytes);
        Unpacker::new(Csv).unpack(&mut Decoder::new().limits(limits), &message)
    };
    assert_eq!(unpack(1 << 23).unwrap().len(), 2_000 * 6 + 2_000 * 2_001);
    assert_eq!(unpack(1 << 20).unwrap_err().code(), Code::LimitOutput);
}

#[test]
fn cells_of_null_stay_within_the_limit() {
    // A repeated row has many cells without a byte, each with its comma or line break.
    let row = Value::record((0..100).map(|column| (format!("{column}"), Value::Null)));
    let row = Value::Shared(holdall::Shared::new(row));
    let message = holdall::to_vec(&Value::list(vec![row; 100])).unwrap();
    let unpack = |bytes| {
        let limits = Limits::new().output(bytes);
        let unpacker = Unpacker::new(Csv).copies(true);
        unpacker.unpack(&mut Decoder::new().limits(limits), &message)
    };
    assert_eq!(unpack(1 << 14).unwrap().len(), 10 + 2 * 90 + 100 + 100 * 100);
    assert_eq!(unpack(1 << 13).unwrap_err().code(), Code::LimitOutput);

    let mut sink = CsvSink::new().limit(10);
    let keys = ["a".into(), "b".into()];
    sink.event(Event::List(0)).unwrap();
    let came = (0..100).try_for_each(|row| {
        sink.event(Event::Record(&Shape::new(0, Arc::from(keys.clone()))))?;
        sink.event(Event::Null)?;
        sink.event(Event::Null)?;
        sink.event(Event::End)?;
        assert!(row < 6, "too many rows came");
        Ok(())
    });
    assert_eq!(came.map_err(|error: holdall::Error| error.code()), Err(Code::LimitOutput));
}
