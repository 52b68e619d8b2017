//! One kind of data, and all operations on it.

use std::hint::black_box;
use std::rc::Rc;

use rkyv::util::AlignedVec;

use crate::peers::{Borrowing, Peer};

/// Work that repeats itself the given number of times.
pub struct Op(Box<dyn FnMut(usize)>);

impl Op {
    /// The loop is compiled together with the work, so that repeating costs nothing.
    pub(crate) fn new<T>(mut work: impl FnMut() -> T + 'static) -> Op {
        Op(Box::new(move |times| {
            for _ in 0..times {
                black_box(work());
            }
        }))
    }

    /// Does the work this many times.
    pub fn run(&mut self, times: usize) {
        (self.0)(times);
    }
}

/// The operations measured for each peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Writes into existing memory.
    Serialize,
    /// Writes into new memory, and frees it.
    Fresh,
    /// Reads a value that owns its contents, and drops it.
    Deserialize,
    /// Reads a value that borrows from the bytes, and drops it.
    Borrow,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 4] =
        [Operation::Serialize, Operation::Fresh, Operation::Deserialize, Operation::Borrow];

    /// The name in tables and arguments.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Operation::Serialize => "serialize",
            Operation::Fresh => "fresh",
            Operation::Deserialize => "deserialize",
            Operation::Borrow => "borrow",
        }
    }
}

/// One peer's part in a case.
pub struct Entry {
    /// The peer's name.
    pub peer: &'static str,
    /// As [`Peer::OURS`].
    pub ours: bool,
    /// As [`Peer::IS_PROFILE_SMALL`].
    pub small: bool,
    /// The message, if peers can use its numbers in place.
    pub bytes: Rc<AlignedVec>,
    /// In the order of [`Operation::ALL`]; borrowing only if the peer can.
    ops: [Option<Op>; 4],
}

impl Entry {
    /// Returns how it does an operation, if it can.
    pub fn op(&mut self, operation: Operation) -> Option<&mut Op> {
        self.ops[operation as usize].as_mut()
    }
}

/// A value, and the peers that write and read it.
pub struct Case {
    /// The name in tables and arguments.
    pub name: &'static str,
    /// The data in a few words.
    pub about: String,
    /// The peers, in the order of the table.
    pub entries: Vec<Entry>,
    /// Copies holdall's message into existing memory.
    pub copy: Op,
    /// Clones the value that reading returns, and drops it.
    pub clone: Op,
}

/// The peers of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// All peers, with their results compared.
    All,
    /// The peer with this name, without the check: for counting instructions.
    Only(&'static str),
}

impl Who {
    fn has(self, peer: &str) -> bool {
        match self {
            Who::All => true,
            Who::Only(name) => name == peer,
        }
    }
}

/// Collects the peers of a case: `T` is written, `R` is read.
pub struct Builder<T, R = T> {
    value: Rc<T>,
    expected: Rc<R>,
    entries: Vec<Entry>,
    who: Who,
}

impl<T: PartialEq + 'static> Builder<T> {
    /// A case whose values come back unchanged.
    #[must_use]
    pub fn new(value: T, who: Who) -> Self {
        let value = Rc::new(value);
        Builder { expected: Rc::clone(&value), value, entries: Vec::new(), who }
    }

    /// Adds a peer that also borrows.
    #[must_use]
    pub fn borrowing<P: Borrowing<T>>(self) -> Self {
        let mut builder = self.peer::<P>();
        if !P::IN || !builder.who.has(P::NAME) {
            return builder;
        }
        let entry = builder.entries.last_mut().expect("it was added");
        let (mut peer, bytes) = (P::default(), Rc::clone(&entry.bytes));
        if builder.who == Who::All {
            let same = P::same(&builder.value, &peer.borrow(&bytes));
            assert!(same, "{} borrows another value", P::NAME);
        }
        entry.ops[Operation::Borrow as usize] = Some(Op::new(move || {
            black_box(peer.borrow(black_box(&bytes)));
        }));
        builder
    }
}

impl<T: 'static, R: PartialEq + 'static> Builder<T, R> {
    /// A case whose values come back as another type.
    #[must_use]
    pub fn changed(value: T, expected: R, who: Who) -> Self {
        Builder { value: Rc::new(value), expected: Rc::new(expected), entries: Vec::new(), who }
    }

    /// Adds a peer.
    ///
    /// # Panics
    /// If the value does not come back as expected: its times would be meaningless.
    #[must_use]
    pub fn peer<P: Peer<T, R>>(mut self) -> Self {
        if P::IN && self.who.has(P::NAME) {
            let entry = entry::<P, T, R>(&self.value, &self.expected, self.who);
            self.entries.push(entry);
        }
        self
    }
}

impl<T, R> Builder<T, R> {
    /// Adds a peer with its own types, which are converted beforehand.
    ///
    /// # Panics
    /// As [`Builder::peer`].
    #[must_use]
    pub fn mirrored<P, M, N>(mut self) -> Self
    where
        P: Peer<M, N>,
        M: for<'a> From<&'a T> + 'static,
        N: for<'a> From<&'a R> + PartialEq + 'static,
    {
        if P::IN && self.who.has(P::NAME) {
            let (value, expected) = (M::from(&self.value), N::from(&self.expected));
            let entry = entry::<P, M, N>(&Rc::new(value), &Rc::new(expected), self.who);
            self.entries.push(entry);
        }
        self
    }
}

impl<T: 'static, R: Clone + 'static> Builder<T, R> {
    /// Returns the complete case.
    #[must_use]
    pub fn build(self, name: &'static str, about: String) -> Case {
        let bytes = self.entries.first().map(|entry| Rc::clone(&entry.bytes)).unwrap_or_default();
        let mut kept = Vec::with_capacity(bytes.len());
        let copy = Op::new(move || {
            kept.clear();
            kept.extend_from_slice(black_box(&bytes));
            black_box(kept.as_ptr());
        });
        let value = self.expected;
        let clone = Op::new(move || R::clone(black_box(&value)));
        Case { name, about, entries: self.entries, copy, clone }
    }
}

fn entry<P: Peer<T, R>, T: 'static, R: PartialEq + 'static>(
    value: &Rc<T>,
    expected: &Rc<R>,
    who: Who,
) -> Entry {
    let mut aligned = AlignedVec::new();
    aligned.extend_from_slice(&P::default().to_vec(value));
    let bytes = Rc::new(aligned);
    if who == Who::All {
        let mut peer = P::default();
        for _ in 0..2 {
            // The second time uses the caches of the first.
            assert!(peer.read(&bytes) == **expected, "{} reads another value", P::NAME);
            assert!(peer.write(value) == bytes.as_slice(), "{} writes other bytes", P::NAME);
        }
    }

    let (kept, fresh) = (Rc::clone(value), Rc::clone(value));
    let (mut writer, mut maker, mut reader) = (P::default(), P::default(), P::default());
    let input = Rc::clone(&bytes);
    let ops = [
        Some(Op::new(move || writer.write(black_box(&kept)).as_ptr())),
        Some(Op::new(move || maker.to_vec(black_box(&fresh)))),
        Some(Op::new(move || reader.read(black_box(&input)))),
        None,
    ];
    Entry { peer: P::NAME, ours: P::OURS, small: P::IS_PROFILE_SMALL, bytes, ops }
}
