//! The types of the standard library, and of other crates.

/// The methods of [`Encode`](super::Encode) that write many numbers: words of a type that a column takes, and the function
/// that returns a slice of numbers as one of words.
macro_rules! write_words {
    ($word:ty, $words_of:path) => {
        fn write_rows(
            rows: crate::typed::Refs<'_, Self>,
            site: crate::typed::Site,
            columns: &mut crate::typed::Columns<'_>,
        ) -> crate::error::Result<()> {
            rows.append_to(columns.buffers.words(site)?, |&value| value as $word);
            Ok(())
        }

        fn write_lists(
            lists: &[&[Self]],
            site: crate::typed::Site,
            columns: &mut crate::typed::Columns<'_>,
        ) -> crate::error::Result<()> {
            let words = columns.buffers.words::<$word>(site)?;
            crate::kernel::short::append(words, lists.iter().map(|list| $words_of(*list)));
            Ok(())
        }

        fn write_arrays<const LEN: usize>(
            rows: crate::typed::Refs<'_, [Self; LEN]>,
            site: crate::typed::Site,
            columns: &mut crate::typed::Columns<'_>,
        ) -> crate::error::Result<()> {
            let words = columns.buffers.words(site)?;
            rows.append_arrays(words, |row| row.map(|value| value as $word));
            Ok(())
        }
    };
}

/// The methods of [`Decode`](super::Decode) that read many integers from words of a column.
macro_rules! read_words {
    ($de:lifetime, $word:ty) => {
        #[inline]
        fn read_rows(
            slots: &mut crate::typed::Slots<'_, Self>,
            site: crate::typed::Site,
            rows: &mut crate::typed::Rows<'_, $de>,
        ) -> crate::error::Result<()> {
            rows.each_part::<$word>(site, slots.left(), |words| {
                slots.extend_from(words, |&word| word as Self);
            })
        }

        #[inline]
        fn read_list(
            count: usize,
            site: crate::typed::Site,
            rows: &mut crate::typed::Rows<'_, $de>,
        ) -> crate::error::Result<alloc::vec::Vec<Self>> {
            rows.allocate::<Self>(count)?;
            let mut list = $crate::memory::with_capacity(count);
            rows.each_part::<$word>(site, count, |words| {
                $crate::memory::GrowVec::put_each(
                    &mut list,
                    words.iter().map(|&word| word as Self),
                );
            })?;
            Ok(list)
        }

        fn read_lists(
            lens: &[u64],
            lists: &mut crate::typed::Slots<'_, alloc::vec::Vec<Self>>,
            site: crate::typed::Site,
            rows: &mut crate::typed::Rows<'_, $de>,
        ) -> crate::error::Result<()> {
            // Lengths were charged to the budget, so they fit.
            let count = lens.iter().sum::<u64>() as usize;
            rows.allocate::<Self>(count)?;
            rows.at_once::<$word>(site, count, |mut words| {
                lists.extend(lens.iter().map(|&len| {
                    let (list, rest) = words.split_at(len as usize);
                    words = rest;
                    $crate::memory::collected(list.iter().map(|&word| word as Self))
                }));
            })
        }
    };
}

mod big_ints;
mod c_text;
mod cells;
mod containers;
mod crates;
mod errors;
mod floats;
mod maps;
mod net;
mod numbers;
mod pointers;
mod ranges;
#[cfg(feature = "std")]
mod system;
mod text;
mod time;
mod tuples;
mod value;
mod wrappers;

pub use errors::StoredError;
