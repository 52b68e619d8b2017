//! Arrays to rows: each array is placed whole at its slot, or row by row where types are shared.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, StructArray, UnionArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};
use holdall::Result;
use holdall::bindings::Container;
use holdall::events::{Shredder, Source};

use super::schema::{Entry, children, describe};
use super::{ARRAY, Arrays, FIELDS, GROUP, ROWS, TABLE, WORDS, keys, unsupported};

/// The levels and sites that a field of Arrow takes at most: an option, a logical type, a tuple and its parts.
const LEVELS_OF_FIELD: usize = 3;
const SITES_OF_FIELD: usize = 6;

impl Arrays {
    /// The name of the extension.
    #[must_use]
    pub fn extension(&self) -> &'static str {
        if self.is_table { TABLE } else { ARRAY }
    }

    /// Checks that the type can be packed. Returns the number of fields, those inside others included.
    ///
    /// # Errors
    /// `unsupported_value` if it cannot.
    pub fn check(&self) -> Result<usize> {
        describe(&self.field).map(|entries| entries.len())
    }

    /// Places what is inside the extension at its slot.
    ///
    /// # Errors
    /// `unsupported_value` for types that cannot be packed.
    pub fn place_inside(&self, shredder: &mut Shredder, inside: usize) -> Result<()> {
        let entries = describe(&self.field)?;
        let with_words = entries.iter().any(|entry| entry.words);
        // The numbers of several dictionaries mean different words.
        let whole: Vec<ArrayRef> = match with_words && self.chunks.len() > 1 {
            true => vec![self.array()?],
            false => self.chunks.clone(),
        };
        let mut words = Vec::new();
        if let (true, Some(first)) = (with_words, whole.first()) {
            words_of(first, &mut words);
        }
        let parts: &[&str] =
            if words.is_empty() { &[FIELDS, ROWS] } else { &[FIELDS, WORDS, ROWS] };
        let mut record = shredder.open_mapping(inside, parts.iter().copied())?;
        let levels = LEVELS_OF_FIELD * depth(self.field.data_type());
        let sites = SITES_OF_FIELD * entries.len();
        let apart = shredder.keeps_types_apart(inside, levels, sites);
        let mut placer = Placer { shredder, by_rows: !apart, with_words: true };
        let slot = record.slot(placer.shredder)?;
        placer.entries(&entries, slot)?;
        if !words.is_empty() {
            let slot = record.slot(placer.shredder)?;
            let names: Vec<String> = (0..words.len()).map(|number| number.to_string()).collect();
            let mut all = placer.shredder.open_mapping(slot, names.iter().map(String::as_str))?;
            for words in &words {
                let slot = all.slot(placer.shredder)?;
                placer.list(std::slice::from_ref(words), slot)?;
            }
            all.close(placer.shredder)?;
        }
        let slot = record.slot(placer.shredder)?;
        placer.list(&whole, slot)?;
        record.close(placer.shredder)
    }
}

/// The depth of a type.
fn depth(data_type: &DataType) -> usize {
    1 + children(data_type).iter().map(|field| depth(field.data_type())).max().unwrap_or(0)
}

/// Finds the words of all dictionaries, in the order of their fields.
fn words_of(array: &ArrayRef, found: &mut Vec<ArrayRef>) {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        found.push(Arc::clone(dictionary.values()));
        return words_of(dictionary.values(), found);
    }
    match array.data_type() {
        DataType::Struct(_) => {
            array.as_struct().columns().iter().for_each(|column| words_of(column, found));
        }
        DataType::List(_) => words_of(array.as_list::<i32>().values(), found),
        DataType::LargeList(_) => words_of(array.as_list::<i64>().values(), found),
        DataType::ListView(_) => words_of(array.as_list_view::<i32>().values(), found),
        DataType::LargeListView(_) => words_of(array.as_list_view::<i64>().values(), found),
        DataType::FixedSizeList(..) => words_of(array.as_fixed_size_list().values(), found),
        DataType::Map(..) => {
            array.as_map().entries().columns().iter().for_each(|column| words_of(column, found));
        }
        DataType::Union(members, _) => {
            members.iter().for_each(|(id, _)| words_of(array.as_union().child(id), found));
        }
        _ => {}
    }
}

pub(super) struct Placer<'s> {
    pub(super) shredder: &'s mut Shredder,
    /// Whether each row is placed with all its contents before the next one.
    by_rows: bool,
    /// Whether the words of dictionaries are elsewhere, so that their numbers are placed.
    with_words: bool,
}

