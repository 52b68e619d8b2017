//! The plans of a program without std: a list that only grows, without a lock. A call that finds no plan makes one, and appends
//! it by one exchange of a pointer; a second call takes the plan of the first. So an interrupt handler can read and write
//! values while the code that it interrupted makes a plan. Programs without std have few types.

use alloc::boxed::Box;

use crate::error::Result;
use crate::platform::OnceBox;
use crate::typed::plan::{Plan, PlanKey};
use crate::typed::{TypeNumber, Types};

struct PlanEntry {
    key: PlanKey,
    plan: Plan,
    next: OnceBox<PlanEntry>,
}

static FIRST: OnceBox<PlanEntry> = OnceBox::new();

/// Returns the plan of a type, made if it is the first time.
pub(super) fn get(key: PlanKey, describe: fn(&mut Types) -> TypeNumber) -> Result<&'static Plan> {
    let mut place = &FIRST;
    let mut made: Option<Box<PlanEntry>> = None;
    loop {
        let Some(entry) = place.get() else {
            let own = match made.take() {
                Some(own) => own,
                None => {
                    let plan = Plan::make(describe, key.1)?;
                    Box::new(PlanEntry { key, plan, next: OnceBox::new() })
                }
            };
            // Another may have appended one since; it may be the same.
            made = place.set(own).err();
            continue;
        };
        if entry.key == key {
            return Ok(&entry.plan);
        }
        place = &entry.next;
    }
}
