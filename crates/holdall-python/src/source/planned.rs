//! Objects that are encoded by the plan of their class.

use std::rc::Rc;
use std::sync::Arc;

use holdall::bindings::memory::{GrowMap, GrowVec};
use holdall::events::Shredder;
use holdall::{Code, Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::direct_walk::Progress;
use super::hook::Refusal;
use super::memory::Member;
use super::plan::Plan;
use super::{Encoded, Walker, is_plain, type_name};
use crate::raw;

/// The number of hooks in a row that may return an object that needs another hook.
const HOOKS: usize = 100;

impl<'py> Walker<'py, '_> {
    /// Encodes an object of another type by its plan.
    pub(super) fn planned(&mut self, object: Bound<'py, PyAny>, tracked: bool) -> Result<()> {
        let depth = self.stack.len();
        let own = tracked.then_some(&object);
        let mut at = object.clone();
        for _ in 0..HOOKS {
            let plan = self.plan(&at)?;
            let answer = if let Some(known) = self.replacement(&at) {
                Ok(known)
            } else {
                match &*plan {
                    Plan::Hook(hook, _) => hook.call1((&at,)).map_err(Refusal::Raised),
                    Plan::Ndarray(instead) => {
                        if !self.options.hands_out && self.ndarray(&at)? {
                            self.row = self.shredder.latest_row();
                            self.remember_as(own);
                            self.end_row(&object, &at, depth);
                            return Ok(());
                        }
                        instead.call1((&at,)).map_err(Refusal::Raised)
                    }
                    Plan::Unsupported(reason) => Err(Refusal::Class(reason.clone())),
                    Plan::Instance(instance) => {
                        let start = self.pending.len();
                        match instance.fields(&at, &mut self.pending) {
                            Ok(holders) => {
                                self.count_held(&holders)?;
                                let end = self.pending.len();
                                // Names in data can be those of other attributes: then the names cannot
                                // identify the shape.
                                let plain = instance.is_plain_in(&self.pending[start..end]);
                                let shapes = self.py_check(plain)?.then_some(&instance.shapes);
                                self.pending.put_each(holders.into_iter().map(Some));
                                self.object(&instance.name, own, start..end, &plan, shapes)?;
                                self.end_row(&object, &at, depth);
                                return Ok(());
                            }
                            Err(exception) => {
                                self.pending.truncate(start);
                                Err(Refusal::Raised(exception))
                            }
                        }
                    }
                    Plan::Reduce(reduce) => {
                        let start = self.pending.len();
                        match reduce.fields(&at, &self.options.limits, &mut self.pending) {
                            Ok(holders) => {
                                self.count_held(&holders)?;
                                let fields = start..self.pending.len();
                                self.pending.put_each(holders.into_iter().map(Some));
                                let shapes = Some(&reduce.shapes);
                                self.object(&reduce.name, own, fields, &plan, shapes)?;
                                self.end_row(&object, &at, depth);
                                return Ok(());
                            }
                            Err(exception) => {
                                self.pending.truncate(start);
                                Err(Refusal::Raised(exception))
                            }
                        }
                    }
                    Plan::Exception(exceptions) => {
                        let start = self.pending.len();
                        match exceptions.fields(&at, &mut self.pending) {
                            Some(()) => {
                                let fields = start..self.pending.len();
                                let shapes = Some(&exceptions.shapes);
                                self.object(&exceptions.name, own, fields, &plan, shapes)?;
                                self.end_row(&object, &at, depth);
                                return Ok(());
                            }
                            None => exceptions.pack.call1((&at,)).map_err(Refusal::Raised),
                        }
                    }
                    Plan::Native(native) => match self.native(&at, *native)? {
                        Encoded::Row => {
                            self.remember_as(own);
                            self.end_row(&object, &at, depth);
                            return Ok(());
                        }
                        Encoded::Scalar => return Ok(()),
                        Encoded::Instead(other) => Ok(other),
                    },
                    Plan::Leaf(_) => {
                        // The direct walk encodes all leaves.
                        if self.walk_directly(&at, false)? != Progress::None {
                            self.remember_as(own);
                            return Ok(());
                        }
                        match self.not_leaf(&at)? {
                            Encoded::Instead(other) => Ok(other),
                            Encoded::Row | Encoded::Scalar => {
                                self.remember_as(own);
                                return Ok(());
                            }
                        }
                    }
                    Plan::NamedTuple(name, fields, shapes) => {
                        let Ok(tuple) = at.cast::<PyTuple>() else { return Ok(()) };
                        let start = self.pending.len();
                        for (name, value) in fields.iter().zip(tuple.iter()) {
                            self.pending.put_each([Some(name.clone()), Some(value)]);
                        }
                        let fields = start..self.pending.len();
                        self.object(name, own, fields, &plan, Some(&**shapes))?;
                        self.end_row(&object, &at, depth);
                        return Ok(());
                    }
                    Plan::Enum(name, attribute) => {
                        let member = self.learn_member(&at, attribute)?;
                        // Each member is one object, so it needs no identity in the data.
                        let slot = self.shredder.take_slot()?;
                        return member_at(self.shredder, slot, name, &member);
                    }
                }
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(refusal) => match self.ask(&at, refusal)? {
                    Some(answer) => answer,
                    None => return self.shredder.null(),
                },
            };
            self.count_held(std::slice::from_ref(&answer))?;
            self.kept.put(answer.clone());
            at = answer;
            if is_plain(&at) {
                let before = self.row;
                self.value(at, true)?;
                if self.row != before {
                    self.remember_as(own);
                }
                self.guard(&object, depth);
                return Ok(());
            }
            if self.options.references
                && let Some((row, _)) = self.seen.get(&(at.as_ptr() as usize))
            {
                let row = *row;
                self.remember(row, &object);
                return self.shredder.back_reference(row);
            }
        }
        let error = Error::new(Code::Custom)
            .expected("a hook that returns a value that can be packed")
            .got(type_name(&object));
        Err(self.shredder.refuse(error))
    }

    /// Remembers the row of an object as that of the object which a hook returned for it: other hooks may return the same.
    /// Both stay alive while the row is open.
    fn end_row(&mut self, object: &Bound<'py, PyAny>, answer: &Bound<'py, PyAny>, depth: usize) {
        if !answer.is(object)
            && let Some((row, _)) = self.seen.get(&(object.as_ptr() as usize))
        {
            let row = *row;
            self.remember(row, answer);
        }
        self.guard(object, depth);
    }

    /// Finds how a member of an enum is encoded.
    fn learn_member(
        &mut self,
        member: &Bound<'py, PyAny>,
        attribute: &Bound<'py, PyString>,
    ) -> Result<Member> {
        let address = member.as_ptr() as usize;
        if let Some((known, _)) = self.memory.members.get(&address) {
            return Ok(known.clone());
        }
        let value = member.getattr(attribute);
        let value = self.py_check(value)?;
        let found = if value.is_instance_of::<PyString>() {
            Member::Variant(self.text(&value)?)
        } else {
            let bits = raw::int_bits(&value);
            match self.py_check(bits)? {
                Some(bits) => Member::Flag(bits),
                None => {
                    let mut buffer = Vec::new();
                    let bytes = raw::big_bytes(&value, &mut buffer).map(Arc::from);
                    Member::BigFlag(self.py_check(bytes)?)
                }
            }
        };
        self.memory.members.put(address, (found.clone(), member.clone()));
        Ok(found)
    }

    pub(super) fn plan(&mut self, object: &Bound<'py, PyAny>) -> Result<Rc<Plan<'py>>> {
        let address = object.get_type_ptr() as usize;
        if let Some((latest, plan)) = &self.memory.latest_plan
            && *latest == address
        {
            return Ok(Rc::clone(plan));
        }
        let plan = match self.memory.plans.get(&address) {
            Some((plan, _)) => Rc::clone(plan),
            None => {
                let class = object.get_type();
                let plan = Plan::of(&class);
                let plan = Rc::new(self.py_check(plan)?);
                self.memory.plans.put(address, (Rc::clone(&plan), class));
                plan
            }
        };
        self.memory.latest_plan = Some((address, Rc::clone(&plan)));
        Ok(plan)
    }
}

/// Encodes a member of an enum of this name.
pub(super) fn member_at(
    shredder: &mut Shredder,
    slot: usize,
    name: &Arc<str>,
    member: &Member,
) -> Result<()> {
    let inside = shredder.extension_at(slot, name)?;
    match member {
        Member::Variant(variant) => shredder.unit_variant_at(inside, variant),
        Member::Flag(bits) => {
            shredder.at(inside).int(*bits);
            Ok(())
        }
        Member::BigFlag(bytes) => shredder.at(inside).big_int(bytes),
    }
}
