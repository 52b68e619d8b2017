//! A test for types that derive [`Encode`] and [`Decode`], or implement them by hand.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::archive::Archive;
use crate::column::{Profile, zstd};
use crate::decoder::Decoder;
use crate::encoder::Encoder;
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowVec};
use crate::message::Header;
use crate::number::IntKind;
use crate::schema::{DType, Scalar, Type};
use crate::typed::{Buffers, Decode, Encode, Plan, Site, message_of};
use crate::value::Value;

/// Makes `count` values of a type from its schema, and checks that each survives every round trip: as a message and
/// as a bare body, with its own schema and through [`Value`], whose schema differs, over an existing value, and as
/// an item of an [`Archive`].
/// Checks too that every truncated message is rejected, and that damaged messages are read or rejected without a
/// panic.
///
/// A value that the type cannot hold (a 0 for a [`NonZero`](std::num::NonZero)) is skipped. The values are the same
/// each time.
///
/// ```
/// #[derive(Debug, holdall::Encode, holdall::Decode)]
/// struct User {
///     id: u64,
///     name: Option<String>,
/// }
///
/// holdall::testing::check::<User>(100);
/// ```
///
/// # Panics
/// With the message in hex if a round trip fails, or if the type could hold none of the values; for a type that contains a
/// [`Value`], which has no schema to make values of.
pub fn check<T: Encode + for<'de> Decode<'de> + Debug>(count: usize) {
    let plan = Plan::of_read::<T>().and_then(|plan| plan.constant_schema().map(|_| plan));
    let plan = plan.unwrap_or_else(|error| panic!("the type has no schema: {error}"));
    let mut values: Vec<T> = Vec::new();
    for seed in 0..count as u64 {
        let mut maker = Maker::new(plan, seed);
        maker.row(Site::ROOT);
        let message = maker.message();
        let context = || hex(&message);
        match Decoder::new().decode::<T>(&message) {
            Ok(value) => {
                check_value(&value, &context);
                check_over(values.last_mut(), &value, &context);
                values.put(value);
            }
            Err(error) => assert!(is_refusal(&error), "{error}\n{}", context()),
        }
        for len in 0..message.len() {
            let refused = Decoder::new().decode::<T>(&message[..len]).is_err();
            assert!(refused, "read from {len} bytes of\n{}", context());
        }
        for _ in 0..8 {
            let mut damaged = message.clone();
            let at = maker.chance.below(damaged.len());
            damaged[at] ^= 1 << maker.chance.below(8);
            // This must not panic. Whether it succeeds depends on the byte.
            let _ = Decoder::new().decode::<T>(&damaged);
        }
    }
    let taken = values.len();
    assert!(taken > 0 || count == 0, "the type takes none of {count} values of its schema");
    check_archive(&values);
}

fn check_value<T: Encode + for<'de> Decode<'de> + Debug>(value: &T, context: &dyn Fn() -> String) {
    let fail =
        |what: &str, error: Error| -> ! { panic!("{what}: {error}\n{value:?}\n{}", context()) };
    let write =
        |value: &T| Encoder::new().encode(value).unwrap_or_else(|error| fail("not written", error));
    let bytes = write(value);
    let expected = sorted(&bytes, context);
    let same = |what: &str, back: Result<T, Error>| {
        let back = back.unwrap_or_else(|error| fail(what, error));
        assert_eq!(sorted(&write(&back), context), expected, "{what}\n{value:?}\n{}", context());
    };
    same("by its schema", Decoder::new().decode(&bytes));
    let body = Encoder::new().header(Header::Bare).encode(value);
    let body = body.unwrap_or_else(|error| fail("no bare body", error));
    same("as a bare body", Decoder::new().decode_body(&body));
    let small = if zstd::WRITES { &[Profile::Small][..] } else { &[] };
    for &profile in [Profile::Balanced].iter().chain(small) {
        let bytes = Encoder::new().profile(profile).checksum(true).encode(value);
        same("in another profile", bytes.and_then(|bytes| Decoder::new().decode(&bytes)));
    }
    let dynamic: Value =
        Decoder::new().decode(&bytes).unwrap_or_else(|error| fail("no Value", error));
    match Encoder::new().encode(&dynamic).and_then(|bytes| Decoder::new().decode::<T>(&bytes)) {
        // Shared values become other values in a `Value`, where they are not scalars.
        Ok(_) if has_shared::<T>() => {}
        back => same("through Value", back),
    }
}

