//! The file that another receiver writes traps to: appended lines are read, also across rotation.
//!
//! A trap begins with a line with `ZBXTRAP` and the address, and ends before the next such line.
//! The last one is complete when nothing was appended for one round. The position is remembered
//! across restarts; a file that is seen for the first time is read from its end.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lang::text::{repair_utf8, truncate_value};
use model::Now;
use model::limits::TEXT_VALUE_MAX;
use rt::worker::{Next, OnPanic, Worker, WorkerFailure, WorkerRow};
use thiserror::Error;
use tokio::runtime::Handle;

use super::items::SnmpTraps;
use super::matching::TrapText;
use super::parts::{TRAPS_A_TURN, TrapParts};

/// Pause between checks of the file.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The start of a trap.
const MARK: &str = "ZBXTRAP";
/// Longest trap; a longer one is cut into several texts, of which only the first has an address.
const TRAP_BYTES_MAX: usize = 1 << 20;
/// Read in one round.
const READ_MAX: u64 = 4 << 20;

/// A file that is followed.
#[derive(Debug)]
pub(super) struct FileReader {
    path: PathBuf,
    /// The file with the position of reading.
    position: PathBuf,
    open: Option<Open>,
    /// Read, but not given out yet.
    rest: Vec<u8>,
    /// Nothing was appended in the last round.
    is_quiet: bool,
    /// There was no such file at the first check.
    was_missing: bool,
    /// The last saved state: the file, and how far it was given out.
    saved: Option<((u64, u64), u64)>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Device and number of the file.
    identity: (u64, u64),
    offset: u64,
}

impl FileReader {
    pub(super) fn new(path: PathBuf, position: PathBuf) -> Self {
        let (rest, was_missing) = (Vec::new(), false);
        Self { path, position, open: None, rest, is_quiet: false, was_missing, saved: None }
    }

    /// Whole appended traps, at most `n_max`: address and text.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn read(&mut self, n_max: usize) -> io::Result<Vec<(String, String)>> {
        if self.open.is_none() {
            self.open = self.open_first()?;
        }
        let Some(open) = &mut self.open else { return Ok(Vec::new()) };
        if fs::metadata(&self.path)
            .is_ok_and(|it| identity(&it) == open.identity && it.len() < open.offset)
        {
            // The file was truncated in place.
            open.offset = open.file.seek(SeekFrom::Start(0))?;
            self.rest.clear();
        }
        let before = self.rest.len();
        if READ_MAX <= u64::try_from(before).unwrap_or(u64::MAX) {
            self.is_quiet = false;
            return Ok(self.take(n_max));
        }
        let n = (&open.file).take(READ_MAX).read_to_end(&mut self.rest)?;
        open.offset += u64::try_from(n).unwrap_or(0);
        self.is_quiet = n == 0;
        if n == 0 && before == 0 {
            self.follow_rotation()?;
            return Ok(Vec::new());
        }
        Ok(self.take(n_max))
    }

    /// At the start: the saved position, otherwise the end.
    fn open_first(&mut self) -> io::Result<Option<Open>> {
        let Some(mut file) = open(&self.path)? else {
            self.was_missing = true;
            return Ok(None);
        };
        let metadata = file.metadata()?;
        let offset = match saved(&self.position) {
            Some((known, offset)) if known == identity(&metadata) && offset <= metadata.len() => {
                offset
            }
            // Another file has replaced it: all of it is new.
            Some(_) => 0,
            // It was created after the first check.
            None if self.was_missing => 0,
            None => metadata.len(),
        };
        file.seek(SeekFrom::Start(offset))?;
        Ok(Some(Open { file, identity: identity(&metadata), offset }))
    }

    /// All of the old file was read: continues with the one that has its name now.
    fn follow_rotation(&mut self) -> io::Result<()> {
        let Some(current) = &self.open else { return Ok(()) };
        let Some(file) = open(&self.path)? else { return Ok(()) };
        let identity = identity(&file.metadata()?);
        if identity != current.identity {
            self.open = Some(Open { file, identity, offset: 0 });
        }
        Ok(())
    }

    /// Takes whole traps out of the bytes read.
    fn take(&mut self, n_max: usize) -> Vec<(String, String)> {
        let (mut traps, mut done) = (Vec::new(), 0);
        while traps.len() < n_max {
            let rest = self.rest.get(done..).unwrap_or_default();
            let is_end = self.is_quiet || TRAP_BYTES_MAX < rest.len();
            let end = match trap_starts(rest, 2).as_slice() {
                // The text before the first trap is the end of one that was cut.
                [first, ..] if 0 < *first => *first,
                [_, second] => *second,
                [] | [_] if is_end => rest.len(),
                _ => break,
            };
            let (bytes, _) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            if bytes.is_empty() {
                break;
            }
            traps.extend(trap(&repair_utf8(bytes)));
            done += bytes.len();
        }
        self.rest.drain(..done);
        traps
    }

    /// Saves the position.
    fn save(&mut self) -> io::Result<()> {
        let Some(Open { identity: (device, number), offset, .. }) = &self.open else {
            return Ok(());
        };
        let given = offset.saturating_sub(u64::try_from(self.rest.len()).unwrap_or(0));
        let now = Some(((*device, *number), given));
        if self.saved != now {
            let temporary = self.position.with_extension("new");
            fs::write(&temporary, format!("{device} {number} {given}\n"))?;
            fs::rename(temporary, &self.position)?;
            self.saved = now;
        }
        Ok(())
    }
}

