//! Tensors whose elements are not read.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::block::{BlockPlaces, BlockSource, SitePlace, check_padding};
use crate::block::Column;
use crate::column::raw::{self, Of};
use crate::column::tensors::{Tensors, element_counts};
use crate::error::Result;
use crate::schema::{DType, TypeId};

/// A tensor whose elements were not read.
#[derive(Clone, Debug)]
pub struct TensorPlace {
    /// The type of the elements.
    pub dtype: Arc<DType>,
    /// The dimensions.
    pub shape: Box<[u64]>,
    /// Whether the first dimension runs fastest.
    pub column_major: bool,
    /// The range of the elements.
    pub elements: Range<u64>,
}

impl BlockPlaces {
    /// Returns the tensors of a site, without their elements; `None` if these are not stored in their memory layout.
    pub(crate) fn tensors(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
    ) -> Result<Option<Vec<TensorPlace>>> {
        let place = self.site(source, id)?;
        if place.rows == 0 {
            return Ok(Some(Vec::new()));
        }
        let (found, padding) = self.skim(source, id, &place, |column, encoding, padding| {
            let found = match column {
                Column::Tensors(tensors) => places(&tensors, encoding, &place),
                _ => None,
            };
            Ok((found, padding))
        })?;
        check_padding(source, id, padding)?;
        Ok(found)
    }
}

/// The elements end the columns of the site (F-76).
fn places(
    tensors: &Tensors<'_>,
    encoding: Option<u8>,
    place: &SitePlace,
) -> Option<Vec<TensorPlace>> {
    let of = Of::elements(&tensors.dtype);
    if !raw::is_raw(of, encoding) {
        return None;
    }
    let counts = element_counts(&tensors.ranks, &tensors.dimensions);
    // They are part of the site's bytes, so each length fits.
    let lens: Vec<u64> =
        counts.into_iter().map(|count| (count * u128::from(of.width)) as u64).collect();
    let mut start = place.bytes.end - lens.iter().sum::<u64>();
    let mut dimensions = &tensors.dimensions[..];
    let rows = tensors.ranks.iter().zip(lens).enumerate().map(|(row, (rank, len))| {
        let (shape, after) = dimensions.split_at(*rank as usize);
        dimensions = after;
        let elements = start..start + len;
        start = elements.end;
        TensorPlace {
            dtype: Arc::clone(&tensors.dtype),
            shape: shape.into(),
            column_major: tensors.orders.decode_row(row),
            elements,
        }
    });
    Some(rows.collect())
}