/// One row as a value, for streams. Rows of record batches are records; dictionaries have their words.
pub struct Row<'a> {
    chunk: &'a ArrayRef,
    row: usize,
}

impl Source for Row<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let slot = shredder.take_slot()?;
        let mut placer = Placer { shredder, by_rows: true, with_words: false };
        placer.rows(&**self.chunk, self.row..self.row + 1, slot)
    }
}

impl Arrays {
    /// Returns the rows, each a value for [`Writer::write_source`](holdall::Writer::write_source).
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let rows = |chunk: &'_ ArrayRef| 0..chunk.len();
        self.chunks.iter().flat_map(move |chunk| rows(chunk).map(move |row| Row { chunk, row }))
    }
}

impl Placer<'_> {
    fn entries(&mut self, entries: &[Entry], slot: usize) -> Result<()> {
        let item = self.shredder.lists_at(slot, std::iter::once(entries.len() as u64));
        for entry in entries {
            let mut keys = vec!["name", "format", "flags", "children"];
            if entry.words {
                keys.push("words");
            }
            if !entry.metadata.is_empty() {
                keys.push("metadata");
            }
            let mut record = self.shredder.open_mapping(item, keys.into_iter())?;
            let slot = record.slot(self.shredder)?;
            self.shredder.at(slot).string(&entry.name);
            let slot = record.slot(self.shredder)?;
            self.shredder.at(slot).string(&entry.format);
            for number in [entry.flags, entry.children.cast_signed()] {
                let slot = record.slot(self.shredder)?;
                self.shredder.at(slot).int(number);
            }
            if entry.words {
                let slot = record.slot(self.shredder)?;
                self.shredder.at(slot).bool(true);
            }
            if !entry.metadata.is_empty() {
                let slot = record.slot(self.shredder)?;
                let len = entry.metadata.len() as u64;
                let item = self.shredder.lists_at(slot, std::iter::once(len));
                for (key, value) in &entry.metadata {
                    let mut pair =
                        self.shredder.open_mapping(item, ["key", "value"].into_iter())?;
                    for text in [key, value] {
                        let slot = pair.slot(self.shredder)?;
                        self.shredder.at(slot).string(text);
                    }
                    pair.close(self.shredder)?;
                }
            }
            record.close(self.shredder)?;
        }
        Ok(())
    }

    /// Places all rows as one list.
    fn list(&mut self, chunks: &[ArrayRef], slot: usize) -> Result<()> {
        let len: usize = chunks.iter().map(|chunk| chunk.len()).sum();
        let item = self.shredder.lists_at(slot, std::iter::once(len as u64));
        chunks.iter().try_for_each(|chunk| self.rows(chunk, 0..chunk.len(), item))
    }

    /// Places rows of an array.
    fn rows(&mut self, array: &dyn Array, range: Range<usize>, slot: usize) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        if *array.data_type() == DataType::Null {
            self.shredder.at(slot).nulls(range.len());
            return Ok(());
        }
        let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else {
            return self.values(array, range, slot);
        };
        let own: NullBuffer = nulls.slice(range.start, range.len());
        let mut at = 0;
        for (start, end) in own.valid_slices() {
            if start > at {
                self.shredder.at(slot).nulls(start - at);
            }
            self.values(array, range.start + start..range.start + end, slot)?;
            at = end;
        }
        if at < range.len() {
            self.shredder.at(slot).nulls(range.len() - at);
        }
        Ok(())
    }

    /// Places rows that all have a value.
    fn values(&mut self, array: &dyn Array, range: Range<usize>, slot: usize) -> Result<()> {
        if self.by_rows && range.len() > 1 && !children(array.data_type()).is_empty() {
            return range.into_iter().try_for_each(|row| self.values(array, row..row + 1, slot));
        }
        match array.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                if self.with_words {
                    return self.values(dictionary.keys(), range, slot);
                }
                let numbers = dictionary.normalized_keys();
                let mut words = numbers[range].iter();
                words.try_for_each(|word| self.rows(dictionary.values(), *word..*word + 1, slot))
            }
            DataType::List(_) => self.lists::<i32>(array, range, slot),
            DataType::LargeList(_) => self.lists::<i64>(array, range, slot),
            DataType::ListView(_) => self.list_views::<i32>(array, range, slot),
            DataType::LargeListView(_) => self.list_views::<i64>(array, range, slot),
            DataType::Map(..) => {
                let map = array.as_map();
                let offsets = &map.value_offsets()[range.start..=range.end];
                let lengths = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as u64);
                let lengths: Vec<u64> = lengths.collect();
                let item = self.shredder.lists_at(slot, lengths.into_iter());
                let inside = offsets[0] as usize..offsets[offsets.len() - 1] as usize;
                self.rows(map.entries(), inside, item)
            }
            DataType::FixedSizeList(_, len) => {
                let (values, len) = (array.as_fixed_size_list().values(), *len as usize);
                let item = self.shredder.arrays_at(slot, len, range.len());
                self.rows(values, range.start * len..range.end * len, item)
            }
            DataType::Struct(_) => self.records(array.as_struct(), range, slot),
            DataType::Union(..) => self.variants(array.as_union(), range, slot),
            _ => self.leaves(array, range, slot),
        }
    }

    fn lists<O: OffsetSizeTrait>(
        &mut self,
        array: &dyn Array,
        range: Range<usize>,
        slot: usize,
    ) -> Result<()> {
        let list = array.as_list::<O>();
        let offsets = &list.value_offsets()[range.start..=range.end];
        let lengths: Vec<u64> =
            offsets.windows(2).map(|pair| (pair[1] - pair[0]).as_usize() as u64).collect();
        let item = self.shredder.lists_at(slot, lengths.into_iter());
        let inside = offsets[0].as_usize()..offsets[offsets.len() - 1].as_usize();
        self.rows(list.values(), inside, item)
    }

    /// Places lists whose items are anywhere.
    fn list_views<O: OffsetSizeTrait>(
        &mut self,
        array: &dyn Array,
        range: Range<usize>,
        slot: usize,
    ) -> Result<()> {
        let list = array.as_list_view::<O>();
        let sizes = &list.value_sizes()[range.clone()];
        let item = self.shredder.lists_at(slot, sizes.iter().map(|size| size.as_usize() as u64));
        for row in range {
            let start = list.value_offset(row).as_usize();
            self.rows(list.values(), start..start + list.value_size(row).as_usize(), item)?;
        }
        Ok(())
    }

    fn records(&mut self, rows: &StructArray, range: Range<usize>, slot: usize) -> Result<()> {
        let names = keys(rows.fields().iter().map(|field| &**field as &Field));
        if names.len() <= GROUP {
            return self.members(&names, rows.columns(), range, slot);
        }
        let groups = names.len().div_ceil(GROUP);
        let of_groups: Vec<Arc<str>> =
            (0..groups).map(|group| (group * GROUP).to_string().into()).collect();
        let keys = of_groups.iter().map(|name| &**name);
        let slots = self.shredder.records_at(slot, keys, range.len())?;
        let slots = slots
            .ok_or_else(|| unsupported("a struct of more members than types have room for"))?;
        let parts = names.chunks(GROUP).zip(rows.columns().chunks(GROUP)).zip(slots);
        for ((names, columns), slot) in parts {
            self.members(names, columns, range.clone(), slot)?;
        }
        Ok(())
    }

    fn members(
        &mut self,
        names: &[Arc<str>],
        columns: &[ArrayRef],
        range: Range<usize>,
        slot: usize,
    ) -> Result<()> {
        let keys = names.iter().map(|name| &**name);
        if let Some(slots) = self.shredder.records_at(slot, keys.clone(), range.len())? {
            let mut members = columns.iter().zip(slots);
            return members.try_for_each(|(column, slot)| self.rows(column, range.clone(), slot));
        }
        // Mappings of a slot without room share the types of their values.
        let before = std::mem::replace(&mut self.by_rows, true);
        for row in range {
            let mut mapping = self.shredder.open_mapping(slot, keys.clone())?;
            for column in columns {
                let slot = mapping.slot(self.shredder)?;
                self.rows(column, row..row + 1, slot)?;
            }
            mapping.close(self.shredder)?;
        }
        self.by_rows = before;
        Ok(())
    }

    fn variants(&mut self, union: &UnionArray, range: Range<usize>, slot: usize) -> Result<()> {
        let DataType::Union(members, _) = union.data_type() else {
            return Err(unsupported(union.data_type().to_string()));
        };
        let names = keys(members.iter().map(|(_, field)| &**field as &Field));
        let ids: Vec<i8> = members.iter().map(|(id, _)| id).collect();
        let number = |row: usize| {
            let own = union.type_id(row);
            ids.iter().position(|id| *id == own).unwrap_or(0)
        };
        let slots = self.shredder.variants_at(slot, names.iter(), range.clone().map(number))?;
        for row in range {
            let (own, at) = (number(row), union.value_offset(row));
            self.rows(union.child(ids[own]), at..at + 1, slots[own])?;
        }
        Ok(())
    }
}
