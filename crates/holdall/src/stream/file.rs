//! Streams in files: exclusive writers, and appending (F-90).

use alloc::vec::Vec;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use holdall_format::stream::{
    Damage, FrameWriter, HEAD, Head, Index, Kind, PREAMBLE, Scanner, Step, Sync, check, no_frame,
    values,
};

use super::reader::Reader;
use super::writer::{Writer, WriterOptions};
use crate::error::{Code, Error, Result};
use crate::input::{Input, Scratch};
use crate::limits::Budget;
use crate::memory::{self, GrowVec};
use crate::number::MAX_VARINT;

impl WriterOptions {
    /// Begins a stream in a file, replacing its contents. No other writer can open the file meanwhile.
    ///
    /// # Errors
    /// `locked`, `io`; as [`WriterOptions::to`].
    pub fn create(self, path: impl AsRef<Path>) -> Result<Writer<File>> {
        let path = path.as_ref();
        // Truncates only after the lock: another writer may have the file.
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| of_path(path, &error))?;
        lock(&file, path)?;
        let own = file.metadata().map_err(|error| of_path(path, &error))?;
        if !own.is_file() {
            return self.to(file);
        }
        file.set_len(0).map_err(|error| of_path(path, &error))?;
        Ok(self.to(file)?.checked())
    }

    /// Continues the stream in a file, or begins one if the file is empty or missing. The options apply to what is
    /// written from now on; sync and metadata stay as in the file.
    ///
    /// Checks the last frames, and cuts off the end of the stream or a partial frame of a writer that died. New
    /// blocks follow the last intact one.
    ///
    /// # Errors
    /// `locked`, `io`; `bad_magic` and similar for a file that is not a stream; the fault of a frame that others
    /// follow: this is damage, which [`recover`](crate::stream::recover) removes.
    pub fn append(self, path: impl AsRef<Path>) -> Result<Writer<File>> {
        let path = path.as_ref();
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| of_path(path, &error))?;
        lock(&file, path)?;
        Ok(self.append_in(file)?.checked())
    }

    pub(super) fn append_in<F: Storage>(self, file: F) -> Result<Writer<F>> {
        memory::guarded(|| self.continued(file))
    }

    fn continued<F: Storage>(self, mut file: F) -> Result<Writer<F>> {
        if file.seek(SeekFrom::End(0))? == 0 {
            return self.to(file);
        }
        let tail = Tail::of(&mut file, &self)?;
        let end = tail.index.end();
        file.cut(end)?;
        file.seek(SeekFrom::Start(end))?;
        let Tail { sync, index, schema } = tail;
        let frames = FrameWriter::within(file, sync, index, schema, self.limits);
        Ok(self.over(frames))
    }
}

/// What streams are appended to: a file, or in tests one that fails.
pub(super) trait Storage: Read + Write + Seek {
    /// Removes the bytes from this length on.
    fn cut(&mut self, len: u64) -> std::io::Result<()>;
}

impl Storage for File {
    fn cut(&mut self, len: u64) -> std::io::Result<()> {
        self.set_len(len)
    }
}

impl Writer<File> {
    /// Begins a stream in a file, replacing its contents; see [`WriterOptions::create`].
    ///
    /// # Errors
    /// As there.
    pub fn create(path: impl AsRef<Path>) -> Result<Writer<File>> {
        WriterOptions::new().create(path)
    }

    /// Continues the stream in a file; see [`WriterOptions::append`].
    ///
    /// ```
    /// use holdall::{Reader, Writer};
    ///
    /// # let path = std::env::temp_dir().join(format!("holdall-append-{}", std::process::id()));
    /// # std::fs::remove_file(&path).ok();
    /// for n in 0..3_u8 {
    ///     let mut writer = Writer::append(&path)?;
    ///     assert_eq!(Writer::append(&path).err().unwrap().code().as_str(), "locked");
    ///     writer.write(&n)?;
    ///     writer.finish()?;
    /// }
    /// let values: Result<Vec<u8>, _> = Reader::open(&path)?.values().collect();
    /// assert_eq!(values?, [0, 1, 2]);
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn append(path: impl AsRef<Path>) -> Result<Writer<File>> {
        WriterOptions::new().append(path)
    }

    /// Checks before each frame that the file was not truncated.
    fn checked(mut self) -> Self {
        self.frames = self.frames.checked_by(|file| Ok(file.metadata()?.len()));
        self
    }

    /// As [`Writer::flush`], and waits until the device has the data: the values stay readable if the machine
    /// crashes.
    ///
    /// # Errors
    /// As [`Writer::flush`].
    pub fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.frames.pass_on(|file| file.sync_data())
    }
}

impl Reader<File> {
    /// Creates a reader of the stream in a file, which must be the entire file.
    ///
    /// # Errors
    /// `io`.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader<File>> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| of_path(path, &error))?;
        Ok(Reader::new(file).whole(true))
    }
}

#[cold]
fn of_path(path: &Path, error: &std::io::Error) -> Error {
    Error::of_io(error).got(format!("{}: {error}", path.display()))
}

/// Locks a file until it is closed.
fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::new(Code::Locked).got(format!(
            "another writer has {} open; close that one first, or write to another file",
            path.display()
        ))),
        Err(TryLockError::Error(error)) => Err(of_path(path, &error)),
    }
}

/// The state of a stream before its end: where new frames go.
struct Tail {
    sync: Sync,
    index: Index,
    /// The fingerprint of the last schema.
    schema: Option<u64>,
}

