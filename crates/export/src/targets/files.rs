//! Files of lines, as Zabbix writes them with `ExportDir`.
//!
//! Three files, `problems-`, `history-` and `trends-history-syncer-1.ndjson`: names that collectors of Zabbix's
//! files look for. Zabbix has a set of each of its history syncers; here one reader of the journal writes for all
//! shards, so there is one set, in the order of the journal. A file that would grow past its limit becomes
//! `….ndjson.old`, in place of the one before.
//!
//! The place in the journal is kept next to the files, in `saker-export.state`, with the length
//! that each file had there. A start reads the part of a file after that length: those lines were
//! written before a crash and are not written again. So each line is in the files once. Only lines
//! of items that were renamed or deleted in that second may come twice, since they are not the same
//! lines any more.
//!
//! Files are synced before the place is saved, about each second and when a file is full; in
//! between they are in the system's cache, and the journal has the lines that a power failure
//! takes.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Delivered, ExportTarget};
use crate::formats::ndjson;
use crate::labels::{LabelCache, LabelLookup};
use crate::ports::{ExportConfiguration, ExportPlace, PlaceError};
use crate::rows::{DeliveryError, ExportRow, RowKind, RowOutcome, Wanted};

/// Lines of a batch.
const BATCH_BYTES: usize = 1 << 20;
/// Saves at the latest after so much, so that a start has little to compare.
const UNSAVED_BYTES: u64 = 16 << 20;
const STATE: &str = "saker-export.state";

#[derive(Clone, Debug)]
pub struct FilesSettings {
    /// It has to be there.
    pub dir: PathBuf,
    /// Of one file.
    pub file_bytes_max: u64,
    pub kinds: Vec<RowKind>,
}

/// Writes lines to files.
pub struct Files {
    settings: FilesSettings,
    labels: LabelCache,
    outputs: Vec<Output>,
    is_open: bool,
    unsaved_bytes: u64,
    done: Delivered,
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").field("dir", &self.settings.dir).finish_non_exhaustive()
    }
}

/// One file, and the lines to write to it.
#[derive(Debug)]
struct Output {
    kind: RowKind,
    path: PathBuf,
    file: Option<File>,
    inode: u64,
    /// Length of whole lines; the rest is of a write that failed.
    len: u64,
    lines: Vec<u8>,
    n_lines: u64,
    /// Lines that were written before a crash, behind the saved place.
    known: VecDeque<Vec<u8>>,
}

/// The state that is saved next to the files.
#[derive(Serialize, Deserialize)]
struct SavedPosition {
    version: u32,
    journal: u32,
    lsn: u64,
    files: Vec<FileState>,
}

#[derive(Serialize, Deserialize)]
struct FileState {
    name: String,
    inode: u64,
    bytes: u64,
}

impl RowKind {
    fn file_name(self) -> &'static str {
        match self {
            Self::Events => "problems-history-syncer-1.ndjson",
            Self::History => "history-history-syncer-1.ndjson",
            Self::Trends => "trends-history-syncer-1.ndjson",
        }
    }
}

impl Files {
    #[must_use]
    pub fn new(settings: FilesSettings, configuration: Arc<dyn ExportConfiguration>) -> Self {
        let output = |kind: RowKind| Output::new(kind, settings.dir.join(kind.file_name()));
        let outputs = settings.kinds.iter().map(|it| output(*it)).collect();
        let labels = LabelCache::new(configuration);
        let done = Delivered::default();
        Self { settings, labels, outputs, is_open: false, unsaved_bytes: 0, done }
    }

    fn output(&mut self, kind: RowKind) -> Option<&mut Output> {
        self.outputs.iter_mut().find(|it| it.kind == kind)
    }

    fn state_path(&self) -> PathBuf {
        self.settings.dir.join(STATE)
    }

