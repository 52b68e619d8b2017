//! A sink that reads rows itself gets what events would have given it, wherever it switches between the two.

use holdall::bindings::{BlockReader, RowInt, SiteForm};
use holdall::events::{Event, Sink};
use holdall::{Decoder, IntKind, LogicalType, Result, Value, ValueBuilder, to_vec};
use proptest::prelude::*;

use super::properties::{alike_values, long_lists, values};
use crate::common::chance::rounds;

/// Reads a list and its contents itself, except for some values that it takes as events; it emits all of them to a
/// builder.
struct Reader {
    builder: ValueBuilder,
    /// Its bits select them, one after the other.
    chances: u64,
}

impl Reader {
    fn chance(&mut self) -> bool {
        self.chances = self.chances.rotate_right(1);
        self.chances & 1 == 1
    }

    fn read(&mut self, site: usize, rows: &mut BlockReader<'_, '_>) -> Result<()> {
        if self.chance() && self.chance() {
            return rows.emit(site, &mut self.builder);
        }
        let to = &mut self.builder;
        match rows.form(site) {
            SiteForm::Null => {
                rows.pass(site);
                to.event(Event::Null)
            }
            SiteForm::Bool => to.event(Event::Bool(rows.bool(site)?)),
            SiteForm::Int(kind) => match (rows.int(site)?, kind) {
                (RowInt::Big(big), _) => to.event(Event::BigInt(kind, big)),
                (RowInt::Bits(bits), IntKind::Int) => to.event(Event::Int(bits.cast_signed())),
                (RowInt::Bits(bits), _) => to.event(Event::FixedInt(kind, bits)),
            },
            SiteForm::F32 => to.event(Event::F32(rows.f32(site)?)),
            SiteForm::F64 => to.event(Event::F64(rows.f64(site)?)),
            SiteForm::String => {
                let (text, number) = rows.text(site)?;
                match number {
                    Some(number) => to.entry(site, number, text),
                    None => to.event(Event::String(text)),
                }
            }
            // Byte strings of one length are another event.
            SiteForm::Bytes | SiteForm::Other => rows.emit(site, to),
            SiteForm::Option(inside) => {
                if !rows.is_there(site)? {
                    return to.event(Event::Null);
                }
                to.event(Event::Choice(0))?;
                self.read(inside, rows)
            }
            SiteForm::Union(variants) => {
                let variant = rows.variant(site)?;
                to.event(Event::Choice(variant))?;
                self.read(variants[variant], rows)
            }
            SiteForm::List(item) => {
                let len = rows.len(site)?;
                to.event(Event::List(len))?;
                self.items(item, len, rows)?;
                self.builder.event(Event::End)
            }
            SiteForm::Tuple(items) => {
                rows.pass(site);
                to.event(Event::Tuple(items.len()))?;
                items.iter().try_for_each(|&item| self.read(item, rows))?;
                self.builder.event(Event::End)
            }
            SiteForm::Record | SiteForm::Struct(_) => {
                let form = rows.form(site);
                let number = rows.shape(site)?;
                let (shape, sites) = rows.shape_of(number);
                let sites = sites.to_vec();
                match form {
                    SiteForm::Struct(name) => to.event(Event::Struct(name, shape))?,
                    _ => to.event(Event::Record(shape))?,
                }
                sites.into_iter().try_for_each(|site| self.read(site, rows))?;
                self.builder.event(Event::End)
            }
            SiteForm::Map(key, value) => {
                let len = rows.len(site)?;
                to.event(Event::Map(len))?;
                for _ in 0..len {
                    self.read(key, rows)?;
                    self.read(value, rows)?;
                }
                self.builder.event(Event::End)
            }
            // Those with many items are emitted as tuples.
            SiteForm::Logical(ty, _) if ty.kind() == LogicalType::LONG_TUPLE => rows.emit(site, to),
            SiteForm::Logical(ty, storage) => {
                rows.pass(site);
                to.event(Event::Logical(ty))?;
                self.read(storage, rows)?;
                self.builder.event(Event::End)
            }
            SiteForm::Extension(name, inside) => {
                rows.pass(site);
                to.event(Event::Extension(name))?;
                self.read(inside, rows)?;
                self.builder.event(Event::End)
            }
            SiteForm::NamedUnion(variants, names) => {
                let variant = rows.variant(site)?;
                to.event(Event::Variant(&names[variant]))?;
                self.read(variants[variant], rows)?;
                self.builder.event(Event::End)
            }
            SiteForm::Definition(_, body) => {
                rows.pass(site);
                self.read(body, rows)
            }
        }
    }