/// A frame whose head was read.
struct Seen {
    head: Head,
    at: u64,
    values: u64,
}

impl Tail {
    fn of(file: &mut (impl Read + Seek), options: &WriterOptions) -> Result<Tail> {
        let limit = options.limits.frame_bytes();
        let mut scanner = Scanner::new(limit, false);
        file.seek(SeekFrom::Start(0))?;
        (&mut *file).take(PREAMBLE as u64).read_to_end(scanner.buffer())?;
        scanner.step(true)?;
        let sync = scanner.sync().unwrap_or_default();
        let mut frames = heads(file, sync, limit)?;
        let end = frames.pop_if(|last| last.head.kind == Kind::End);
        // After a crash the last frames can be any bytes; after an end this is damage.
        while let Some(last) = frames.last() {
            let whole = payload(file, last);
            match (&end, whole) {
                (_, Ok(_)) => break,
                (None, Err(error)) if error.code() != Code::Io => drop(frames.pop()),
                (_, Err(error)) => return Err(error),
            }
        }
        let mut index = Index::default();
        frames.iter().for_each(|seen| index.add(seen.head.frame_len(), seen.values));
        match &end {
            Some(end) => {
                let payload = payload(file, end)?;
                let known = Some(&index);
                Index::read(&payload, end.head.sequence, end.at, known, |_| {})
                    .map_err(|error| error.moved_by(end.at + HEAD as u64))?;
            }
            None => check_rest(file, &index, sync, limit)?,
        }
        // Readers need the schema of new blocks: one in a damaged frame must be written again.
        let schema = match frames.iter().rfind(|seen| seen.head.kind == Kind::Schema) {
            None => None,
            Some(last) => match payload(file, last) {
                Ok(_) => Some(last.head.schema),
                Err(error) if error.code() == Code::Io => return Err(error),
                Err(_) => None,
            },
        };
        Ok(Tail { sync, index, schema })
    }
}

/// Returns all frames by their heads. Each head checks itself, so payloads need not be read. Stops before the first
/// frame that is not valid or not complete.
fn heads(file: &mut (impl Read + Seek), sync: Sync, limit: u64) -> Result<Vec<Seen>> {
    let len = file.seek(SeekFrom::End(0))?;
    let (mut frames, mut at) = (Vec::new(), PREAMBLE as u64);
    loop {
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        (&mut *file).take((HEAD + MAX_VARINT) as u64).read_to_end(&mut bytes)?;
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else { return Ok(frames) };
        let Ok(head) = Head::read(head, sync, at) else { return Ok(frames) };
        let is_next = head.sequence == frames.len() as u64
            && head.check_fields(at).and_then(|()| head.check_len(at, limit)).is_ok()
            && at + head.frame_len() <= len;
        let Some(values) = values_of(&head, rest).filter(|_| is_next) else { return Ok(frames) };
        let end = at + head.frame_len();
        let kind = head.kind;
        frames.put(Seen { head, at, values });
        if kind == Kind::End {
            return match end == len {
                true => Ok(frames),
                false => Err(Error::in_stream(Code::TrailingBytes, end)
                    .expected("no bytes after the end of the stream")
                    .got(format!("{} more bytes", len - end))),
            };
        }
        at = end;
    }
}

/// Returns how many values a block has, from the beginning of its payload; none for other frames.
fn values_of(head: &Head, payload: &[u8]) -> Option<u64> {
    if head.kind != Kind::Block {
        return Some(0);
    }
    let scratch = Scratch::default();
    let own = &payload[..payload.len().min(usize::try_from(head.len).unwrap_or(usize::MAX))];
    values(&mut Input::new(own, Budget::default(), &scratch)).ok()
}

/// Reads the payload of a frame, which must be intact.
fn payload(file: &mut (impl Read + Seek), seen: &Seen) -> Result<Vec<u8>> {
    file.seek(SeekFrom::Start(seen.at))?;
    let mut frame = Vec::new();
    (&mut *file).take(seen.head.frame_len()).read_to_end(&mut frame)?;
    if (frame.len() as u64) < seen.head.frame_len() {
        return Err(Error::in_stream(Code::Truncated, seen.at).expected("a frame"));
    }
    check(&frame, &seen.head, seen.at)?;
    frame.truncate(HEAD + seen.head.len as usize);
    Ok(frame.split_off(HEAD))
}

/// Rejects anything after the last frame but one incomplete frame.
fn check_rest(file: &mut (impl Read + Seek), index: &Index, sync: Sync, limit: u64) -> Result<()> {
    let at = index.end();
    file.seek(SeekFrom::Start(at))?;
    let mut scanner = Scanner::new(limit, true).within(sync, at, index.frames());
    let (mut ended, mut damage) = (false, None);
    loop {
        match scanner.step(ended)? {
            Step::More(bytes) => {
                let read = (&mut *file).take(bytes as u64).read_to_end(scanner.buffer())?;
                ended = read < bytes;
            }
            Step::Nothing => return Ok(()),
            Step::Damage(found) => {
                damage.get_or_insert(found);
            }
            Step::Frame(..) => {
                let error = damage.map(|damage: Damage| damage.error().clone());
                return Err(error.unwrap_or_else(|| no_frame(at)));
            }
        }
        // A repeated frame after the fault is also an intact frame.
        if let Some(found) = damage.take_if(|found| found.code() == Code::RepeatedFrame) {
            return Err(found.error().clone());
        }
    }
}
