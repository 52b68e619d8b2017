//! One request of a remote call and its answer: about 20 fields, 300 bytes.

use holdall_bench_measure::random::Random;

use super::{owned, text};

owned! {
    pub struct Call {
        pub request: Request,
        pub answer: Answer,
    }

    pub struct Request {
        pub id: u64,
        pub method: String,
        pub version: u16,
        pub user: Option<String>,
        pub session: [u8; 16],
        pub deadline: u32,
        pub retries: u8,
        pub is_traced: bool,
        pub headers: Vec<(String, String)>,
        pub arguments: Arguments,
    }

    pub enum Arguments {
        Search { query: String, limit: u32, after: Option<u64> },
        Update { id: u64, set: Vec<(String, f64)> },
    }

    pub struct Answer {
        pub id: u64,
        pub status: Status,
        pub took: f32,
        pub total: u32,
        pub items: Vec<Item>,
        pub next: Option<u64>,
    }

    pub enum Status {
        Ok,
        Failed { code: u16, message: String },
    }

    pub struct Item {
        pub id: u64,
        pub title: String,
        pub score: f32,
        pub flags: u8,
    }
}

#[must_use]
pub fn make(seed: u64) -> Call {
    let random = &mut Random(seed);
    let id = random.bits();
    Call {
        request: Request {
            id,
            method: "catalog.search".to_owned(),
            version: 3,
            user: Some(text::mail(random)),
            session: std::array::from_fn(|_| random.bits() as u8),
            deadline: 2_500,
            retries: 1,
            is_traced: false,
            headers: vec![
                ("accept-language".to_owned(), "en".to_owned()),
                ("x-region".to_owned(), text::word(random)),
            ],
            arguments: Arguments::Search { query: text::slug(random, 100), limit: 20, after: None },
        },
        answer: Answer {
            id,
            status: Status::Ok,
            took: 12.5,
            total: random.below(5_000) as u32,
            items: (0..4)
                .map(|_| Item {
                    id: random.bits() >> 20,
                    title: text::full_name(random),
                    score: random.unit() as f32,
                    flags: random.below(8) as u8,
                })
                .collect(),
            next: Some(random.bits()),
        },
    }
}
