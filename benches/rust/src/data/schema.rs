//! Records written before a type changed, and the current type: two fewer fields, one more.

use holdall_bench_measure::random::Random;
use savefile::Removed;

use super::{owned, text};

pub mod old {
    use crate::data::owned;

    owned! {
        #[derive(fory::ForyStruct)]
        pub struct Order {
            pub id: u64,
            pub customer: String,
            pub amount: f64,
            pub items: Vec<u32>,
            pub coupon: Option<String>,
            pub paid: bool,
            pub note: String,
            pub day: u32,
        }
    }
}

owned! {
    /// Without `coupon` and `note`, and with `rating`.
    #[derive(fory::ForyStruct)]
    pub struct Order {
        pub id: u64,
        pub customer: String,
        pub amount: f64,
        pub items: Vec<u32>,
        pub paid: bool,
        pub day: u32,
        pub rating: Option<u8>,
    }
}

impl From<&old::Order> for Order {
    fn from(old: &old::Order) -> Order {
        Order {
            id: old.id,
            customer: old.customer.clone(),
            amount: old.amount,
            items: old.items.clone(),
            paid: old.paid,
            day: old.day,
            rating: None,
        }
    }
}

/// The records as the current type would have written them.
#[derive(PartialEq, holdall::Encode, holdall::Decode)]
pub struct Now(pub Vec<Order>);

impl From<&Vec<old::Order>> for Now {
    fn from(orders: &Vec<old::Order>) -> Now {
        Now(orders.iter().map(Order::from).collect())
    }
}

impl From<&Vec<Order>> for Now {
    fn from(orders: &Vec<Order>) -> Now {
        Now(orders.clone())
    }
}

/// What savefile writes.
#[derive(savefile_derive::Savefile)]
pub struct OldSave {
    pub orders: Vec<old::Order>,
}

impl From<&Vec<old::Order>> for OldSave {
    fn from(orders: &Vec<old::Order>) -> OldSave {
        OldSave { orders: orders.clone() }
    }
}

/// The type as which savefile reads it.
#[derive(PartialEq, savefile_derive::Savefile)]
pub struct NewSave {
    pub orders: Vec<VersionedOrder>,
}

impl From<&Vec<Order>> for NewSave {
    fn from(orders: &Vec<Order>) -> NewSave {
        NewSave { orders: orders.iter().map(VersionedOrder::from).collect() }
    }
}

/// The current type for savefile: removed fields keep their places and versions.
#[derive(savefile_derive::Savefile)]
pub struct VersionedOrder {
    pub id: u64,
    pub customer: String,
    pub amount: f64,
    pub items: Vec<u32>,
    #[savefile_versions = "0..0"]
    pub coupon: Removed<Option<String>>,
    pub paid: bool,
    #[savefile_versions = "0..0"]
    pub note: Removed<String>,
    pub day: u32,
    #[savefile_versions = "1.."]
    pub rating: Option<u8>,
}

impl From<&Order> for VersionedOrder {
    fn from(order: &Order) -> VersionedOrder {
        let order = order.clone();
        VersionedOrder {
            id: order.id,
            customer: order.customer,
            amount: order.amount,
            items: order.items,
            coupon: Removed::new(),
            paid: order.paid,
            note: Removed::new(),
            day: order.day,
            rating: order.rating,
        }
    }
}

impl PartialEq for VersionedOrder {
    fn eq(&self, other: &VersionedOrder) -> bool {
        fn parts(order: &VersionedOrder) -> (u64, &str, f64, &[u32], bool, u32, Option<u8>) {
            let VersionedOrder {
                id,
                customer,
                amount,
                items,
                coupon: _,
                paid,
                note: _,
                day,
                rating,
            } = order;
            (*id, customer, *amount, items, *paid, *day, *rating)
        }
        parts(self) == parts(other)
    }
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<old::Order> {
    let random = &mut Random(seed);
    let mut id = 500_000;
    let order = |_| {
        id += 1 + random.skewed(20);
        old::Order {
            id,
            customer: text::full_name(random),
            amount: random.skewed(50_000) as f64 / 100.0,
            items: (0..1 + random.skewed(6)).map(|_| random.below(9_000) as u32).collect(),
            coupon: random.one_in(8).then(|| text::slug(random, 100).to_uppercase()),
            paid: !random.one_in(10),
            note: if random.one_in(5) {
                format!("leave it at the {}", text::word(random))
            } else {
                String::new()
            },
            day: (id / 600) as u32 + 19_000,
        }
    };
    (0..count).map(order).collect()
}
