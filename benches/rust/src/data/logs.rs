//! Records of a web server: partly constant text, growing or small numbers, some fields absent.

use holdall_bench_measure::random::Random;

use super::{Lend, owned, text};

owned! {
    #[derive(fory::ForyStruct)]
    #[holdall(archive)]
    pub struct Logs {
        pub records: Vec<Record>,
    }

    #[derive(fory::ForyStruct)]
    #[holdall(archive)]
    pub struct Record {
        pub client: [u8; 4],
        /// Milliseconds since 1970.
        pub at: u64,
        pub method: Method,
        pub path: String,
        pub status: u16,
        pub bytes: u64,
        pub seconds: f32,
        pub referrer: Option<String>,
        pub user: Option<u32>,
        pub agent: String,
    }

    #[derive(Copy)]
    #[derive(fory::ForyEnum)]
    #[holdall(archive)]
    pub enum Method {
        Get,
        Head,
        Post,
        Put,
        Delete,
    }
}

pub mod lent {
    use super::Method;
    use crate::data::lent;

    lent! {
        pub struct Logs<'a> {
            #[serde(borrow)]
            pub records: Vec<Record<'a>>,
        }

        pub struct Record<'a> {
            pub client: [u8; 4],
            pub at: u64,
            pub method: Method,
            pub path: &'a str,
            pub status: u16,
            pub bytes: u64,
            pub seconds: f32,
            pub referrer: Option<&'a str>,
            pub user: Option<u32>,
            pub agent: &'a str,
        }
    }
}

impl Lend for Logs {
    type Lent<'a> = lent::Logs<'a>;
}

const AGENTS: &[&str] = &[
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5",
    "Mozilla/5.0 (compatible; bot/2.1; +https://bot.example/about)",
    "curl/8.8.0",
];

#[must_use]
pub fn make(count: usize, seed: u64) -> Logs {
    let random = &mut Random(seed);
    let mut at = 1_740_787_200_000;
    let records = (0..count).map(|_| {
        at += random.skewed(400);
        record(random, at)
    });
    Logs { records: records.collect() }
}

fn record(random: &mut Random, at: u64) -> Record {
    let status = [200, 200, 200, 200, 200, 200, 206, 301, 304, 304, 404, 404, 500];
    let method = [Method::Get, Method::Get, Method::Get, Method::Get, Method::Get, Method::Post];
    let query = if random.one_in(4) {
        format!("?q={}&page={}", text::word(random), random.skewed(30))
    } else {
        String::new()
    };
    Record {
        client: [
            10 + random.skewed(180) as u8,
            random.below(256) as u8,
            random.below(256) as u8,
            random.below(256) as u8,
        ],
        at,
        method: match random.below(20) {
            0 => Method::Head,
            1 => Method::Put,
            2 => Method::Delete,
            _ => method[random.below(6) as usize],
        },
        path: format!("/{}/{}{query}", text::word(random), text::slug(random, 500)),
        status: status[random.below(13) as usize],
        bytes: if random.one_in(6) { 0 } else { random.skewed(200_000) },
        seconds: (random.skewed(3000) as f32) / 1000.0,
        referrer: random
            .one_in(3)
            .then(|| format!("https://{}.example/{}", text::word(random), text::word(random))),
        user: random.one_in(5).then(|| random.below(10_000) as u32),
        agent: random.pick(AGENTS).to_owned(),
    }
}
