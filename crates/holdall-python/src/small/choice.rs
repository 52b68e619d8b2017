//! Packing a site with several types (F-48).

use std::ops::Range;

use arrayvec::ArrayVec;
use holdall::bindings::memory::Grow;
use holdall::bindings::memory::GrowVec;

use super::fields::Gathered;
use super::pack::{Kind, Walk};
use super::place::SitePlace;

/// The most types of values at one site.
const VARIANTS: usize = 8;

impl<'w, 'py> Walk<'w, 'py> {
    /// Writes a site with several types, null among them (F-48).
    #[inline(never)]
    pub(super) fn choice(
        &mut self,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        let mut kinds = Vec::new();
        kinds.room(rows.len());
        let mut dicts = 0;
        for at in rows.clone() {
            let kind = self.kind(at)?;
            dicts += usize::from(kind == Kind::Dict);
            kinds.put(kind);
        }
        let start = self.cells.len();
        let mut gathered = None;
        if dicts > 1 {
            self.push_rows(rows.clone(), &kinds, Kind::Dict);
            let end = self.cells.len();
            self.identify(start..end)?;
            let (records, of_dicts) =
                self.gather_dicts(start..end, &place.of_kind(&kinds, Kind::Dict))?;
            gathered = Some(records);
            if let Some(of_dicts) = of_dicts {
                let own = kinds.iter_mut().filter(|kind| **kind == Kind::Dict);
                own.zip(of_dicts).for_each(|(own, kind)| *own = kind);
            }
        }
        self.divided(rows, &kinds, gathered, place)?;
        self.cells.truncate(start);
        Some(())
    }

    /// Appends the rows of a kind.
    fn push_rows(&mut self, rows: Range<usize>, kinds: &[Kind], kind: Kind) {
        self.cells.room(rows.len());
        for (at, own) in rows.zip(kinds) {
            if *own == kind {
                self.cells.put(self.cells[at]);
            }
        }
    }

    /// Writes rows by their kinds. The dicts that are records may be gathered already.
    pub(super) fn divided(
        &mut self,
        rows: Range<usize>,
        kinds: &[Kind],
        mut gathered: Option<Gathered<'w, 'py>>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        let mut variants = ArrayVec::<Kind, VARIANTS>::new();
        let (mut latest, mut has_null) = (0, false);
        self.numbers.clear();
        self.numbers.room(kinds.len());
        for kind in kinds {
            if *kind == Kind::Null {
                has_null = true;
                continue;
            }
            if variants.get(latest) != Some(kind) {
                latest = match variants.iter().position(|own| own == kind) {
                    Some(known) => known,
                    None => {
                        variants.try_push(*kind).ok()?;
                        variants.len() - 1
                    }
                };
            }
            self.numbers.put(latest as u64);
        }
        // The rows of each variant, one variant after the other.
        let mut places = [0; VARIANTS];
        self.numbers.iter().for_each(|variant| places[*variant as usize] += 1);
        let first = self.cells.len();
        self.room_by_kind(&mut places);
        let present = rows.zip(kinds).filter(|(_, kind)| **kind != Kind::Null);
        for ((at, _), variant) in present.zip(&self.numbers) {
            let place = &mut places[*variant as usize];
            self.cells[*place] = self.cells[at];
            *place += 1;
        }
        if has_null {
            self.writer.option(kinds.iter().map(|kind| *kind != Kind::Null));
        }
        if variants.len() > 1 {
            self.writer.union(variants.len(), &self.numbers);
        }
        self.check_names(&variants)?;
        let mut start = first;
        for (kind, end) in variants.into_iter().zip(places) {
            let of_kind = place.of_kind(kinds, kind);
            match gathered.take_if(|_| kind == Kind::Dict) {
                Some(records) => self.records(None, &records, &of_kind)?,
                None => self.variant(kind, start..end, &of_kind)?,
            }
            start = end;
        }
        self.cells.truncate(first);
        Some(())
    }
}