    fn items(&mut self, item: usize, len: usize, rows: &mut BlockReader<'_, '_>) -> Result<()> {
        if let Some(ints) = rows.ints(item, len) {
            return self.builder.ints(ints);
        }
        if let Some(floats) = rows.floats(item, len) {
            let floats: Vec<f64> = floats.collect();
            return self.builder.floats(&floats);
        }
        (0..len).try_for_each(|_| self.read(item, rows))
    }
}

impl Sink for Reader {
    const READS_ROWS: bool = true;

    fn take_rows(&mut self, site: usize, rows: &mut BlockReader<'_, '_>) -> Result<bool> {
        let reach = reach(site, rows);
        // The contents of others are unknown, so they cannot be restored.
        if reach.iter().all(|&site| !matches!(rows.form(site), SiteForm::Other)) {
            // Once without effect: going back must be as if nothing had been taken.
            let mut marks = Vec::new();
            rows.mark(&reach, &mut marks);
            self.read(site, rows)?;
            rows.go_back(&reach, &marks);
            self.builder = ValueBuilder::new();
        }
        self.read(site, rows)?;
        Ok(true)
    }

    fn event(&mut self, _: Event<'_>) -> Result<()> {
        unreachable!("the root is a list, and read from its rows")
    }
}

/// A site and all sites inside it.
fn reach(site: usize, rows: &BlockReader<'_, '_>) -> Vec<usize> {
    let (mut found, mut at) = (vec![site], 0);
    while at < found.len() {
        let site = found[at];
        let inside = match rows.form(site) {
            SiteForm::Option(one)
            | SiteForm::List(one)
            | SiteForm::Logical(_, one)
            | SiteForm::Extension(_, one)
            | SiteForm::Definition(_, one) => vec![one],
            SiteForm::Map(key, value) => vec![key, value],
            SiteForm::Union(all) | SiteForm::Tuple(all) | SiteForm::NamedUnion(all, _) => {
                all.to_vec()
            }
            _ => rows.fields(site).collect(),
        };
        for one in inside {
            if !found.contains(&one) {
                found.push(one);
            }
        }
        at += 1;
    }
    found
}

fn check(value: Value, chances: u64) -> std::result::Result<(), TestCaseError> {
    let list = Value::list([value]);
    let message = to_vec(&list).unwrap();
    let mut reader = Reader { builder: ValueBuilder::new(), chances };
    let read = Decoder::new().read(&message, |checked| checked.emit(&mut reader));
    prop_assert!(read.is_ok(), "{read:?} from {message:02X?}");
    let back = reader.builder.finish().unwrap();
    prop_assert!(back == list, "{list:?} comes back as {back:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: rounds(1500) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_read_by_rows_equal_events(value in values(), chances in any::<u64>()) {
        check(value, chances)?;
    }

    #[test]
    fn long_columns_read_by_rows_equal_events(value in long_lists(), chances in any::<u64>()) {
        check(value, chances)?;
    }

    #[test]
    fn records_read_by_rows_equal_events(all in prop::collection::vec(alike_values(), 0..20), chances in any::<u64>()) {
        check(Value::list(all), chances)?;
    }
}
