//! The steps of values that are more than their storage: extensions and logical values.

use std::sync::Arc;

use holdall::bindings::{BlockReader, RowInt, SiteForm};
use holdall::{IntKind, LogicalType};
use pyo3::prelude::*;
use pyo3::types::PyInt;

use super::Builder;
use super::own_form::Form;
use super::steps::{FlagMembers, Members, Step};
use super::stop::Stop;
use super::types::{ANY, NodeId};

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
                all.push((site, ANY, step));
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
            let SiteForm::Choice(payloads, names) = rows.form(inside) else { return None };
            if !payloads.iter().all(|&payload| matches!(rows.form(payload), SiteForm::Null)) {
                return None;
            }
            let member = |name: &Arc<str>| form.get().member(self.py, name);
            let members = names.iter().map(|name| Ok(member(name)?.map(Bound::unbind)));
            let members = members.collect::<PyResult<_>>();
            let members =
                Members { choice: inside, payloads: payloads.into(), members: self.done(members)? };
            let steps = &mut self.kept.steps;
            steps.members.push(members);
            return Some(Step::Member(steps.members.len() - 1));
        }
        if form.get().is_flag() {
            // Larger ones are rare.
            if !matches!(rows.form(inside), SiteForm::Int(IntKind::Int)) {
                return None;
            }
            let flags = &mut self.kept.steps.flags;
            flags.push(FlagMembers { form: form.unbind(), known: Default::default() });
            return Some(Step::Flags(flags.len() - 1, inside));
        }
        if !form.get().is_passive(std::iter::empty()) {
            return None;
        }
        let inside = self.step_of(rows, inside, ANY);
        let steps = &mut self.kept.steps;
        if matches!(steps.get(inside), (_, Step::Other)) {
            return None;
        }
        steps.forms.push(form.unbind());
        Some(Step::Extension(steps.forms.len() - 1, inside))
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
        let FlagMembers { form, known } = &mut self.kept.steps.flags[number];
        if let Some(member) = known.get(&bits) {
            return Some(member.bind(self.py).clone());
        }
        match form.get().flags(&PyInt::new(self.py, bits.cast_signed())) {
            Some(member) => {
                known.insert(bits, member.clone().unbind());
                Some(member)
            }
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
        types.push(Arc::clone(ty));
        let number = types.len() - 1;
        let zone = ty.parameters().get(1).copied().unwrap_or_default();
        match (ty.kind(), rows.form(storage)) {
            (LogicalType::TIMESTAMP, SiteForm::Int(_)) if zone < 2 => Step::Single(number, storage),
            (LogicalType::DATE | LogicalType::TIME | LogicalType::DURATION, SiteForm::Int(_)) => {
                Step::Single(number, storage)
            }
            (LogicalType::UUID, SiteForm::Bytes) => Step::Uuid(storage),
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
