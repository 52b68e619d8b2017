//! The caller's `enc_hook`. When an object cannot be packed, it is asked about the objects that
//! contain it, the outermost first, and then about the object itself.
//!
//! The rows of what contains a refused object have begun. So a walk in which the hook replaces such
//! an object is in vain: it goes on only to find the other refused objects, and is then repeated with
//! the replacements. Walks without refused objects pay nothing, and one with many is not repeated
//! for each.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;
use holdall::bindings::memory::{Grow, GrowMap, GrowSet, GrowVec};
use holdall::{Code, Error, Result};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;

use super::plan::Plan;
use super::{Object, Walker, is_plain};
use crate::fault::{Raised, is_refusal};

/// How often a walk is repeated: replacements can contain objects that need another hook.
const REPETITIONS: usize = 100;

/// Why an object cannot be packed.
pub(super) enum Refusal {
    /// Objects of its class never can.
    Class(String),
    /// One of its methods raised this.
    Raised(PyErr),
}

/// What the hook answered for one value, in all walks of it.
#[derive(Default)]
pub(super) struct Answers {
    /// By address; the objects are kept alive, so that addresses stay unique.
    found: HashMap<usize, (Py<PyAny>, Answer)>,
    /// What contains the set whose members are encoded by themselves.
    around: Vec<Py<PyAny>>,
    /// Whether this walk has to be repeated.
    in_vain: bool,
    repetitions: usize,
    /// Whether the hook is asked about refused objects alone: an object that it replaced was a
    /// temporary one, which the next walk did not meet again.
    only_refused: bool,
}

struct Answer {
    /// None if the hook leaves the object as it is.
    instead: Option<Py<PyAny>>,
    /// Whether the object itself could be packed, but not what it contains.
    encloses: bool,
    /// In which repetition it was given, and whether this walk has used it.
    given: usize,
    is_used: bool,
}

impl Answers {
    /// Begins a walk.
    fn begin(&mut self) {
        if std::mem::take(&mut self.in_vain) {
            let given = self.repetitions;
            let is_lost =
                |answer: &Answer| answer.encloses && answer.given < given && !answer.is_used;
            self.only_refused |= self.found.values().any(|(_, answer)| is_lost(answer));
            self.repetitions += 1;
        }
        self.found.values_mut().for_each(|(_, answer)| answer.is_used = answer.instead.is_none());
    }

    /// Whether an object has been replaced in this walk.
    fn is_vain(&self, address: usize) -> bool {
        self.found.get(&address).is_some_and(|(_, answer)| {
            answer.encloses && answer.instead.is_some() && answer.given == self.repetitions
        })
    }

    fn note(
        &mut self,
        object: &Bound<'_, PyAny>,
        instead: Option<&Bound<'_, PyAny>>,
        encloses: bool,
    ) {
        let answer = Answer {
            instead: instead.map(|instead| instead.clone().unbind()),
            encloses,
            given: self.repetitions,
            is_used: true,
        };
        self.in_vain |= encloses && answer.instead.is_some();
        self.found.put(object.as_ptr() as usize, (object.clone().unbind(), answer));
    }
}

/// The questions of one walk.
pub(super) struct Asking {
    answers: Rc<RefCell<Answers>>,
    /// Whether the walk is of a set's member, encoded by itself.
    is_inner: bool,
    /// Whether an object can have been replaced that the direct walk would encode.
    has_replaced: bool,
    /// Of this many open containers the outermost, the hook has been asked.
    asked: usize,
    /// Nothing is asked while more than this many containers are open: one of them is replaced.
    vain_from: Option<usize>,
}

impl Asking {
    pub(super) fn new(answers: Rc<RefCell<Answers>>, is_inner: bool) -> Asking {
        let mut kept = answers.borrow_mut();
        if !is_inner {
            kept.begin();
        }
        let mut replaced = kept.found.values();
        let has_replaced = replaced.any(|(_, answer)| answer.encloses && answer.instead.is_some());
        let is_vain = kept.around.iter().any(|object| kept.is_vain(object.as_ptr() as usize));
        drop(kept);
        let vain_from = (is_inner && is_vain).then_some(0);
        Asking { answers, is_inner, has_replaced, asked: 0, vain_from }
    }