    /// Opens the files, and records the lines after the saved place.
    fn open(&mut self) -> io::Result<Option<ExportPlace>> {
        let state: Option<SavedPosition> = match fs::read(self.state_path()) {
            Ok(it) => Some(serde_json::from_slice(&it).map_err(|error| {
                let path = self.state_path();
                io::Error::new(ErrorKind::InvalidData, format!("{}: {error}", path.display()))
            })?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(named(&self.state_path(), &error)),
        };
        for output in &mut self.outputs {
            let known = state
                .as_ref()
                .and_then(|it| it.files.iter().find(|it| it.name == output.kind.file_name()));
            output.open(known)?;
        }
        self.is_open = true;
        Ok(state.map(|it| ExportPlace { journal: it.journal, lsn: it.lsn }))
    }

    /// Syncs the files and then saves the place with their lengths.
    fn save(&mut self, place: ExportPlace) -> io::Result<()> {
        for output in &mut self.outputs {
            output.sync()?;
        }
        let files = self.outputs.iter().map(|it| FileState {
            name: it.kind.file_name().to_owned(),
            inode: it.inode,
            bytes: it.len,
        });
        let state = SavedPosition {
            version: 1,
            journal: place.journal,
            lsn: place.lsn,
            files: files.collect(),
        };
        let path = self.state_path();
        let fresh = path.with_extension("new");
        let write = || -> io::Result<()> {
            let text = serde_json::to_vec(&state)?;
            let file = create(&fresh, true)?;
            file.write_all_at(&text, 0)?;
            file.sync_all()?;
            fs::rename(&fresh, &path)?;
            File::open(&self.settings.dir)?.sync_all()
        };
        write().map_err(|error| named(&path, &error))?;
        // From here on a start would not compare with them.
        self.outputs.iter_mut().for_each(|it| it.known.clear());
        self.unsaved_bytes = 0;
        Ok(())
    }

    /// Writes the rows, file by file, up to the first failure.
    fn write(&mut self) -> io::Result<()> {
        for at in 0..self.outputs.len() {
            while let Some(output) = self.outputs.get_mut(at).filter(|it| !it.lines.is_empty()) {
                let written = output.write(self.settings.file_bytes_max)?;
                self.unsaved_bytes += written;
                self.done.bytes += written;
                if !output.lines.is_empty() {
                    self.rotate(at)?;
                }
            }
        }
        Ok(())
    }

    /// The file is full: it becomes the old one.
    fn rotate(&mut self, at: usize) -> io::Result<()> {
        let Some(output) = self.outputs.get_mut(at) else { return Ok(()) };
        output.sync()?;
        fs::rename(&output.path, output.old_path()).map_err(|error| named(&output.path, &error))?;
        (output.file, output.len) = (None, 0);
        output.reopen()
    }
}

impl Output {
    fn new(kind: RowKind, path: PathBuf) -> Self {
        let (lines, known) = (Vec::new(), VecDeque::new());
        Self { kind, path, file: None, inode: 0, len: 0, lines, n_lines: 0, known }
    }

    fn open(&mut self, known: Option<&FileState>) -> io::Result<()> {
        self.reopen()?;
        self.known.clear();
        let Some(known) = known else { return Ok(()) };
        let mut from = known.bytes.min(self.len);
        if known.inode != self.inode {
            // It was begun since: all of it lies behind the place, and the end of the one before, or all of it.
            from = 0;
            let old = self.old_path();
            match File::open(&old).and_then(|file| Ok((file.metadata()?.ino(), file))) {
                Ok((inode, file)) => {
                    let from = if inode == known.inode { known.bytes } else { 0 };
                    self.take_note(&file, &old, from)?;
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(named(&old, &error)),
            }
        }
        let Some(file) = self.file.take() else { return Ok(()) };
        let whole = self.take_note(&file, &self.path.clone(), from);
        self.file = Some(file);
        self.len = from + whole?;
        // The rest of a write that the crash cut off.
        self.cut()
    }

    /// Remembers the lines of a file behind a position; gives the bytes of whole ones.
    fn take_note(&mut self, mut file: &File, path: &Path, from: u64) -> io::Result<u64> {
        let mut tail = Vec::new();
        let read = file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut tail));
        read.map_err(|error| named(path, &error))?;
        let whole = tail.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        tail.truncate(whole);
        self.known.extend(tail.split_inclusive(|it| *it == b'\n').map(<[u8]>::to_vec));
        Ok(whole as u64)
    }

    fn old_path(&self) -> PathBuf {
        let mut old = self.path.clone().into_os_string();
        old.push(".old");
        old.into()
    }

    fn reopen(&mut self) -> io::Result<()> {
        let open = || -> io::Result<(File, u64, u64)> {
            let file = create(&self.path, false)?;
            let metadata = file.metadata()?;
            Ok((file, metadata.ino(), metadata.len()))
        };
        let (file, inode, len) = open().map_err(|error| named(&self.path, &error))?;
        self.file = Some(file);
        (self.inode, self.len) = (inode, len);
        Ok(())
    }

    /// Cuts the file after its whole lines.
    fn cut(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        if file.metadata()?.len() != self.len {
            file.set_len(self.len).map_err(|error| named(&self.path, &error))?;
        }
        Ok(())
    }

    /// A line ends that begins at `start` of `lines`; it may be there already.
    fn end_line(&mut self, start: usize) {
        self.n_lines += 1;
        if self.known.is_empty() {
            return;
        }
        let line = self.lines.get(start..).unwrap_or_default();
        if let Some(at) = self.known.iter().position(|it| it == line) {
            self.known.drain(..=at);
            self.lines.truncate(start);
        }
    }

