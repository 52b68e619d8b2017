//! The differences between two schemas, and the data that they concern.

use super::*;

#[test]
fn an_incompatible_option_gives_the_reason_of_its_contents() {
    let writer = schema_of(&list([record([("a", text_value("x"))]), null()]));
    let reader = schema_of(&list([record([("a", int(1))])]));
    let error = Resolver::new(reader).plan(&writer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "incompatible in $[].a: expected int, got string (F-78: no line fits)"
    );
}

#[test]
fn diffs_agree_with_messages() {
    // Data that can always be read are read, and data that never can are not.
    let mut chance = Chance::new(7);
    let mut counts = [0; 3];
    for _ in 0..400 {
        let (value, _kept) = graph(&mut chance);
        let Ok(message) = to_vec(&value) else { continue };
        let writer = Schema::of_message(&message).unwrap();
        let reader = match chance.below(2) {
            0 => schema_of_random(&mut chance),
            // Some graphs cannot be written, because a value would be nothing but itself.
            _ => match to_vec(&graph(&mut chance).0) {
                Ok(other) => Schema::of_message(&other).unwrap(),
                Err(_) => continue,
            },
        };
        let resolver = Resolver::new(reader.clone());
        let read = resolver.read(&message);
        match resolver.reads(&writer) {
            Reads::Always => {
                counts[0] += 1;
                assert!(read.is_ok(), "{writer} into {reader}: {read:?}");
            }
            Reads::Depends(_) => counts[1] += 1,
            Reads::Never(error) => {
                counts[2] += 1;
                assert_eq!(read.unwrap_err().to_string(), error.to_string());
            }
        }
    }
    assert!(counts[1] > 0 && counts[2] > 0, "{counts:?}");
}

#[test]
fn any_two_schemas_have_a_diff() {
    let mut chance = Chance::new(11);
    let mut read = 0;
    for _ in 0..3000 {
        let [old, new] = [(); 2].map(|()| schema_of_random(&mut chance));
        let diff = holdall::Diff::between(&old, &new);
        assert!(!diff.to_string().is_empty());
        read += usize::from(!matches!(diff.new_reads_old, Reads::Never(_)));
        let own = holdall::Diff::between(&old, &old);
        assert!(!matches!(own.new_reads_old, Reads::Never(_)), "{old}\n{own}");
        assert!(own.changes.is_empty(), "{own}");
    }
    assert!(read > 100, "{read}");
}

#[test]
fn a_diff_reports_each_change_with_its_path() {
    let user = |fields: Vec<(&'static str, Value)>| list([object("User", fields)]);
    let old = user(vec![
        ("id", Value::U32(1)),
        ("name", text_value("Ada")),
        ("mail", text_value("a@b")),
        ("at", tuple([int(1), int(2)])),
        ("kind", variant("Admin", null())),
        ("note", list([int(1), text_value("x")])),
    ]);
    let new = user(vec![
        ("name", list([text_value("Ada"), null()])[0].clone()),
        ("id", Value::U64(1)),
        ("at", tuple([int(1), Value::F64(2.0)])),
        ("kind", variant("Guest", null())),
        ("note", list([int(1), Value::Bool(true)])),
        ("age", int(1)),
    ]);
    let diff = holdall::Diff::between(&schema_of(&old), &schema_of(&new));
    let changes: Vec<String> = diff.changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        changes,
        [
            "$[].mail: field removed, string",
            "$[].age: field added, int",
            "$[]: fields reordered",
            "$[].id: type changed, u32 to u64",
            "$[].at[1]: type changed, int to f64",
            "$[].kind<Admin>: variant removed, null",
            "$[].kind<Guest>: variant added, null",
            "$[].note[]: variant removed, string",
            "$[].note[]: variant added, bool",
        ]
    );
    assert_eq!(diff.changes[0].kind, ChangeKind::FieldRemoved);
    assert_eq!(diff.changes[3].old.as_deref(), Some("u32"));
    assert_eq!(verdict(&diff.new_reads_old), "incompatible in $[].kind");
}

#[test]
fn a_diff_reports_options_and_what_values_decide() {
    let rows = |rows: Vec<Value>| schema_of(&list(rows));
    let old =
        rows(vec![record([("a", int(1)), ("b", null())]), record([("a", int(1)), ("b", int(2))])]);
    let new = rows(vec![
        record([("a", null()), ("b", int(1))]),
        record([("a", Value::U8(1)), ("b", int(2))]),
    ]);
    assert_eq!(
        holdall::Diff::between(&old, &new).to_string(),
        "$[].a: made optional, int to option(u8)\n\
         $[].a: type changed, int to u8\n\
         $[].b: made required, option(int) to int\n\
         old reads new: depends on the values\n  \
           $[].a: option(u8) into int, if no row is null\n\
         new reads old: depends on the values\n  \
           $[].a: int into u8, if the numbers are in its range\n  \
           $[].b: option(int) into int, if no row is null\n"
    );
}

#[test]
fn recursive_schemas_have_a_diff() {
    let nodes = schema(NODES);
    // The same with another name, and v: string.
    let other = schema("02 1F 00 19 04 4D 10 10 6E 65 78 74 15 1F 00 04 76 12");
    let diff = holdall::Diff::between(&nodes, &other);
    let changes: Vec<String> =
        diff.changes.iter().map(|change| format!("{} {:?}", change.path, change.kind)).collect();
    assert_eq!(changes, ["$ StructRenamed", "$.v TypeChanged"]);
    assert_eq!(verdict(&diff.new_reads_old), "incompatible in $.v");
}
