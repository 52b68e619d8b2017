//! Laws of pages, read with an independent HTML parser.

use std::collections::BTreeMap;

use crate::common::{examples, varint, vectors};
use holdall::{Decoder, Value};
use holdall_inspect::{Sort, Statistics};
use html5gum::{Token, Tokenizer};

/// The elements of a page, each with its attributes, and its text.
struct Page {
    elements: Vec<(String, BTreeMap<String, String>)>,
    text: String,
}

impl Page {
    fn read(page: &str) -> Page {
        let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (mut elements, mut text) = (Vec::new(), String::new());
        for Ok(token) in Tokenizer::new(page) {
            match token {
                Token::StartTag(tag) => {
                    let attributes = tag.attributes.iter();
                    let attributes = attributes.map(|(key, value)| (string(key), string(value)));
                    elements.push((string(&tag.name), attributes.collect()));
                }
                Token::String(more) => text += &string(&more),
                Token::Comment(comment) => panic!("a comment: {comment:?}"),
                Token::Error(error) => panic!("{error:?}"),
                Token::EndTag(_) | Token::Doctype(_) => {}
            }
        }
        Page { elements, text }
    }

    /// The numbers of the columns that have a tile.
    fn columns(&self) -> Vec<usize> {
        let numbers = self.elements.iter().filter_map(|(_, of)| of.get("data-column"));
        let mut numbers: Vec<usize> = numbers.map(|number| number.parse().unwrap()).collect();
        numbers.sort_unstable();
        numbers
    }
}

fn check(message: &[u8], decoder: &Decoder, title: &str) -> Page {
    let statistics = Statistics::of(message, decoder).unwrap().compare(message, decoder);
    let html = statistics.page(title, Sort::Bytes);
    let page = Page::read(&html);
    assert_eq!(page.columns(), (0..statistics.columns.len()).collect::<Vec<_>>(), "{title}");
    let rows = page.elements.iter().filter(|(name, of)| name == "tr" && of.contains_key("id"));
    assert_eq!(rows.count(), statistics.columns.len(), "{title}");
    for (name, attributes) in &page.elements {
        let is_known = "a b bdi body div dd dl dt footer h1 h2 head html li meta small span style table tbody td tfoot th \
                        thead title tr ul p";
        assert!(is_known.split_whitespace().any(|known| known == name), "{name}");
        for (key, value) in attributes {
            let is_known = "aria-label charset class colspan content data-column data-part href http-equiv id lang name role \
                            scope style title";
            assert!(is_known.split_whitespace().any(|known| known == key), "{key}");
            assert!(key != "href" || value.starts_with("#c"), "{value}");
            let is_measure = |c: char| c.is_ascii_alphanumeric() || "%.:;-".contains(c);
            assert!(key != "style" || value.chars().all(is_measure), "{value}");
        }
    }
    // Without line breaks: terminals obey other control characters, and browsers reverse text.
    let is_control =
        |c: char| (c.is_control() && c != '\n') || ('\u{202A}'..='\u{202E}').contains(&c);
    assert!(!html.contains(is_control));
    let style = html.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    assert!(style.contains(".tile") && !style.contains("url(") && !style.contains("@import"));
    page
}

#[test]
fn a_page_has_one_tile_for_each_column() {
    let mut without_bytes = 0;
    for input in vectors("valid").iter().chain(&examples()).filter(|input| input.is_valid) {
        let decoder = input.decoder();
        check(&input.bytes, &decoder, &input.name);
        let columns = Statistics::of(&input.bytes, &decoder).unwrap().columns;
        without_bytes += columns.iter().filter(|column| column.bytes == 0).count();
    }
    assert!(without_bytes > 0, "no column without bytes was tested");
}

#[test]
fn no_name_escapes_its_place() {
    let hostile = [
        "<script>alert(1)</script>",
        "\" onmouseover=\"alert(1)",
        "' style='x",
        "</title></style><img src=x>",
        "&lt;&amp;&#60;",
        "--></div>",
        "\u{202E}\u{0}\u{1B}[31m\u{9B}",
        "a.b[0]<c>\"",
        "",
    ];
    let fields = hostile.map(|name| (name, Value::from(vec![Value::from(name); 3])));
    let message = holdall::to_vec(&Value::record(fields)).unwrap();
    for title in hostile {
        let page = check(&message, &Decoder::new(), title);
        let ids: Vec<_> = page.elements.iter().filter(|(name, _)| name == "script").collect();
        assert!(ids.is_empty());
        assert!(page.text.contains("<script>alert(1)</script>"), "it is shown as text");
    }
}

#[test]
fn a_page_takes_little_room() {
    // 5,000 records of one field each, with the same name of 100 kB; and 100 nested lists.
    let mut many = vec![0xC1, 0x10, 0x18];
    many.extend(varint(5_000));
    for number in 0..5_000 {
        many.extend([0x1A, 0x08]);
        if number == 0 {
            many.extend(varint(200_000));
            many.extend([b'x'; 100_000]);
        } else {
            many.push(0x02);
        }
        many.push(0x03);
    }
    many.extend([0x02; 5_000]);
    let deep = [&[0xC1, 0x10][..], &[0x16; 100], &[0x03], &[0x02; 100], &[0x02]].concat();
    for (message, columns) in [(many, 5_000), (deep, 101)] {
        let statistics = Statistics::of(&message, &Decoder::new()).unwrap();
        assert_eq!(statistics.columns.len(), columns);
        let page = statistics.page("many", Sort::Path);
        assert!(page.len() < 10_000 + 2_000 * columns, "{}", page.len());
        assert_eq!(Page::read(&page).columns().len(), columns);
    }
}
