//! The steps of values that are more than their storage: extensions and logical values.

use std::sync::Arc;

use holdall::bindings::memory::{Collect, GrowVec};
use holdall::bindings::{BlockReader, RowInt, SiteForm};
use holdall::{IntKind, LogicalType};
use pyo3::prelude::*;

use super::Builder;
use super::own_form::Form;
use super::steps::{Members, Step};
use super::stop::Stop;
use super::types::{ANY, NodeId};
use crate::source::{POSIX, WINDOWS};

impl<'py> Builder<'py, '_> {
    /// Returns the step of an extension: one that a form makes without code of the program.
    pub(super) fn extension_step(
        &mut self,
        rows: &BlockReader<'_, '_>,
        site: usize,
        name: &Arc<str>,
        inside: usize,
        node: NodeId,
    ) -> Step {
        let asked = self.node(node).filter(|node| !node.any);
        // The requested type may be the type of the content.
        let is_inside =
            asked.is_some_and(|node| !node.fits || node.extensions.contains_key(&**name));
        let is_asked = asked.is_some();
        let step = if is_inside { None } else { self.form_step(rows, name, inside) };
        match step {
            Some(step) if is_asked => {
                let all = &mut self.kept.steps.all;
                all.put((site, ANY, step));
                Step::Only(node, all.len() - 1)
            }
            Some(step) => step,
            None => Step::Other,
        }
    }

    fn form_step(
        &mut self,
        rows: &BlockReader<'_, '_>,
        name: &Arc<str>,
        inside: usize,
    ) -> Option<Step> {
        let plan = self.extension_plan(name);
        let plan = self.got(plan)?;
        let form = plan.iter().last()?.cast_into::<Form>().ok()?;
        if form.get().has_members() {
            let SiteForm::NamedUnion(payloads, names) = rows.form(inside) else { return None };
            if !payloads.iter().all(|&payload| matches!(rows.form(payload), SiteForm::Null)) {
                return None;
            }
            let member = |name: &Arc<str>| form.get().member(self.py, name);
            let members = names.iter().map(|name| Ok(member(name)?.map(Bound::unbind)));
            let members = members.collected::<PyResult<_>>();
            let members =
                Members { choice: inside, payloads: payloads.into(), members: self.done(members)? };
            let steps = &mut self.kept.steps;
            steps.members.put(members);
            return Some(Step::Member(steps.members.len() - 1));
        }
        if form.get().is_flag() {
            // Larger ones are rare.
            if !matches!(rows.form(inside), SiteForm::Int(IntKind::Int)) {
                return None;
            }
            let known = form.get().known_flags(self.py)?;
            let flags = &mut self.kept.steps.flags;
            flags.put(known.unbind());
            return Some(Step::Flags(flags.len() - 1, inside));
        }
        if !form.get().is_passive(self.py, std::iter::empty()) {
            return None;
        }
        if form.get().is_pure_path()
            && let SiteForm::Logical(ty, storage) = rows.form(inside)
            && let (LogicalType::PATH, [style @ (POSIX | WINDOWS), 0]) =
                (ty.kind(), ty.parameters())
            && matches!(rows.form(storage), SiteForm::String)
        {
            return Some(Step::PurePath(inside, storage, *style == WINDOWS));
        }
        let (around, content) = match rows.form(inside) {
            SiteForm::Tuple(&[name, content]) if form.get().is_default_dict() => {
                (Some((inside, self.step_of(rows, name, ANY))), content)
            }
            _ => (None, inside),
        };
        let is_collection = around.is_some() || form.get().is_counter();
        let content = self.step_of(rows, content, ANY);
        let steps = &mut self.kept.steps;
        if matches!(steps.get(content), (_, Step::Other)) {
            return None;
        }
        steps.forms.put(form.unbind());
        let form = steps.forms.len() - 1;
        Some(match is_collection {
            true => Step::Collection(form, around, content),
            false => Step::Extension(form, content),
        })
    }

    /// Returns flags by the next bits at a site, if they exist already.
    pub(super) fn make_flags(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        number: usize,
        bits: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let bits = self.got(rows.int(bits))?;
        let RowInt::Bits(bits) = bits else { return self.stop(Stop::Other) };
        let known = self.kept.steps.flags[number].bind(self.py);
        match known.get_item(bits.cast_signed()).ok().flatten() {
            Some(member) => Some(member),
            // Code of the class may create members.
            None => self.stop(Stop::Other),
        }
    }

    pub(super) fn logical_step(
        &mut self,
        rows: &BlockReader<'_, '_>,
        ty: &Arc<LogicalType>,
        storage: usize,
    ) -> Step {
        let types = &mut self.kept.steps.types;
        types.put(Arc::clone(ty));
        let number = types.len() - 1;
        let zone = ty.parameters().get(1).copied().unwrap_or_default();
        match (ty.kind(), rows.form(storage)) {
            (LogicalType::TIMESTAMP, SiteForm::Int(_)) if zone < 2 => Step::Single(number, storage),
            (LogicalType::DATE | LogicalType::TIME | LogicalType::DURATION, SiteForm::Int(_)) => {
                Step::Single(number, storage)
            }
            (LogicalType::UUID, SiteForm::Bytes) => Step::Uuid(storage),
            (kind @ (LogicalType::SET | LogicalType::FROZEN_SET), SiteForm::List(member))
                if is_simple_key(rows, member) =>
            {
                let is_frozen = kind == LogicalType::FROZEN_SET;
                self.with(rows, member, ANY, |member| Step::Set(storage, member, is_frozen))
            }
            (LogicalType::ORDERED_MAP, SiteForm::Map(key, value)) if is_simple_key(rows, key) => {
                let key = self.step_of(rows, key, ANY);
                self.with(rows, value, ANY, |value| Step::OrderedMap(storage, key, value))
            }
            (LogicalType::DECIMAL, SiteForm::Tuple(&[form, coefficient, exponent])) => {
                Step::Decimal(storage, [form, coefficient, exponent])
            }
            (
                LogicalType::TIMESTAMP
                | LogicalType::RATIONAL
                | LogicalType::COMPLEX
                | LogicalType::CHAR
                | LogicalType::BYTE_ARRAY
                | LogicalType::RANGE
                | LogicalType::WTF8_STRING
                | LogicalType::PATH
                | LogicalType::IP_ADDRESS
                | LogicalType::IP_NETWORK
                | LogicalType::REGULAR_EXPRESSION
                | LogicalType::SYMBOL
                | LogicalType::URL,
                SiteForm::Int(_) | SiteForm::String | SiteForm::Bytes | SiteForm::Tuple(_),
            ) => self.with(rows, storage, ANY, |storage| Step::Logical(number, storage)),
            _ => Step::Other,
        }
    }
}

/// Whether values of a site are equal in Python only if they are in data, and the reverse. Others can be equal in Python and
/// differ in data, or the reverse.
pub(super) fn is_simple_key(rows: &BlockReader<'_, '_>, site: usize) -> bool {
    matches!(rows.form(site), SiteForm::Int(_) | SiteForm::String | SiteForm::Bytes)
}
