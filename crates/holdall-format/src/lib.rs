//! The parts of the holdall format that need no types or values of a program. Programs use the crate `holdall`, which
//! is built on this one and re-exports what they need. Nothing else here is stable.
//!
//! Each storey uses only those below it:
//!
//! | storey | holds |
//! |---|---|
//! | [`platform`] | what std has and `alloc` has not |
//! | [`error`], [`memory`], [`limits`], [`kernel`], [`number`] | error codes, growth that can fail, budgets, loops over slices, varints and integers of any size |
//! | [`input`] | bytes with a position, a window of a file, memory for decoded columns, a hook for tracing |
//! | [`schema`] | types, names, text, fingerprint, their bytes |
//! | [`mod@column`] | each kind of column: write, locate, validate, decode, skip |
//! | [`block`], [`envelope`], [`message`], [`stream`] | the columns of values, their envelopes, frames |
//!
//! # From rule to code
//!
//! The rules of `spec/format.md`, each with the code that writes it and the code that reads it. The crate `holdall`
//! implements chapters 7, 11 and 13, and has their table in its `lib.rs`. A test finds each function. To find other
//! uses of a rule, search for its number, such as `F-29`.
//!
//! `column::bits::write()` is the function or method `write` of the module `column`, in its file or folder `bits`: here in
//! `column/bits.rs`. If no file is named, search the folder. `typed`, `dynamic`, `value` and `serde` are modules of `holdall`.
//!
//! | rules | what | writes | reads |
//! |---|---|---|---|
//! | F-1, F-2 | order of faults, items cut off | a reader's alone | `block::read()`, `input::take()` |
//! | F-3, F-4 | varints | `number::write_varint()` | `input::varint()` |
//! | F-5 | zigzag | `number::zigzag()` | `number::unzigzag()` |
//! | F-6 | integers of any size | `number::shorten_big()` | `number::is_shortest_big()` |
//! | F-7, F-8, F-58, F-66 | flags of an envelope | `message::write_flags()` | `envelope::read_flags()` |
//! | F-67 | length, checksum | `message::write_with_length()` | `envelope::check_length()` |
//! | F-68 | metadata | `envelope::metadata::write()` | `envelope::read_metadata()` |
//! | F-101 | dictionaries | `envelope::dictionary::compress()` | `envelope::dictionary::open()` |
//! | F-69 | alignment | `column::pad()` | `input::padding()` |
//! | F-9, F-10 | schema or fingerprint | `message::write_head()` | `envelope::schema()` |
//! | F-11 | the end | `message::write()` | `input::end()` |
//! | F-95 | filler | `message::fill()`, `block::wants()` | `input::end()` |
//! | F-12 | bare bodies | `message::write_unfilled()` | `message::read_block()` |
//! | F-13 | schemas | `schema::write::into_bytes()` | `schema::read_schema()` |
//! | F-14, F-56 | types | `schema::write::code()` | `schema::read_type()` |
//! | F-15 | nesting and number of types | `dynamic::layout::row_type()` | `schema::read::check_limits()` |
//! | F-16 | names | `schema::write::name()` | `schema::read_name()` |
//! | F-17, F-18 | fields, shapes of rows | `typed::layout::fields()`, `dynamic::layout::fields()` | `schema::read_fields()`, `schema::read_shapes()` |
//! | F-19 | variants | `dynamic::layout::site()`, `dynamic::layout::body()` | `schema::read_union()` |
//! | F-20, F-21 | definitions | `typed::layout::place()`, `dynamic::layout::row_type()` | `schema::read_def()` |
//! | F-70 | packed rows | `typed::describe::packed()` | `schema::read_packed()`, `column::read_packed()` |
//! | F-72 | logical types | `schema::write::logical()` | `schema::read_logical()` |
//! | F-73, F-77 | what later versions have | not written | `block::skip()`, `block::skip_later()` |
//! | F-22 | fingerprint | `schema::fingerprint()` | `envelope::schema()` |
//! | F-23, F-24, F-25 | blocks | `typed::buffers::write_block()`, `dynamic::writer::write_block()` | `block::read()` |
//! | F-26 | sites, charges | `typed::buffers::most_units()` | `block::read_site()` |
//! | F-76 | tensors | `column::tensors::write()` | `column::tensors::read_tensors()` |
//! | F-27, F-59 | bounds, inner columns | `column::ints::write::write_inner()` | `column::read_bounded()`, `column::read_inner()` |
//! | F-28 | bits | `column::bits::write()` | `column::bits::locate()`, `column::bits::validate()` |
//! | F-29 | integers | `column::ints::write::write()` | `column::ints::locate()` |
//! | F-30 | floats | `column::floats::write::write()` | `column::floats::locate()` |
//! | F-31 | shapes of rows | `dynamic::writer::write_shapes()` | `block::read_shapes()` |
//! | F-32 | text | `column::text::write()` | `column::text::locate()` |
//! | F-98 | templates of text | `column::text::write()` | `column::text::templates::locate()` |
//! | F-94 | raw rows | `column::raw::write()` | `column::raw::read()` |
//! | F-57 | encoding bytes | `column::ints::write::write()` | `column::unreadable()` |
//! | F-60 | zstd | `column::zstd::wrap()` | `column::zstd::inside()` |
//! | F-34, F-36 | rows of definitions | `dynamic::layout::write_rows()` | `block::check_definitions()`, `block::check_taken()` |
//! | F-38, F-39 | limits, budget | `message::fill()` | `limits::budget_for()`, `input::charge()` |
//! | F-40 | bytes of a message | `limits::beyond_output()` | a writer's alone |
//! | F-41 | errors | `error::new()` | `block::row_path()` |
//! | F-42, F-44 | profile fast: frames | `column::ints::write::write()`, `column::ints::write::write_inner()`, `column::frame::of()` | any reader |
//! | F-43 | profile fast: bits, floats, text | `column::bits::write()`, `column::floats::write::write()`, `column::text::write()` | any reader |
//! | F-61, F-91, F-92 | profile balanced: integers | `column::ints::balanced::write()` | any reader |
//! | F-93 | profile balanced: decimals | `column::floats::write::write_decimal()` | `column::floats::decimal::read()` |
//! | F-62 | profile balanced: dictionaries | `column::text::write_dictionary()` | `column::text::locate_dictionary()` |
//! | F-63 | profile small | `column::ints::small::write()`, `column::text::small::write()` | any reader |
//! | F-55, F-99 | schemas as text | `schema::text::fmt()` | `schema::parse()` |
//! | F-81, F-82, F-83 | frames of streams | `stream::frame::write()`, `stream::frame_writer::begin()` | `stream::preamble()`, `stream::frame::check()` |
//! | F-84 | kinds of frames | `stream::schema_frame()` | `stream::check_fields()`, `stream::parser::frame()` |
//! | F-85, F-86, F-87 | blocks of streams | `stream::block::write_block()` | `stream::block::read_head()`, `stream::check_directory()` |
//! | F-88 | the end of a stream | `stream::index::write()` | `stream::index::read()` |
//! | F-89 | after a fault | a reader's alone | `stream::note_fault()` |
//! | F-90 | order of frames | `stream::put_block()`, `stream::schema_frame()` | `stream::parser::frame()` |
//! | F-100 | statistics of blocks | `stream::put_statistics()` | `stream::by_place::read_other()` |
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::len_without_is_empty,
    clippy::new_without_default,
    reason = "an inner crate: users see what `holdall` re-exports"
)]
#![no_std]
#![cfg_attr(
    not(feature = "std"),
    allow(
        dead_code,
        unused_imports,
        reason = "files, streams and views need std, and more of the rest"
    )
)]
#![warn(clippy::alloc_instead_of_core, clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

#[macro_use]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod block;
pub mod column;
pub mod envelope;
pub mod error;
pub mod input;
pub mod kernel;
pub mod limits;
pub mod memory;
pub mod message;
pub mod number;
pub mod platform;
pub mod schema;
#[cfg(feature = "std")]
pub mod stream;
