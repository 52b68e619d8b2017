//! Damage to messages and streams: a table has the rows that reading gives, or an error; never a panic.

use super::common::chance::{Chance, rounds};
use super::common::mutate::mutate;
use super::common::{Input, vectors};
use super::law::check;

fn valid() -> Vec<Vec<u8>> {
    let all = vectors("valid").into_iter().chain(vectors("streams"));
    let alone = |input: &Input| input.is_valid && input.schema.is_none();
    all.filter(alone).map(|input| input.bytes).collect()
}

#[test]
fn vectors_are_tables_of_as_many_rows() {
    let tables = valid().iter().filter(|bytes| check(bytes)).count();
    assert!(tables > 200, "{tables}");
}

#[test]
fn damaged_messages_are_tables_of_as_many_rows_or_refused() {
    let messages = valid();
    let (mut chance, mut tables) = (Chance::new(27), 0);
    for _ in 0..rounds(40_000) {
        let mut bytes = chance.pick(&messages).clone();
        let other = chance.pick(&messages).clone();
        for _ in 0..=chance.below(3) {
            mutate(&mut chance, &mut bytes, &other);
        }
        tables += usize::from(check(&bytes));
    }
    assert!(tables > 0);
}