/// Reads each value over the one before.
fn check_over<T: Encode + for<'de> Decode<'de> + Debug>(
    before: Option<&mut T>,
    value: &T,
    context: &dyn Fn() -> String,
) {
    let Some(before) = before else { return };
    let bytes = Encoder::new().encode(value).expect("it was written");
    if let Err(error) = Decoder::new().decode_into(&bytes, before) {
        panic!("in place of another: {error}\n{value:?}\n{}", context());
    }
    let back = Encoder::new().encode(before).expect("a value");
    assert_eq!(
        sorted(&back, context),
        sorted(&bytes, context),
        "in place of another\n{}",
        context()
    );
}

/// Reads each item of a list on its own.
fn check_archive<T: Encode + for<'de> Decode<'de> + Debug>(values: &[T]) {
    let small = if zstd::WRITES { &[Profile::Small][..] } else { &[] };
    for &profile in [Profile::Fast, Profile::Balanced].iter().chain(small) {
        let bytes = Encoder::new().profile(profile).encode(values).expect("each was written");
        let context = || hex(&bytes);
        let archive = match Archive::<Vec<T>>::new(&bytes) {
            Ok(archive) => archive,
            Err(error) if error.code() == Code::Unsupported => return,
            Err(error) => panic!("no archive: {error}\n{}", context()),
        };
        assert_eq!(archive.len(), values.len());
        for (number, value) in values.iter().enumerate() {
            let item = archive.get(number);
            let item = item.unwrap_or_else(|error| panic!("item {number}: {error}\n{}", context()));
            let write =
                |value: &T| sorted(&Encoder::new().encode(value).expect("a value"), &context);
            assert_eq!(write(&item), write(value), "item {number} of an archive\n{}", context());
        }
    }
}

fn has_shared<T: Encode>() -> bool {
    let is_shared = |ty: &Type| matches!(ty, Type::Shared(_));
    T::schema().is_ok_and(|schema| schema.types().iter().any(is_shared))
}

/// Whether an error says that the type cannot hold a value.
fn is_refusal(error: &Error) -> bool {
    matches!(error.code(), Code::Unconvertible | Code::DuplicateKey | Code::Unrepresentable)
}

/// The value of a message as text, with entries of maps and members of sets sorted.
fn sorted(message: &[u8], context: &dyn Fn() -> String) -> String {
    let value: Value = Decoder::new()
        .decode(message)
        .unwrap_or_else(|error| panic!("not read: {error}\n{}", context()));
    text(&value)
}

