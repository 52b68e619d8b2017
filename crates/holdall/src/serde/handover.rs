//! Passes a [`Value`] inside a value of a program's type through serde unchanged.
//!
//! serde cannot express most kinds of `Value`. So a `Value` announces itself by the name of a newtype. If our own
//! serializer or deserializer sees that name, both sides meet here; any other gets the value in serde's terms.

use core::cell::RefCell;

use super::SOME;
use super::events::EventTarget;
use crate::dynamic::Shredder;
use crate::error::Result;
use crate::value::Value;

/// The newtype's name.
pub(super) const NAME: &str = "$holdall::Value";

#[derive(Default)]
enum HandedOver {
    #[default]
    Empty,
    /// Asks the value to emit itself.
    Emit(Shredder),
    Emitted(Shredder, Result<()>),
    /// Asks the value whether, in an option, it would be mistaken for something else.
    Look,
    Looked(bool),
    /// Asks the value for a copy.
    Ask,
    Answer(Value),
    /// The value that was read.
    Read(Value),
}

std::thread_local! {
    static SLOT: RefCell<HandedOver> = const { RefCell::new(HandedOver::Empty) };
}

fn take() -> HandedOver {
    SLOT.take()
}

/// Asks a value to emit itself. Returns the shredder, and whether it was a value.
pub(super) fn emit(
    shredder: Shredder,
    ask: impl FnOnce() -> Result<()>,
) -> (Shredder, Result<bool>) {
    SLOT.set(HandedOver::Emit(shredder));
    let asked = ask();
    match take() {
        HandedOver::Emitted(shredder, emitted) => (shredder, emitted.map(|()| true)),
        HandedOver::Emit(shredder) => (shredder, asked.map(|()| false)),
        // Nothing else takes it.
        _ => (Shredder::new(), asked.map(|()| false)),
    }
}

/// Whether a value is null, or a variant that an option would take for its own; none if it is not a value.
pub(super) fn look(ask: impl FnOnce() -> Result<()>) -> Result<Option<bool>> {
    SLOT.set(HandedOver::Look);
    let asked = ask();
    match take() {
        HandedOver::Looked(is) => Ok(Some(is)),
        _ => asked.map(|()| None),
    }
}

/// Asks a value for a copy of itself, if it is one.
pub(super) fn ask(ask: impl FnOnce() -> Result<()>) -> Result<Option<Value>> {
    SLOT.set(HandedOver::Ask);
    let asked = ask();
    match take() {
        HandedOver::Answer(value) => Ok(Some(value)),
        _ => asked.map(|()| None),
    }
}

/// Emits a value that is being written; `false` if it was not asked to.
pub(super) fn answer(value: &Value) -> bool {
    match take() {
        HandedOver::Emit(mut shredder) => {
            let emitted = shredder.value(value);
            SLOT.set(HandedOver::Emitted(shredder, emitted));
        }
        HandedOver::Look => SLOT.set(HandedOver::Looked(value.behind(|value| match value {
            Value::Null => true,
            Value::Variant(variant) => **variant.name() == *SOME,
            _ => false,
        }))),
        HandedOver::Ask => SLOT.set(HandedOver::Answer(value.clone())),
        _ => return false,
    }
    true
}

/// Leaves a value that was read for its visitor.
pub(super) fn give<T>(value: Value, visit: impl FnOnce() -> T) -> T {
    SLOT.set(HandedOver::Read(value));
    let visited = visit();
    // If the visitor is not ours, it is still there.
    drop(take());
    visited
}

/// Returns the value that was left, if any.
pub(super) fn receive() -> Option<Value> {
    match take() {
        HandedOver::Read(value) => Some(value),
        _ => None,
    }
}
