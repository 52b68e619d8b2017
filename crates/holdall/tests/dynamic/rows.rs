//! A sink that reads rows itself gets what events would have given it, wherever it switches between the two.

use holdall::bindings::{BlockReader, RowInt, SiteForm};
use holdall::{Decoder, IntKind, LogicalType, Result, Shape, Sink, Value, ValueBuilder, to_vec};
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
                to.null()
            }
            SiteForm::Bool => to.bool(rows.bool(site)?),
            SiteForm::Int(kind) => match (rows.int(site)?, kind) {
                (RowInt::Big(big), _) => to.big_int(kind, big),
                (RowInt::Bits(bits), IntKind::Int) => to.int(bits.cast_signed()),
                (RowInt::Bits(bits), _) => to.fixed_int(kind, bits),
            },
            SiteForm::F32 => to.f32(rows.f32(site)?),
            SiteForm::F64 => to.f64(rows.f64(site)?),
            SiteForm::String => {
                let (text, number) = rows.text(site)?;
                match number {
                    Some(number) => to.entry(site, number, text),
                    None => to.string(text),
                }
            }
            // Byte strings of one length are another event.
            SiteForm::Bytes | SiteForm::Other => rows.emit(site, to),
            SiteForm::Option(inside) => {
                if !rows.is_there(site)? {
                    return to.null();
                }
                to.choice(0)?;
                self.read(inside, rows)
            }
            SiteForm::Union(variants) => {
                let variant = rows.variant(site)?;
                to.choice(variant)?;
                self.read(variants[variant], rows)
            }
            SiteForm::List(item) => {
                let len = rows.len(site)?;
                to.begin_list(len)?;
                self.items(item, len, rows)?;
                self.builder.end()
            }
            SiteForm::Tuple(items) => {
                rows.pass(site);
                to.begin_tuple(items.len())?;
                items.iter().try_for_each(|&item| self.read(item, rows))?;
                self.builder.end()
            }
            SiteForm::Record | SiteForm::Struct(_) => {
                let form = rows.form(site);
                let number = rows.shape(site)?;
                let (shape, sites) = rows.shape_of(number);
                let sites = sites.to_vec();
                match form {
                    SiteForm::Struct(name) => to.begin_struct(name, shape)?,
                    _ => to.begin_record(shape)?,
                }
                sites.into_iter().try_for_each(|site| self.read(site, rows))?;
                self.builder.end()
            }
            SiteForm::Map(key, value) => {
                let len = rows.len(site)?;
                to.begin_map(len)?;
                for _ in 0..len {
                    self.read(key, rows)?;
                    self.read(value, rows)?;
                }
                self.builder.end()
            }
            // Those with many items are emitted as tuples.
            SiteForm::Logical(ty, _) if ty.kind() == LogicalType::LONG_TUPLE => rows.emit(site, to),
            SiteForm::Logical(ty, storage) => {
                rows.pass(site);
                to.begin_logical(ty)?;
                self.read(storage, rows)?;
                self.builder.end()
            }
            SiteForm::Extension(name, inside) => {
                rows.pass(site);
                to.begin_extension(name)?;
                self.read(inside, rows)?;
                self.builder.end()
            }
            SiteForm::Choice(variants, names) => {
                let variant = rows.variant(site)?;
                to.begin_variant(&names[variant])?;
                self.read(variants[variant], rows)?;
                self.builder.end()
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

/// The root is a list, and is read by rows: there are no events.
macro_rules! ignore_events {
    ($($event:ident($($ty:ty),*))*) => {
        $(fn $event(&mut self, $(_: $ty),*) -> Result<()> {
            unreachable!("the root is read from its rows")
        })*
    };
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

    ignore_events! {
        null() bool(bool) int(i64) fixed_int(IntKind, u64) big_int(IntKind, &[u8]) f32(f32) f64(f64) string(&str)
        bytes(&[u8]) begin_list(usize) begin_tuple(usize) begin_record(&Shape)
        begin_struct(&std::sync::Arc<str>, &Shape) begin_map(usize) begin_variant(&std::sync::Arc<str>) end()
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
            SiteForm::Union(all) | SiteForm::Tuple(all) | SiteForm::Choice(all, _) => all.to_vec(),
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