    /// Returns the result of a walk, which is an error if it was in vain.
    pub(super) fn end_walk(self, walked: Result<()>, raised: &mut Raised) -> Result<()> {
        if self.is_inner || !self.answers.borrow().in_vain {
            return walked;
        }
        // Interrupts and a lack of memory are not of the objects that are replaced.
        let is_final = walked.as_ref().is_err_and(|error| error.code() == Code::OutOfMemory);
        if is_final || raised.is_interrupt() {
            self.answers.borrow_mut().in_vain = false;
            return walked;
        }
        raised.take();
        Err(Error::new(Code::Custom)
            .expected("a hook that returns a value that can be packed")
            .got("others in each answer"))
    }

    /// Notes that a container was inserted into the open ones.
    pub(super) fn opened(&mut self, at: usize) {
        self.asked = self.asked.min(at);
    }

    /// Notes that this many containers are still open.
    pub(super) fn closed(&mut self, open: usize) {
        self.asked = self.asked.min(open);
        self.vain_from = self.vain_from.filter(|from| open > *from || self.is_inner);
    }

    /// Whether the hook has replaced an object.
    #[inline]
    pub(super) fn has_replaced(&self, object: &Bound<'_, PyAny>) -> bool {
        self.has_replaced && {
            let answers = self.answers.borrow();
            let answer = answers.found.get(&(object.as_ptr() as usize));
            answer.is_some_and(|(_, answer)| answer.instead.is_some())
        }
    }

    pub(super) fn answers(&self) -> Rc<RefCell<Answers>> {
        Rc::clone(&self.answers)
    }
}

impl Object<'_> {
    /// Whether the latest walk was in vain: the source can be encoded in another one.
    pub fn repeats(&self) -> bool {
        self.answers.as_ref().is_some_and(|answers| {
            let answers = answers.borrow();
            answers.in_vain && answers.repetitions < REPETITIONS
        })
    }
}

