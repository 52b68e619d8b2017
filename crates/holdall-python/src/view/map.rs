//! Maps of files for numpy's arrays, and the handling of files that shrink under one.
//!
//! A program that touches a page beyond the end of a truncated file gets the signal SIGBUS, which
//! ends it. Here a handler replaces the missing pages by zeros, as Wayland servers do for memory
//! shared with clients, marks the map, and has Python raise an error before its next instruction in
//! the main thread. Signals from elsewhere go to the previous handler. On Windows a mapped file
//! cannot be truncated. With `HOLDALL_NO_MAPS` in the environment no file is mapped and no handler
//! set: parts of files are read.
//!
//! No Rust code reads the mapped bytes: they can change at any time. Only numpy gets their address.
#![allow(unsafe_code, reason = "a signal's handler; each block has its proof")]

use std::fs::File;
use std::io;
use std::ops::Range;

use memmap2::{MmapOptions, MmapRaw};

/// A mapped file.
pub struct Map {
    // Dropped before the map, so its slot is free before the addresses are.
    guard: guard::MapGuard,
    raw: MmapRaw,
}

impl Map {
    /// Maps a file. `None` if there are too many maps to guard another one, or the environment
    /// forbids maps.
    pub fn new(file: &File) -> io::Result<Option<Map>> {
        if std::env::var_os("HOLDALL_NO_MAPS").is_some_and(|value| !value.is_empty()) {
            return Ok(None);
        }
        let raw = MmapOptions::new().map_raw_read_only(file)?;
        let start = raw.as_ptr().addr();
        let guard = guard::MapGuard::new(start..start + raw.len())?;
        Ok(guard.map(|guard| Map { guard, raw }))
    }

    /// Returns the address of a part, if the file contained it when it was mapped.
    pub fn address(&self, part: &Range<u64>) -> Option<*const u8> {
        let end = usize::try_from(part.end).ok()?;
        let start = usize::try_from(part.start).ok()?;
        (start <= end && end <= self.raw.len()).then(|| self.raw.as_ptr().wrapping_add(start))
    }

    /// Returns whether bytes were read that the file no longer has.
    pub fn is_lost(&self) -> bool {
        self.guard.is_lost()
    }
}

#[cfg(not(unix))]
mod guard {
    use std::io;
    use std::ops::Range;

    /// Nothing to guard.
    pub struct MapGuard;

    impl MapGuard {
        pub fn new(_: Range<usize>) -> io::Result<Option<MapGuard>> {
            Ok(Some(MapGuard))
        }

        pub fn is_lost(&self) -> bool {
            false
        }
    }
}

#[cfg(unix)]
mod guard {
    use std::ffi::{c_int, c_void};
    use std::io;
    use std::mem::MaybeUninit;
    use std::ops::Range;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    use holdall::{Code, Error};
    use pyo3::ffi;
    use pyo3::prelude::*;

    use crate::fault::{Side, exception};

    /// A mapped range of addresses; free if its end is 0.
    struct MappedRange {
        start: AtomicUsize,
        end: AtomicUsize,
        lost: AtomicBool,
    }

    /// A handler may neither lock nor allocate, so there is a fixed number of them.
    static RANGES: [MappedRange; 1024] = [const {
        MappedRange {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            lost: AtomicBool::new(false),
        }
    }; 1024];

    /// The previous handler of the signal; never freed, as a handler may read it at any time.
    static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
    static PAGE: AtomicUsize = AtomicUsize::new(4096);
    /// Lets one thread at a time set handlers and take ranges.
    static SETTING: Mutex<()> = Mutex::new(());

    pub struct MapGuard(&'static MappedRange);

    impl MapGuard {
        pub fn new(range: Range<usize>) -> io::Result<Option<MapGuard>> {
            let _one = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
            install()?;
            let free = RANGES.iter().find(|slot| slot.end.load(Ordering::Relaxed) == 0);
            let Some(slot) = free else { return Ok(None) };
            slot.lost.store(false, Ordering::Relaxed);
            slot.start.store(range.start, Ordering::Relaxed);
            slot.end.store(range.end, Ordering::Release);
            Ok(Some(MapGuard(slot)))
        }

        pub fn is_lost(&self) -> bool {
            self.0.lost.load(Ordering::Relaxed)
        }
    }

    impl Drop for MapGuard {
        fn drop(&mut self) {
            self.0.end.store(0, Ordering::Release);
        }
    }

    /// Sets the handler, unless it is set: another part of the program may have set its own
    /// meanwhile.
    fn install() -> io::Result<()> {
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_bus;
        // SAFETY: sigaction, sysconf and sigemptyset write to locations meant for that. `on_bus`
        // has the signature that SA_SIGINFO requires and does only what a handler may do. All zeros
        // is a sigaction.
        unsafe {
            let mut before = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            if libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before) != 0 {
                return Err(io::Error::last_os_error());
            }
            if before.sa_sigaction == handler as usize {
                return Ok(());
            }
            if let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                PAGE.store(page, Ordering::Relaxed);
            }
            BEFORE.store(Box::into_raw(Box::new(before)), Ordering::Release);
            let mut own = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            own.sa_sigaction = handler as usize;
            own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut own.sa_mask);
            if libc::sigaction(libc::SIGBUS, &raw const own, ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// Takes no lock but that of Python's pending calls, which no thread holds while it reads a
    /// mapped page; and allocates nothing.
    extern "C" fn on_bus(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: with SA_SIGINFO, the system passes a valid description of the signal.
        let address = unsafe { (*info).si_addr() }.addr();
        let slot = RANGES.iter().find(|slot| {
            let end = slot.end.load(Ordering::Acquire);
            address < end && address >= slot.start.load(Ordering::Relaxed)
        });
        let Some(slot) = slot else { return before(signal, info, context) };
        let page = address & !(PAGE.load(Ordering::Relaxed) - 1);
        let len = slot.end.load(Ordering::Relaxed) - page;
        let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        let place = ptr::without_provenance_mut(page);
        // SAFETY: from the page to the end are pages of a map that its guard still has, and whose
        // owner unmaps all of them; no Rust reference leads there. The part beyond the end of the
        // file is replaced by zeros, read-only as before.
        let mapped = unsafe { libc::mmap(place, len, libc::PROT_READ, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return before(signal, info, context);
        }
        slot.lost.store(true, Ordering::Relaxed);
        // SAFETY: any thread may call it, attached or not. A full queue already contains an error
        // of this kind.
        unsafe { ffi::Py_AddPendingCall(Some(raise), ptr::null_mut()) };
    }

    /// Does what would have happened without this handler.
    fn before(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let known = BEFORE.load(Ordering::Acquire);
        // SAFETY: the pointer is null or one that `install` never frees. A handler that is set has
        // the signature that its flags say. Without one, the previous action is restored, and the
        // instruction raises the signal a second time.
        unsafe {
            let Some(known) = known.as_ref() else { return };
            match known.sa_sigaction {
                libc::SIG_DFL | libc::SIG_IGN => {
                    libc::sigaction(signal, known, ptr::null_mut());
                }
                handler if known.sa_flags & libc::SA_SIGINFO != 0 => {
                    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                        std::mem::transmute(handler);
                    handler(signal, info, context);
                }
                handler => {
                    let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                    handler(signal);
                }
            }
        }
    }

    extern "C" fn raise(_: *mut c_void) -> c_int {
        Python::attach(|py| {
            let error = Error::new(Code::Io)
                .expected("a file as long as when it was mapped")
                .got("a shorter one; the missing parts of its arrays read as zeros");
            exception(py, &error, None, Side::Decode).restore(py);
        });
        -1
    }
}
