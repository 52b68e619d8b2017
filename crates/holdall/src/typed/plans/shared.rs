//! The plans of a program with threads: behind a lock, and those that a thread used last without it.

use alloc::boxed::Box;
use core::cell::Cell;
use core::hash::{Hash, Hasher};
use std::sync::{LazyLock, PoisonError, RwLock};

use crate::error::Result;
use crate::platform::HashMap;
use crate::typed::plan::{Direction, Plan, PlanKey};
use crate::typed::{TypeNumber, Types};

/// All plans, one for each type that a program writes or reads as a root. They live as long as the program, without
/// reference counts: each count takes 5 ns of a small message's 100.
struct Plans {
    all: LazyLock<RwLock<HashMap<PlanKey, &'static Plan>>>,
}

static PLANS: Plans = Plans { all: LazyLock::new(RwLock::default) };

/// The number of plans that a thread finds again at once: a message can have several types with columns of their own.
const KEPT: usize = 8;

std::thread_local! {
    /// The plans that this thread used last, each in the place of its type.
    static LAST: [Cell<Option<(PlanKey, &'static Plan)>>; KEPT] =
        const { [const { Cell::new(None) }; KEPT] };
}

/// Takes a part of a type's number as its hash.
#[derive(Default)]
struct Number(u64);

impl Hasher for Number {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    #[inline]
    fn write_u64(&mut self, part: u64) {
        self.0 ^= part;
    }
}

/// Returns the plan of a type, made if it is the first time.
#[inline]
pub(super) fn get(key: PlanKey, describe: fn(&mut Types) -> TypeNumber) -> Result<&'static Plan> {
    PLANS.get(key, describe)
}

impl Plans {
    #[inline]
    fn place(key: &PlanKey) -> usize {
        let mut number = Number::default();
        key.0.hash(&mut number);
        // Writing and reading take turns.
        (number.finish() as usize).wrapping_add(usize::from(key.1 == Direction::Read)) % KEPT
    }

    #[inline]
    fn get(&self, key: PlanKey, describe: fn(&mut Types) -> TypeNumber) -> Result<&'static Plan> {
        match LAST.with(|last| last[Self::place(&key)].get()) {
            Some((known, plan)) if known == key => Ok(plan),
            _ => self.find(key, describe),
        }
    }

    #[cold]
    fn find(&self, key: PlanKey, describe: fn(&mut Types) -> TypeNumber) -> Result<&'static Plan> {
        let known = self.all.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        let plan = match known {
            Some(plan) => plan,
            None => {
                let plan = Plan::make(describe, key.1)?;
                let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
                *all.entry(key).or_insert_with(|| Box::leak(Box::new(plan)))
            }
        };
        LAST.with(|last| last[Self::place(&key)].set(Some((key, plan))));
        Ok(plan)
    }
}
