//! Definitions that are used in one place alone: their rows are those of that place.

use holdall::Schema;
use holdall::bindings::Type;
use holdall::bindings::schema::TypeId;

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
    let once = |number: usize| {
        let place = only[number].filter(|_| uses[number] == 1)?;
        (!is_inside(place, number)).then_some(definitions[number])
    };
    (0..definitions.len()).map(once).collect()
}
