//! Statistics as one self-contained HTML page: no network, no script, no font.

use std::fmt::Write;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::savings::profile_name;
use crate::stat::{Column, Sort, Statistics};
use crate::tree::{Tile, What, tiles};
use crate::words::{grouped, printable};

const STYLE: &str = include_str!("page.css");
/// The height of the map, and the width for which it is laid out; in other windows, all areas scale alike.
const HEIGHT: f64 = 640.0;
const WIDTH: f64 = 1200.0;
/// The meanings of the colours, in the order of the legend.
const FAMILIES: [(&str, &str); 8] = [
    ("text", "text and bytes"),
    ("integers", "integers"),
    ("floats", "floats"),
    ("bools", "bools"),
    ("raw", "tensors, packed and fixed"),
    ("structure", "structure: lengths, presence, shapes…"),
    ("other", "of later versions"),
    ("part", "beside the columns: schema, envelope…"),
];

impl Statistics {
    /// Returns a page with a treemap of the bytes, and a table. Escapes the title.
    #[must_use]
    pub fn page(&self, title: &str, sort: Sort) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    // It requests nothing, and nothing in it can.
                    meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (printable(title)) " – where the bytes are" }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { bdi { (printable(title)) } }
                    (self.facts())
                    h2 { "Treemap" }
                    (self.map())
                    h2 { "Columns" }
                    (self.table(sort))
                    footer {
                        "Made by holdall " (env!("CARGO_PKG_VERSION")) ". "
                        "Areas show bytes in the file" @if self.decompressed.is_some() { ", decompressed" } "; a group is a place in the value with everything inside it."
                    }
                }
            }
        };
        page.into_string() + "\n"
    }

    fn facts(&self) -> Markup {
        html! {
            dl.facts {
                (fact("bytes", &number(self.bytes)))
                @if let Some(bytes) = self.decompressed { (fact("decompressed", &number(bytes))) }
                @if let Some(items) = self.items {
                    (fact("items", &grouped(items)))
                    @if items > 0 { (fact("bytes each", &format!("{:.1}", self.bytes as f64 / items as f64))) }
                }
                (fact("columns", &number(self.columns.len())))
                (fact("rows", &grouped(self.rows())))
                @for &(profile, size) in self.savings.iter().flat_map(|savings| &savings.sizes) {
                    @let change = 100.0 * (size as f64 / self.bytes as f64 - 1.0);
                    div {
                        dt { "in profile " (profile_name(profile)) }
                        dd { (number(size)) @if size != self.bytes { " " small { (format!("{change:+.1} %")) } } }
                    }
                }
            }
            @if let Some(note) = self.savings.as_ref().and_then(|savings| savings.note.as_ref()) {
                p { "Profiles: " (printable(note)) "." }
            }
        }
    }

    fn map(&self) -> Markup {
        let tiles = tiles(self, WIDTH, HEIGHT);
        let has = |name: &str| tiles.iter().any(|tile| self.family(tile) == Some(name));
        html! {
            ul.legend {
                @for (name, words) in FAMILIES.iter().filter(|(name, _)| has(name)) {
                    li { span class={ "swatch " (name) } {} (words) }
                }
            }
            div.map role="group" aria-label="Treemap of the bytes; the table below has the same numbers" {
                @for tile in &tiles { (self.tile(tile)) }
            }
        }
    }

    fn family(&self, tile: &Tile) -> Option<&'static str> {
        match tile.what {
            What::Group { .. } => None,
            What::Column(column) => Some(self.columns[column].family()),
            What::Part => Some("part"),
        }
    }

    fn tile(&self, tile: &Tile) -> Markup {
        let style = place(tile);
        let label = printable(tile.label.strip_prefix('.').unwrap_or(&tile.label));
        let size = format!("{}, {}", count(tile.bytes, "byte"), percent(self.share(tile.bytes)));
        html! {
            @match tile.what {
                What::Group { has_strip } => {
                    div.group style=(style) title={ (label) ": " (size) } {
                        @if has_strip { b { (label) } " " (number(tile.bytes)) }
                    }
                }
                What::Column(index) => {
                    @let column = &self.columns[index];
                    a class={ "tile " (column.family()) } style=(style) data-column=(index)
                        href={ "#c" (index) } title={ (words(column)) "\n" (size) } {
                        b { (label) }
                        span { (number(tile.bytes)) " · " (percent(self.share(tile.bytes))) }
                        span { (column.encoding) }
                    }
                }
                What::Part => {
                    div.tile.part style=(style) data-part=(label) title={ (label) ": " (size) } {
                        b { (label) }
                        span { (number(tile.bytes)) " · " (percent(self.share(tile.bytes))) }
                    }
                }
            }
        }
    }

    fn table(&self, sort: Sort) -> Markup {
        let next = self.savings.as_ref().filter(|savings| savings.columns.is_some());
        let next = next.and_then(|savings| savings.next);
        let most = self.columns.iter().map(|column| column.bytes).max().unwrap_or(0).max(1);
        html! {
            div.wide { table {
                thead { tr {
                    th scope="col" { "path" }
                    th scope="col" { "type" }
                    th scope="col" { "rows are" }
                    th scope="col" { "encoding" }
                    th.number scope="col" { "rows" }
                    th.number scope="col" { "bytes" }
                    th.number scope="col" { "share" }
                    @if let Some(next) = next { th.number scope="col" { (profile_name(next)) " saves" } }
                } }
                tbody {
                    @for index in self.sorted(sort) {
                        @let column = &self.columns[index];
                        @let bar = format!("--share:{:.2}%", 100.0 * column.bytes as f64 / most as f64);
                        tr id={ "c" (index) } {
                            th scope="row" { bdi { (printable(&column.path)) } }
                            td { (printable(&column.type_text)) }
                            td { span class={ "swatch " (column.family()) } {} (column.role) }
                            td { (column.encoding) }
                            td.number { (number(column.rows)) }
                            td.number { (number(column.bytes)) }
                            td.number.bar style=(bar) { (percent(self.share(column.bytes))) }
                            @if next.is_some() { td.number { (saved(self.saving(index))) } }
                        }
                    }
                }
                tfoot {
                    @for (name, bytes) in self.parts().into_iter().filter(|(_, bytes)| *bytes > 0) {
                        tr {
                            th scope="row" colspan="4" { (name) }
                            td.number { @if name == "columns" { (grouped(self.rows())) } }
                            td.number { (number(bytes)) }
                            td.number { (percent(self.share(bytes))) }
                            @if next.is_some() { td.number { @if name == "columns" { (saved(self.saved())) } } }
                        }
                    }
                    tr {
                        th scope="row" colspan="4" { "all" }
                        td {}
                        td.number { (number(self.decompressed.unwrap_or(self.bytes))) }
                        td.number { (percent(1.0)) }
                        @if next.is_some() { td {} }
                    }
                }
            } }
        }
    }
}

fn fact(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn number(number: usize) -> String {
    grouped(number as u64)
}

fn count(count: usize, one: &str) -> String {
    format!("{} {one}{}", number(count), if count == 1 { "" } else { "s" })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn saved(bytes: Option<i64>) -> String {
    let Some(bytes) = bytes else { return String::new() };
    format!("{}{}", if bytes < 0 { "−" } else { "" }, grouped(bytes.unsigned_abs()))
}

/// The position of a tile: across in percent of the width, down in pixels.
fn place(tile: &Tile) -> String {
    let area = tile.area;
    let mut style = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        style,
        "left:{:.3}%;top:{:.1}px;width:{:.3}%;height:{:.1}px",
        100.0 * area.x / WIDTH,
        area.y,
        100.0 * area.width / WIDTH,
        area.height
    );
    style
}

/// Everything about a column, on a few lines.
fn words(column: &Column) -> String {
    format!(
        "{}\n{} of {}\n{}, {}",
        printable(&column.path),
        column.role,
        printable(&column.type_text),
        column.encoding,
        count(column.rows, "row")
    )
}