    /// Writes as many lines as the file may take, one at least; gives their bytes.
    fn write(&mut self, bytes_max: u64) -> io::Result<u64> {
        self.look_for_file()?;
        let room = usize::try_from(bytes_max.saturating_sub(self.len)).unwrap_or(usize::MAX);
        let fits = self.lines.get(..room.min(self.lines.len())).unwrap_or_default();
        let mut n = fits.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        if n == 0 && self.len == 0 {
            // Longer than a whole file may be.
            n = self.lines.iter().position(|it| *it == b'\n').map_or(self.lines.len(), |it| it + 1);
        }
        let Some(file) = &self.file else { return Ok(0) };
        let part = self.lines.get(..n).unwrap_or_default();
        if let Err(error) = file.write_all_at(part, self.len) {
            // Nobody should read half a line; if this fails too the next write covers it.
            _ = self.cut();
            return Err(named(&self.path, &error));
        }
        self.len += n as u64;
        self.lines.drain(..n);
        Ok(n as u64)
    }

    /// Somebody may have moved the file away; then a new one is begun.
    fn look_for_file(&mut self) -> io::Result<()> {
        let is_ours = match fs::metadata(&self.path) {
            Ok(it) => it.ino() == self.inode && self.file.is_some(),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(named(&self.path, &error)),
        };
        if is_ours { Ok(()) } else { self.reopen() }
    }

    fn sync(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        file.sync_data().map_err(|error| named(&self.path, &error))
    }
}

/// Opens a file for reading and writing, creates it if it is missing.
fn create(path: &Path, truncate: bool) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(truncate).mode(0o640).open(path)
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl ExportTarget for Files {
    fn begin(&mut self) {
        self.labels.refresh();
    }

    fn wanted(&self) -> Wanted {
        let wants = |kind| self.settings.kinds.contains(&kind);
        Wanted {
            values: wants(RowKind::History),
            trends: wants(RowKind::Trends),
            events: wants(RowKind::Events),
            states: false,
        }
    }

    fn take(&mut self, row: &ExportRow<'_>) -> RowOutcome {
        let (item, kind) = match row {
            ExportRow::Value { item, .. } => (*item, RowKind::History),
            ExportRow::Trend { row, .. } => (row.item, RowKind::Trends),
            ExportRow::State { .. } => return RowOutcome::NotWanted,
            ExportRow::Event(event) => {
                let snapshot = Arc::clone(self.labels.snapshot());
                let Some(output) = self.output(RowKind::Events) else {
                    return RowOutcome::NotWanted;
                };
                let start = output.lines.len();
                if event.is_problem {
                    if !ndjson::put_problem(&mut output.lines, &snapshot, event) {
                        return RowOutcome::Deleted;
                    }
                    output.end_line(start);
                }
                for problem in event.recovers.iter().filter(|_| !event.is_problem) {
                    let start = output.lines.len();
                    ndjson::put_recovery(&mut output.lines, event, *problem);
                    output.end_line(start);
                }
                return RowOutcome::Yes;
            }
        };
        let Some(output) = self.outputs.iter_mut().find(|it| it.kind == kind) else {
            return RowOutcome::NotWanted;
        };
        let label = match self.labels.of(item, |of| Some(ndjson::label(of))) {
            LabelLookup::Label(it) => it,
            LabelLookup::NotWanted => return RowOutcome::NotWanted,
            LabelLookup::Deleted => return RowOutcome::Deleted,
        };
        let start = output.lines.len();
        match row {
            ExportRow::Value { time, value, .. } => {
                ndjson::put_value(&mut output.lines, label, *time, value);
            }
            ExportRow::Trend { row, .. } => ndjson::put_trend(&mut output.lines, label, row),
            ExportRow::Event(_) | ExportRow::State { .. } => return RowOutcome::NotWanted,
        }
        output.end_line(start);
        RowOutcome::Yes
    }

    fn is_full(&self) -> bool {
        BATCH_BYTES <= self.outputs.iter().map(|it| it.lines.len()).sum()
    }

    fn is_empty(&self) -> bool {
        self.outputs.iter().all(|it| it.n_lines == 0)
    }

    fn deliver(&mut self, _stopping: bool) -> Result<(), DeliveryError> {
        self.write().map_err(|error| DeliveryError(error.to_string()))?;
        for output in &mut self.outputs {
            // Also lines that were there already.
            self.done.rows += std::mem::take(&mut output.n_lines);
        }
        Ok(())
    }

    fn count(&mut self) -> Delivered {
        std::mem::take(&mut self.done)
    }

    fn clear(&mut self) {
        for it in &mut self.outputs {
            it.lines.clear();
            it.n_lines = 0;
        }
    }

    fn is_unsaved(&self) -> bool {
        self.unsaved_bytes != 0
    }

    fn save_is_due(&self) -> bool {
        UNSAVED_BYTES <= self.unsaved_bytes
    }

    fn load_place(&mut self) -> Result<Option<ExportPlace>, PlaceError> {
        Ok(self.open()?)
    }

    fn save_place(&mut self, place: ExportPlace) -> Result<(), PlaceError> {
        if !self.is_open {
            self.open()?;
        }
        Ok(self.save(place)?)
    }

    fn forget_place(&mut self) -> Result<(), PlaceError> {
        match fs::remove_file(self.state_path()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
