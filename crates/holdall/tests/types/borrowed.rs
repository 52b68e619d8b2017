//! Text borrowed from the message, many rows at a time.

use std::borrow::Cow;
use std::ops::Range;

use holdall::{Code, Decode, Decoder, Encode, Encoder, Profile};

#[derive(Debug, PartialEq, Encode, Decode)]
struct Page<'a> {
    name: &'a str,
    note: Option<&'a str>,
    tags: Vec<&'a str>,
    text: Cow<'a, str>,
    size: u32,
}

/// Counts around the batch size of reading.
const COUNTS: [usize; 9] = [0, 1, 3, 4, 63, 64, 65, 129, 1000];

/// Text of several lengths, including empty; every third case is not only ASCII.
fn texts(count: usize) -> Vec<String> {
    let accent = if count.is_multiple_of(3) { "ë€😀" } else { "" };
    (0..count).map(|row| format!("{accent}{}", "x".repeat(row * 7 % 40))).collect()
}

fn pages(texts: &[String]) -> Vec<Page<'_>> {
    texts
        .iter()
        .enumerate()
        .map(|(row, text)| Page {
            name: text,
            note: (row % 3 == 1).then_some(&**text),
            tags: texts[..row % 5].iter().map(|tag| &**tag).collect(),
            text: Cow::Borrowed(text),
            size: row as u32,
        })
        .collect()
}

fn is_in(message: &[u8], text: &str) -> bool {
    let Range { start, end } = message.as_ptr_range();
    text.is_empty() || (start..end).contains(&text.as_ptr())
}

#[test]
fn borrowed_text_equals_the_rows() {
    let mut decoder = Decoder::new();
    for profile in [Profile::Fast, Profile::Balanced] {
        for count in COUNTS {
            let texts = texts(count);
            let pages = pages(&texts);
            let message = Encoder::new().profile(profile).encode(&pages).unwrap();
            let read: Vec<Page<'_>> = decoder.decode(&message).unwrap();
            assert_eq!(read, pages);
            for page in &read {
                assert!(is_in(&message, page.name) && is_in(&message, &page.text));
                assert!(matches!(page.text, Cow::Borrowed(_)));
                assert!(page.tags.iter().chain(&page.note).all(|text| is_in(&message, text)));
            }
            let message = Encoder::new().profile(profile).encode(&texts).unwrap();
            assert_eq!(decoder.decode::<Vec<&str>>(&message).unwrap(), texts);
            assert_eq!(decoder.decode::<Vec<Cow<'_, str>>>(&message).unwrap(), texts);
        }
    }
}

#[test]
#[cfg(feature = "zstd")]
fn text_that_cannot_be_borrowed_is_copied_or_an_error_at_its_first_row() {
    let texts = texts(1000);
    let message = Encoder::new().profile(Profile::Small).encode(&texts).unwrap();
    let read: Vec<Cow<'_, str>> = holdall::from_slice(&message).unwrap();
    assert_eq!(read, texts);
    assert!(read.iter().all(|text| matches!(text, Cow::Owned(_))));
    let error = holdall::from_slice::<Vec<&str>>(&message).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"));
}
