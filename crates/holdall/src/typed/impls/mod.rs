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

mod big_ints;
mod bytes;
mod cells;
mod containers;
mod crates;
mod floats;
mod maps;
mod net;
mod numbers;
mod pointers;
mod ranges;
mod text;
mod time;
mod tuples;
mod value;
mod wrappers;
