//! Objects that are encoded by the plan of their class.

use std::rc::Rc;

use holdall::{Code, Error, Result, Sink};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::plan::{Native, Plan};
use super::{Encoded, Walker, is_plain, type_name};
use crate::fault::is_refusal;

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
            let answer = match &*plan {
                Plan::Hook(hook) => match (hook.call1((&at,)), &self.options.enc_hook) {
                    (Err(refused), Some(hook)) if is_refusal(self.py, &refused) => {
                        hook.bind(self.py).call1((&at,))
                    }
                    (answer, _) => answer,
                },
                Plan::Unsupported(reason) => match &self.options.enc_hook {
                    Some(hook) => hook.bind(self.py).call1((&at,)),
                    None => {
                        let error = Error::new(Code::UnsupportedValue)
                            .expected("a value that can be packed")
                            .got(reason.clone());
                        return Err(self.shredder.refuse(error));
                    }
                },
                Plan::Instance(instance) => {
                    self.instance(&at, own, &plan, instance)?;
                    self.guard(&object, depth);
                    return Ok(());
                }
                Plan::Native(native) => match self.native(&at, *native)? {
                    Encoded::Row => {
                        self.remember_as(own);
                        self.guard(&object, depth);
                        return Ok(());
                    }
                    Encoded::Scalar => return Ok(()),
                    Encoded::Instead(other) => Ok(other),
                },
                Plan::Uuid(_) | Plan::Decimal => {
                    let is_uuid = matches!(&*plan, Plan::Uuid(_));
                    let native = if is_uuid { Native::Uuid } else { Native::Decimal };
                    match self.native(&at, native)? {
                        Encoded::Instead(other) => Ok(other),
                        _ => {
                            self.remember_as(own);
                            return Ok(());
                        }
                    }
                }
                Plan::NamedTuple(name, fields) => {
                    let Ok(tuple) = at.cast::<PyTuple>() else { return Ok(()) };
                    let start = self.pending.len();
                    for (name, value) in fields.iter().zip(tuple.iter()) {
                        self.pending.extend([Some(name.clone()), Some(value)]);
                    }
                    self.fields(name, own, start, None)?;
                    self.guard(&object, depth);
                    return Ok(());
                }
                Plan::Enum(name, attribute) => {
                    let member = at.getattr(attribute);
                    let member = self.py_check(member)?;
                    let member = self.text(&member)?;
                    self.shredder.begin_extension(name)?;
                    self.shredder.begin_variant(&member)?;
                    self.shredder.null()?;
                    self.shredder.end()?;
                    // Each member is one object, so it needs no identity in the data.
                    return self.shredder.end();
                }
            };
            let answer = self.py_check(answer)?;
            self.kept.push(answer.clone());
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
            .expected("a hook that returns something that can be packed")
            .got(type_name(&object));
        Err(self.shredder.refuse(error))
    }

    fn plan(&mut self, object: &Bound<'py, PyAny>) -> Result<Rc<Plan<'py>>> {
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
                self.memory.plans.insert(address, (Rc::clone(&plan), class));
                plan
            }
        };
        self.memory.latest_plan = Some((address, Rc::clone(&plan)));
        Ok(plan)
    }
}