// The recursion is as deep as the values, which are small.
fn text(value: &Value) -> String {
    let all = |values: &mut dyn Iterator<Item = &Value>| values.map(text).collect::<Vec<_>>();
    let in_order = |mut parts: Vec<String>| {
        parts.sort();
        parts.join(", ")
    };
    match value {
        Value::Map(map) => {
            let entries =
                map.iter().map(|(key, value)| format!("{} => {}", text(key), text(value)));
            format!("map({})", in_order(entries.collect()))
        }
        Value::Logical(logical) => match logical.storage() {
            Value::List(items) => {
                format!("{}({})", logical.ty(), in_order(all(&mut items.iter())))
            }
            storage => format!("{}({})", logical.ty(), text(storage)),
        },
        Value::List(items) => format!("[{}]", all(&mut items.iter()).join(", ")),
        Value::Array(items) => format!("array[{}]", all(&mut items.iter()).join(", ")),
        Value::Tuple(items) => format!("({})", all(&mut items.iter()).join(", ")),
        Value::Record(record) => format!("{{{}}}", all(&mut record.values().iter()).join(", ")),
        Value::Struct(of) => {
            format!("{} {{{}}}", of.name(), all(&mut of.fields().values().iter()).join(", "))
        }
        Value::Variant(variant) => format!("{} {}", variant.name(), text(variant.value())),
        scalar => format!("{scalar:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ word >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Makes rows of a schema.
struct Maker<'p> {
    plan: &'p Plan,
    buffers: Buffers,
    chance: Chance,
    /// How many more rows may have rows inside.
    fuel: usize,
    /// The complete rows of each definition.
    complete: Vec<Vec<u64>>,
}

impl<'p> Maker<'p> {
    fn new(plan: &'p Plan, seed: u64) -> Self {
        let complete = memory::filled(Vec::new(), plan.schema.definitions().len());
        Maker { plan, buffers: Buffers::new(plan), chance: Chance(seed), fuel: 60, complete }
    }

    fn message(&self) -> Vec<u8> {
        message_of(self.plan, &self.buffers).expect("no limit is set")
    }

    // The recursion ends with the fuel, except for types that cannot end.
    fn row(&mut self, site: Site) {
        self.fuel = self.fuel.saturating_sub(1);
        let done = match self.plan.ty(site) {
            Type::Scalar(scalar) => self.scalar(site, *scalar),
            Type::Option(_) => {
                let present = self.fuel > 0 && self.chance.below(3) > 0;
                let done = self.buffers.push(site, present);
                if present {
                    self.row(self.plan.child(site, 0));
                }
                done
            }
            Type::List(_) | Type::Map(..) => {
                let len = self.chance.below(self.fuel.min(6) + 1);
                let done = self.buffers.number(site, len as u64);
                for _ in 0..len {
                    self.row(self.plan.child(site, 0));
                    if let Type::Map(..) = self.plan.ty(site) {
                        self.row(self.plan.child(site, 1));
                    }
                }
                done
            }
            Type::Array(len, _) => {
                (0..*len).for_each(|_| self.row(self.plan.child(site, 0)));
                Ok(())
            }
            Type::Tuple(items) => {
                (0..items.len()).for_each(|item| self.row(self.plan.child(site, item)));
                Ok(())
            }
            Type::Record(of) | Type::Struct(_, of) => {
                (0..of.fields.len()).for_each(|field| self.row(self.plan.child(site, field)));
                Ok(())
            }
            Type::Union(union) => {
                // Takes the first variant that leads to no definition once the fuel is short.
                let short = self.fuel == 0;
                let ends =
                    |&variant: &usize| !self.plan.row_major_only(self.plan.child(site, variant));
                let ending = (0..union.variants.len()).find(ends).filter(|_| short);
                let variant = ending.unwrap_or_else(|| self.chance.below(union.variants.len()));
                let done = self.buffers.number(site, variant as u64);
                if !union.variants.is_empty() {
                    self.row(self.plan.child(site, variant));
                }
                done
            }
            Type::Logical(..) | Type::Extension(..) => {
                self.row(self.plan.child(site, 0));
                Ok(())
            }
            Type::Def(definition) => {
                self.buffers.new_row(*definition);
                self.row(self.plan.child(site, 0));
                Ok(())
            }
            Type::Shared(definition) => {
                let known = &self.complete[*definition];
                if !known.is_empty() && (self.fuel == 0 || self.chance.below(3) == 0) {
                    let row = known[self.chance.below(known.len())];
                    self.buffers.number(site, row + 1)
                } else {
                    let done = self.buffers.number(site, 0);
                    let row = self.buffers.new_row(*definition);
                    self.row(self.plan.child(site, 0));
                    self.complete[*definition].put(row);
                    done
                }
            }
            Type::Tensor(inner) => self.tensor(site, &DType::of(self.plan.schema.types(), *inner)),
            Type::Packed(inner) => self.packed(site, &DType::of(self.plan.schema.types(), *inner)),
            Type::Never | Type::Null | Type::Unknown(..) => Ok(()),
        };
        done.expect("a row of the site's type");
    }

    fn packed(&mut self, site: Site, row: &DType) -> Result<()> {
        let bytes = self.elements(row, 1);
        self.buffers.packed(site)?.put_slice(&bytes);
        Ok(())
    }

    /// The bytes of adjacent values.
    fn elements(&mut self, of: &DType, count: u64) -> Vec<u8> {
        let len = count * of.width().unwrap_or(0);
        let mut bytes: Vec<u8> = (0..len).map(|_| self.chance.next() as u8).collect();
        if !bytes.is_empty() {
            while let Some(at) = of.bools().find_bad(&bytes) {
                bytes[at] &= 1;
            }
        }
        bytes
    }

    fn tensor(&mut self, site: Site, elements: &DType) -> Result<()> {
        let shape: Vec<u64> =
            (0..self.chance.below(4)).map(|_| self.chance.below(4) as u64).collect();
        let bytes = self.elements(elements, shape.iter().product());
        let column_major = self.chance.below(2) == 1;
        self.buffers.tensor(site, shape, column_major, |out| out.put_each(bytes))
    }

    fn scalar(&mut self, site: Site, scalar: Scalar) -> Result<()> {
        // Small numbers are as likely as large ones, so that some keys and members are equal.
        let shift = self.chance.below(64);
        let bits = self.chance.next() >> shift;
        match scalar {
            Scalar::Bool => self.buffers.push(site, bits % 2 == 1),
            Scalar::Int(kind) => match kind {
                IntKind::U128 | IntKind::I128 | IntKind::Int if self.chance.below(4) == 0 => {
                    let mut big = [0; 13];
                    big[..8].copy_from_slice(&self.chance.next().to_le_bytes());
                    big[12] = 1 + self.chance.below(100) as u8;
                    self.buffers.big(site, &big)
                }
                _ => self.buffers.bits_of_int(site, in_range(kind, bits)),
            },
            Scalar::F16 => self.buffers.push(site, half::f16::from_bits(bits as u16)),
            Scalar::Bf16 => self.buffers.push(site, half::bf16::from_bits(bits as u16)),
            Scalar::F32 => self.buffers.push(site, f32::from_bits(bits as u32)),
            Scalar::F64 => self.buffers.push(site, f64::from_bits(bits.rotate_right(8))),
            Scalar::String => {
                let text: String = (0..self.chance.below(5)).map(|_| self.letter()).collect();
                self.buffers.text(site, text.as_bytes())
            }
            Scalar::Bytes => {
                let bytes = self.chance.next().to_le_bytes();
                let len = self.chance.below(9);
                self.buffers.text(site, &bytes[..len])
            }
            Scalar::Fixed(len) => {
                let bytes: Vec<u8> = (0..len).map(|_| self.chance.next() as u8).collect();
                self.buffers.fixed(site, &bytes)
            }
        }
    }

    fn letter(&mut self) -> char {
        ['a', 'b', 'Z', '0', ' ', '"', 'é', '漢', '😀', '\0'][self.chance.below(10)]
    }
}

/// The low bits of a word, as an integer of a kind.
fn in_range(kind: IntKind, bits: u64) -> u64 {
    match kind {
        IntKind::U8 => u64::from(bits as u8),
        IntKind::U16 => u64::from(bits as u16),
        IntKind::U32 => u64::from(bits as u32),
        IntKind::I8 => i64::from(bits as i8).cast_unsigned(),
        IntKind::I16 => i64::from(bits as i16).cast_unsigned(),
        IntKind::I32 => i64::from(bits as i32).cast_unsigned(),
        _ => bits,
    }
}
