//! `--store`: messages with fingerprints alone, and a folder with their schemas.

use std::fs;

use crate::printed as run;

#[test]
fn a_folder_of_schemas_is_filled_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("schemas");
    let store = store.to_str().unwrap();
    let json = b"[{\"id\":1,\"name\":\"Ada\"}]";
    let packed = run(&["pack", "--from", "json", "--store", store], json).unwrap();
    assert_eq!(packed[1], 0x11, "a fingerprint in place of the schema");
    assert_eq!(fs::read_dir(store).unwrap().count(), 1);
    let text = run(&["unpack", "--to", "json", "--store", store], &packed).unwrap();
    assert_eq!(text.trim_ascii_end(), json);
    let verified = run(&["verify", "--store", store], &packed).unwrap();
    assert!(String::from_utf8(verified).unwrap().contains("ok, "));
    let error = run(&["unpack", "--to", "json"], &packed).unwrap_err();
    assert!(error.contains("--store and a folder of schemas"), "{error}");
    let empty = folder.path().join("empty");
    let error = run(&["unpack", "--to", "json", "--store", empty.to_str().unwrap()], &packed);
    assert!(error.unwrap_err().contains("unknown_fingerprint"));
}

#[test]
fn dlhn_goes_both_ways() {
    let packed = run(&["pack", "--from", "dlhn"], &[21, 2, 2, 18, 1, 1, b'a']).unwrap();
    assert_eq!(run(&["unpack", "--to", "json"], &packed).unwrap(), b"[true,\"a\"]\n");
    let bytes = run(&["unpack", "--to", "dlhn"], &packed).unwrap();
    assert_eq!(bytes, [21, 2, 2, 18, 1, 1, b'a']);
    // The keys of an object stay.
    let packed = run(&["pack", "--from", "json"], b"{\"b\":1,\"a\":2}").unwrap();
    let bytes = run(&["unpack", "--to", "dlhn"], &packed).unwrap();
    assert_eq!(bytes, b"\x17\x10\x02\x01b\x01\x01\x01a\x01\x02");
    let packed = run(&["pack", "--from", "dlhn"], &bytes).unwrap();
    assert_eq!(run(&["unpack", "--to", "json"], &packed).unwrap(), b"{\"b\":1,\"a\":2}\n");
}