fn identity(metadata: &fs::Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// `None`: there is no such file now.
fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) if file.metadata()?.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn saved(position: &Path) -> Option<((u64, u64), u64)> {
    let text = fs::read_to_string(position).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    Some(((next()?, next()?), next()?))
}

/// The starts of lines that begin a trap, the first `n_max` of them.
fn trap_starts(bytes: &[u8], n_max: usize) -> Vec<usize> {
    let mark = MARK.as_bytes();
    let mut starts = Vec::new();
    let mut line = 0;
    for part in bytes.split_inclusive(|it| *it == b'\n') {
        if part.windows(mark.len()).any(|it| it == mark) {
            starts.push(line);
            if starts.len() == n_max {
                break;
            }
        }
        line += part.len();
    }
    starts
}

/// Address and text of a trap; the text begins with the date and continues after the address.
fn trap(text: &str) -> Option<(String, String)> {
    let (date, rest) = text.split_once(MARK)?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (address, said) = rest.split_at_checked(end)?;
    if address.is_empty() {
        return None;
    }
    let said = said.trim_start_matches([' ', '\t', '\r', '\n']);
    let text = format!("{date}{said}");
    Some((address.to_owned(), truncate_value(text.trim_end(), TEXT_VALUE_MAX).into_owned()))
}

/// For the list of workers.
pub(super) const ROW: WorkerRow = WorkerRow {
    name: "snmp-trap-file",
    job: "passes traps from the file of another receiver to items",
    woken_by: "the clock, each second, since appending to a file wakes nobody",
    waits: "traps in the file wait to be read",
    on_panic: OnPanic::Reload,
};

/// Passes appended traps to items.
pub(super) struct TrapFile {
    pub(super) reader: FileReader,
    pub(super) traps: Arc<SnmpTraps>,
    pub(super) parts: Arc<TrapParts>,
    pub(super) runtime: Handle,
}

/// Why the file is not followed now.
#[derive(Debug, Error)]
pub(super) enum TrapFileError {
    #[error("{} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("its position cannot be saved in {}: {source}", path.display())]
    Save { path: PathBuf, source: io::Error },
}

impl Worker for TrapFile {
    type Error = TrapFileError;

    fn turn(&mut self, now: Now) -> Result<Next, TrapFileError> {
        let Self { reader, traps, parts, runtime } = self;
        let read = reader.read(TRAPS_A_TURN);
        let read =
            read.map_err(|source| TrapFileError::Read { path: reader.path.clone(), source })?;
        let is_full = read.len() == TRAPS_A_TURN;
        let said: Vec<TrapText> =
            read.into_iter().map(|(from, text)| TrapText { from, text, time: now.wall }).collect();
        // The receiver of values is gone: the process is stopping.
        if runtime.block_on(traps.post(&said, parts)).is_err() {
            return Ok(Next::Ended);
        }
        let saved = reader.save();
        saved.map_err(|source| TrapFileError::Save { path: reader.position.clone(), source })?;
        Ok(if is_full { Next::More } else { Next::after(now, POLL_INTERVAL) })
    }

