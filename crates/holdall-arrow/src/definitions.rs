//! Definitions that are used in one place alone: their rows are those of that place.

use std::iter::successors;

use holdall::Schema;
use holdall::bindings::Type;
use holdall::bindings::schema::TypeId;

/// Definitions inside others stay definitions from this depth on: functions recurse into those that are inlined, and each can nest as deep
/// as a schema may.
const NESTING: usize = 8;

/// For each definition, its type if that can replace its only use.
pub fn inlined(schema: &Schema) -> Vec<Option<TypeId>> {
    let definitions = schema.definitions();
    let mut uses = vec![0; definitions.len()];
    let mut only = vec![None; definitions.len()];
    for (id, ty) in schema.types().iter().enumerate() {
        match ty {
            Type::Def(number) => {
                uses[*number] += 1;
                only[*number] = Some(id);
            }
            // Back-references make one row several values.
            Type::Shared(number) => uses[*number] += 2,
            _ => {}
        }
    }
    let is_inside = |place, number: usize| schema.inside(definitions[number]).contains(&place);
    // By where they begin: each ends before the next one.
    let mut starts: Vec<(TypeId, usize)> =
        definitions.iter().enumerate().map(|(number, body)| (*body, number)).collect();
    starts.sort_unstable();
    let around = |number: &usize| {
        let place = only[*number]?;
        let after = starts.partition_point(|(body, _)| *body <= place);
        let (_, number) = *starts.get(after.checked_sub(1)?)?;
        is_inside(place, number).then_some(number)
    };
    let once = |number: usize| {
        let place = only[number].filter(|_| uses[number] == 1)?;
        let depth = successors(Some(number), around).take(NESTING + 1).count();
        (!is_inside(place, number) && depth <= NESTING).then_some(definitions[number])
    };
    (0..definitions.len()).map(once).collect()
}