#[test]
fn a_dictionary_is_trained_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let line = |n: u32| {
        let city = ["Paris", "Lima", "Oslo"][n as usize % 3];
        format!("{{\"id\":{n},\"kind\":\"signed in from a new device\",\"city\":\"{city}\"}}")
    };
    let lines: Vec<String> = (0..1000).map(line).collect();
    fs::write(path("events.ndjson"), lines.join("\n")).unwrap();
    let trained = path("events.dictionary");
    run(&["train", &path("events.ndjson"), "--size", "2000", "-o", &trained], b"").unwrap();
    assert!(fs::read(&trained).unwrap().len() <= 2000);

    // A stream of the same values gives the same dictionary, as their messages do.
    let stream = path("events.hold");
    run(&["pack", "--stream", &path("events.ndjson"), "-o", &stream], b"").unwrap();
    let again = run(&["train", &stream, "--size", "2000"], b"").unwrap();
    assert_eq!(again, fs::read(&trained).unwrap());
    let messages: Vec<String> = (0..1000)
        .map(|n| {
            let name = path(&format!("{n}.hold"));
            let words = ["pack", "--from", "json", "--profile", "balanced", "-o", &name];
            run(&words, line(n).as_bytes()).unwrap();
            name
        })
        .collect();
    let words: Vec<&str> = ["train", "--size", "2000"]
        .into_iter()
        .chain(messages.iter().map(|name| &**name))
        .collect();
    assert_eq!(run(&words, b"").unwrap(), again);

    let json = line(5000);
    let plain = run(&["pack", "--from", "json"], json.as_bytes()).unwrap();
    let words = ["pack", "--from", "json", "--dictionary", &trained, "--canonical"];
    let packed = run(&words, json.as_bytes()).unwrap();
    assert!(3 * packed.len() < 2 * plain.len(), "{} {}", packed.len(), plain.len());
    let bytes_with = |words: &[&str]| run(&[words, &["--dictionary", &trained]].concat(), &packed);
    let with = |words: &[&str]| bytes_with(words).map(|text| String::from_utf8(text).unwrap());
    assert_eq!(with(&["unpack", "--to", "json"]).unwrap().trim_end(), json);
    assert!(with(&["verify"]).unwrap().contains("ok, "));
    assert_eq!(with(&["cat"]).unwrap().trim_end(), json);
    let hash = |text: String| text.split(' ').next().unwrap().to_owned();
    let own = hash(String::from_utf8(run(&["hash"], &plain).unwrap()).unwrap());
    assert_eq!(hash(with(&["hash"]).unwrap()), own);
    let inspected = with(&["inspect"]).unwrap();
    assert!(inspected.contains("hash of a dictionary"), "{inspected}");
    assert!(inspected.contains("zstd frame with schema and columns"), "{inspected}");
    // The head of a message has two bytes, of one with a dictionary eleven.
    let content = plain.len() - 2;
    assert!(inspected.contains(&format!("decompressed: {content} bytes")), "{inspected}");
    assert!(inspected.contains("text: \"signed in from a new device\""), "{inspected}");
    let stat = with(&["stat"]).unwrap();
    let decompressed = format!("it decompressed, {} bytes\n", 11 + content);
    assert!(stat.contains(&decompressed) && stat.contains("$.id "), "{stat}");
    let plain_path = path("plain.hold");
    fs::write(&plain_path, &plain).unwrap();
    for words in [
        &["unpack", "--to", "json"][..],
        &["cat"],
        &["hash", "-"],
        &["inspect"],
        &["stat"],
        &["schema"],
        &["schema", "--format"],
        &["schema", "--json-schema"],
        &["schema", "--check", "-", &plain_path],
        &["generate", "--rust"],
        &["diff", "-", &plain_path],
        &["unpack", "--to", "parquet"],
        &["schema", "--arrow"],
    ] {
        if !cfg!(feature = "tables") && ["parquet", "--arrow"].contains(words.last().unwrap()) {
            continue;
        }
        bytes_with(words).unwrap_or_else(|text| panic!("{words:?}: {text}"));
        let text = run(words, &packed).unwrap_err();
        assert!(text.contains("unknown_dictionary at offset 3"), "{words:?}: {text}");
        assert!(text.contains("add --dictionary"), "{words:?}: {text}");
    }

    // A dictionary can come from a pipe, which is read once.
    let packed_path = path("packed.hold");
    fs::write(&packed_path, &packed).unwrap();
    for words in [&["unpack", "--to", "json"][..], &["hash"], &["cat"], &["inspect"], &["schema"]] {
        let words = [words, &["--dictionary", "-", &packed_path]].concat();
        run(&words, &again).unwrap_or_else(|text| panic!("{words:?}: {text}"));
    }
    let words = ["schema", "--check", &packed_path, &packed_path, "--dictionary", "-"];
    run(&words, &again).unwrap_or_else(|text| panic!("{words:?}: {text}"));

    // Messages with a dictionary are samples of the next one, and have schemas.
    let compressed: Vec<String> = (0..1000)
        .map(|n| {
            let name = path(&format!("compressed{n}.hold"));
            let words = ["pack", "--from", "json", "--profile", "balanced", "-o", &name];
            let words = [&words[..], &["--dictionary", &trained]].concat();
            run(&words, line(n).as_bytes()).unwrap();
            name
        })
        .collect();
    let mut words = vec!["train", "--size", "2000", "--dictionary", &trained];
    words.extend(compressed.iter().map(|name| &**name));
    assert_eq!(run(&words, b"").unwrap(), again);
    let text = run(&["train", &compressed[0]], b"").unwrap_err();
    assert!(text.contains("add --dictionary"), "{text}");
    let by_fingerprint = ["pack", "--from", "json", "--store", &path("schemas")];
    let by_fingerprint = run(&by_fingerprint, json.as_bytes()).unwrap();
    let words = ["unpack", "--to", "json", "--schema", &compressed[0], "--dictionary", &trained];
    assert_eq!(run(&words, &by_fingerprint).unwrap(), [json.as_bytes(), b"\n"].concat());
    let words = ["schema", "--store", &path("schemas")];
    assert_eq!(run(&words, &by_fingerprint).unwrap(), run(&["schema"], &plain).unwrap());
}
