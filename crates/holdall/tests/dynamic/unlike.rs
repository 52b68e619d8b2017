//! What an encoder keeps of the messages before does not show in the bytes of the next, however unlike they are.

use super::properties::{alike_values, few_values, values};
use crate::common::chance::rounds;
use holdall::{Encoder, Profile, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

fn messages() -> impl Strategy<Value = (Vec<Value>, Vec<Index>)> {
    let some = prop_oneof![values(), few_values(), alike_values()];
    (vec(some, 1..6), vec(any::<Index>(), 2..24))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: rounds(2000) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_has_the_bytes_of_new_encoders(
        (values, order) in messages(),
        profile in prop::sample::select(vec![Profile::Fast, Profile::Balanced]),
    ) {
        let encoder = || Encoder::new().profile(profile);
        let message = |mut encoder: Encoder, value: &Value| {
            encoder.message(&mut &*value).map_err(|error| error.code())
        };
        let alone: Vec<_> = values.iter().map(|value| message(encoder(), value)).collect();
        let mut one = encoder();
        for at in order {
            let at = at.index(values.len());
            let again = one.message(&mut &values[at]).map_err(|error| error.code());
            prop_assert_eq!(&again, &alone[at]);
        }
    }
}