impl<'py> Walker<'py, '_> {
    /// Whether the open containers are remembered.
    #[inline]
    pub(super) fn notes_open(&self) -> bool {
        !self.options.references || self.asking.is_some()
    }

    /// Remembers a container that is still open.
    #[inline]
    pub(super) fn guard(&mut self, object: &Bound<'py, PyAny>, depth: usize) {
        if self.notes_open() && self.stack.len() > depth {
            self.note_open(object, depth + 1);
        }
    }

    /// Records that a container is open until the frame at a depth ends.
    pub(super) fn note_open(&mut self, object: &Bound<'py, PyAny>, depth: usize) {
        // Several frames may belong to one value.
        let at = self.open.partition_point(|(own, _)| *own <= depth);
        if self.is_open.put(object.as_ptr() as usize) {
            self.open.room(1);
            self.open.insert(at, (depth, object.clone()));
            if let Some(asking) = &mut self.asking {
                asking.opened(at);
            }
        }
    }

    /// Returns what the hook has returned for an object.
    pub(super) fn replacement(&self, object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        let mut answers = self.asking.as_ref()?.answers.borrow_mut();
        let (_, answer) = answers.found.get_mut(&(object.as_ptr() as usize))?;
        answer.is_used = true;
        Some(answer.instead.as_ref()?.bind(self.py).clone())
    }

    /// Returns what the hook returns for a refused object; None if this walk is in vain.
    #[cold]
    pub(super) fn ask(
        &mut self,
        object: &Bound<'py, PyAny>,
        refusal: Refusal,
    ) -> Result<Option<Bound<'py, PyAny>>> {
        let is_askable = match &refusal {
            Refusal::Class(_) => true,
            Refusal::Raised(exception) => is_refusal(self.py, exception),
        };
        let hook = self.options.enc_hook.as_ref().filter(|_| is_askable);
        let (Some(hook), Some(asking)) = (hook, &self.asking) else {
            return Err(self.refused(refusal));
        };
        if asking.vain_from.is_some() {
            return Ok(None);
        }
        let hook = hook.bind(self.py);
        let answers = asking.answers();
        for (place, container) in self.unasked()? {
            let answer = hook.call1((&container,));
            let answer = match answer {
                Ok(same) if same.is(&container) => None,
                Ok(answer) => Some(answer).filter(|answer| !self.is_not_implemented(answer)),
                Err(raised) if raised.is_instance_of::<PyNotImplementedError>(self.py) => None,
                Err(raised) => return Err(self.refuse_with(raised)),
            };
            answers.borrow_mut().note(&container, answer.as_ref(), true);
            if let Some(answer) = answer {
                self.count_held(std::slice::from_ref(&answer))?;
                if let Some(asking) = &mut self.asking {
                    asking.vain_from = Some(place);
                    asking.has_replaced = true;
                }
                return Ok(None);
            }
        }
        if let Some(asking) = &mut self.asking {
            asking.asked = self.open.len();
        }
        let answer = hook.call1((object,));
        let answer = self.py_check(answer)?;
        if self.is_not_implemented(&answer) {
            return Err(self.refused(refusal));
        }
        answers.borrow_mut().note(object, Some(&answer), false);
        Ok(Some(answer))
    }

    /// Returns the objects of classes around the next value about which the hook was not asked, the
    /// outermost first, and how many containers are open around each.
    fn unasked(&mut self) -> Result<Vec<(usize, Bound<'py, PyAny>)>> {
        let Some(asking) = &self.asking else { return Ok(Vec::new()) };
        let mut unasked = Vec::new();
        {
            let answers = asking.answers.borrow();
            if answers.only_refused {
                return Ok(unasked);
            }
            let around = answers.around.iter().filter(|_| asking.is_inner);
            let around = around.map(|object| (0, object.bind(self.py)));
            let open = self.open.iter().enumerate().skip(asking.asked);
            for (place, object) in around.chain(open.map(|(at, (_, object))| (at, object))) {
                let is_known = answers.found.contains_key(&(object.as_ptr() as usize));
                if !is_known && !is_plain(object) {
                    unasked.put((place, object.clone()));
                }
            }
        }
        let mut of_classes = Vec::new();
        for (place, object) in unasked {
            let plan = self.plan(&object)?;
            if matches!(
                &*plan,
                Plan::Instance(_)
                    | Plan::Exception(_)
                    | Plan::Reduce(_)
                    | Plan::NamedTuple(..)
                    | Plan::Hook(..)
                    | Plan::Ndarray(_)
            ) {
                of_classes.put((place, object));
            }
        }
        Ok(of_classes)
    }

    /// Lets walks of a set's members know what contains the set, while `run` makes them.
    pub(super) fn around_set<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let Some(answers) = self.asking.as_ref().map(Asking::answers) else { return run(self) };
        let before = answers.borrow().around.len();
        let open = self.open.iter().map(|(_, object)| object.clone().unbind());
        answers.borrow_mut().around.put_each(open);
        let done = run(self);
        answers.borrow_mut().around.truncate(before);
        let is_vain = |(_, object): &(usize, Bound<'py, PyAny>)| {
            answers.borrow().is_vain(object.as_ptr() as usize)
        };
        if let Some(asking) = &mut self.asking
            && let Some(place) = self.open.iter().position(is_vain)
        {
            asking.vain_from = Some(asking.vain_from.map_or(place, |from| from.min(place)));
        }
        done
    }

    fn is_not_implemented(&self, answer: &Bound<'py, PyAny>) -> bool {
        answer.is(self.py.NotImplemented())
    }

    fn refused(&mut self, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Class(reason) => {
                let error = Error::new(Code::UnsupportedValue)
                    .expected("a value that can be packed")
                    .got(reason);
                self.shredder.refuse(error)
            }
            Refusal::Raised(exception) => self.refuse_with(exception),
        }
    }
}
