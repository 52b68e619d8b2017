//! Shapes of records and structs: the keys of a row, their order, and the sites of their values.

use crate::memory::{self, Collect, GrowVec};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Form, Type, TypeId};

/// The keys of one row of a record or struct, in the row's own order.
///
/// Rows with equal keys share a shape, so a sink can cache what it prepares for it (escaped keys, a template) under
/// [`Shape::id`].
#[derive(Clone, Debug)]
pub struct Shape {
    id: usize,
    keys: Arc<[Arc<str>]>,
}

impl Shape {
    /// A shape with a number that is unique within one message.
    #[must_use]
    pub fn new(id: usize, keys: Arc<[Arc<str>]>) -> Self {
        Shape { id, keys }
    }

    /// A small number, counted from 0 within one message: an index for a sink's cache of shapes.
    #[must_use]
    pub fn id(&self) -> usize {
        self.id
    }

    /// The keys in the row's order.
    #[must_use]
    pub fn keys(&self) -> &Arc<[Arc<str>]> {
        &self.keys
    }
}

/// A shape, and the sites of its fields.
pub struct ShapeSites {
    pub shape: Shape,
    pub sites: Box<[TypeId]>,
}

/// The shapes that a schema lists, built once for all messages with it.
pub struct SchemaShapes {
    pub shapes: Vec<ShapeSites>,
    /// The first shape of each type that has shapes.
    pub first: Vec<usize>,
}

impl SchemaShapes {
    pub fn of(types: &[Type]) -> SchemaShapes {
        let (mut shapes, mut first) = (Vec::new(), memory::with_capacity(types.len()));
        for ty in types {
            first.put(shapes.len());
            let (Type::Record(of) | Type::Struct(_, of)) = ty else { continue };
            match &of.form {
                Form::One => shapes.put(shape_sites(shapes.len(), &of.fields, 0..of.fields.len())),
                Form::Several(several) => {
                    for shape in several.iter() {
                        shapes.put(shape_sites(shapes.len(), &of.fields, shape.iter().copied()));
                    }
                }
                // Each row lists its own keys.
                Form::Sparse => {}
            }
        }
        SchemaShapes { shapes, first }
    }
}

pub fn shape_sites(
    id: usize,
    fields: &[(Arc<str>, TypeId)],
    numbers: impl Iterator<Item = usize> + Clone,
) -> ShapeSites {
    let keys = numbers.clone().map(|field| Arc::clone(&fields[field].0)).collected();
    let sites = numbers.map(|field| fields[field].1).collected();
    ShapeSites { shape: Shape::new(id, keys), sites }
}