    /// Lines that were read but not given out when a turn panicked are read again.
    fn reload(&mut self, after: WorkerFailure) -> Result<(), TrapFileError> {
        if after == WorkerFailure::Panic {
            let (path, position) = (self.reader.path.clone(), self.reader.position.clone());
            self.reader = FileReader::new(path, position);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    struct Files {
        folder: tempfile::TempDir,
    }

    impl Files {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().expect("a folder is made") }
        }

        fn path(&self) -> PathBuf {
            self.folder.path().join("traps")
        }

        fn append(&self, text: &str) {
            let file = File::options().create(true).append(true).open(self.path());
            file.expect("opened").write_all(text.as_bytes()).expect("written");
        }

        fn reader(&self) -> FileReader {
            FileReader::new(self.path(), self.folder.path().join("position"))
        }
    }

    fn texts(reader: &mut FileReader) -> Vec<String> {
        let read = reader.read(100).expect("it can be read");
        reader.save().expect("it can be saved");
        read.into_iter().map(|(from, text)| format!("{from}|{text}")).collect()
    }

    #[test]
    fn trap_ends_before_the_next_one_or_after_a_quiet_round() {
        let files = Files::new();
        files.append("old ZBXTRAP 192.0.2.1 before\n");
        let mut reader = files.reader();
        assert!(texts(&mut reader).is_empty(), "begun at the end");
        files.append("12:00 ZBXTRAP 192.0.2.7\nPDU INFO:\n  a b\n12:01 ZBXTRAP name two\n");
        assert_eq!(texts(&mut reader), ["192.0.2.7|12:00 PDU INFO:\n  a b"]);
        files.append("of two lines\n");
        assert!(texts(&mut reader).is_empty());
        assert_eq!(texts(&mut reader), ["name|12:01 two\nof two lines"]);
        assert!(texts(&mut reader).is_empty());
    }

    #[test]
    fn nothing_is_lost_or_doubled_by_restarts_and_rotation() {
        let files = Files::new();
        files.append("");
        let mut reader = files.reader();
        assert!(texts(&mut reader).is_empty());
        files.append("1 ZBXTRAP a x\n2 ZBXTRAP a y\n");
        assert_eq!(texts(&mut reader), ["a|1 x"]);
        // The second one was read, but not given out.
        let mut reader = files.reader();
        assert!(texts(&mut reader).is_empty());
        assert_eq!(texts(&mut reader), ["a|2 y"]);
        files.append("3 ZBXTRAP a z\n");
        fs::rename(files.path(), files.folder.path().join("traps.1")).expect("renamed");
        files.append("4 ZBXTRAP a new\n");
        let mut all = Vec::new();
        for _ in 0..6 {
            all.extend(texts(&mut reader));
        }
        assert_eq!(all, ["a|3 z", "a|4 new"]);
        // Rotated between two checks.
        fs::rename(files.path(), files.folder.path().join("traps.2")).expect("renamed");
        files.append("5 ZBXTRAP a newer\n");
        let mut reader = files.reader();
        let both = [texts(&mut reader), texts(&mut reader)].concat();
        assert_eq!(both, ["a|5 newer"]);
        // Emptied in place.
        fs::write(files.path(), "").expect("written");
        assert!(texts(&mut reader).is_empty());
        files.append("6 ZBXTRAP a last\n");
        let both = [texts(&mut reader), texts(&mut reader)].concat();
        assert_eq!(both, ["a|6 last"]);
    }

    #[test]
    fn a_file_that_is_not_there_yet_is_waited_for() {
        let files = Files::new();
        let mut reader = files.reader();
        assert!(texts(&mut reader).is_empty());
        fs::create_dir(files.path()).expect("made");
        assert!(reader.read(100).is_err(), "a folder is no file");
        fs::remove_dir(files.path()).expect("removed");
        files.append("1 ZBXTRAP a x\n");
        let both = [texts(&mut reader), texts(&mut reader)].concat();
        assert_eq!(both, ["a|1 x"], "all of a file that came after us is new");
    }

    #[test]
    fn text_outside_traps_is_left_out() {
        let mut reader = Files::new().reader();
        reader.rest = b"noise\nmore\n1 ZBXTRAP \n2 ZBXTRAP b c\n".to_vec();
        reader.is_quiet = true;
        assert_eq!(reader.take(100), [("b".to_owned(), "2 c".to_owned())]);
        assert!(reader.rest.is_empty());
        reader.rest = vec![b'x'; TRAP_BYTES_MAX + 1];
        reader.is_quiet = false;
        assert!(reader.take(100).is_empty());
        assert!(reader.rest.is_empty(), "what has no end is given up");
    }
}
