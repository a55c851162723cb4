//! Recovery at open: records that were possibly not synced are written again.
//!
//! The end of the stream is where the first bad frame is, unless a later frame or file header
//! says that the journal had been synced past it: then it is damage and not an end. Everything
//! after the last position that is known to be synced goes into a new file: pages that a crash left
//! in the page cache, perhaps after a failed sync, must not be taken for durable.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::frame::{FILE_HEADER_BYTES, FileHeader, FileHeaderError, FrameHeader, VERSION};
use crate::lineage::{self, Ancestor, Lineage};
use crate::lsn::Lsn;
use crate::scan::{FileEntry, FrameScan, LostRange};
use crate::settings::{JournalSettings, OnCorruption};
use disk::{Content, Disk, FileCopy, read_full, write_full};

const SUFFIX: &str = ".journal";
const UNFINISHED: &str = ".journal.tmp";
/// Copies go in pieces of this size.
const COPY_BYTES: usize = 1 << 20;

/// The end of the stream was torn by a crash: frames that had not been synced are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub path: PathBuf,
    pub offset: u64,
    pub lsn: Lsn,
    /// Bytes of files from there on that were given up.
    pub bytes: u64,
}

/// The state that [`crate::Journal::open`] found.
#[derive(Debug, Clone, Default)]
pub struct RecoveredJournal {
    pub first: Lsn,
    pub next: Lsn,
    pub next_id: u64,
    /// See [`crate::Journal::identity`].
    pub identity: u32,
    pub n_files: usize,
    pub cut: Option<Cut>,
    /// Only with [`OnCorruption::Isolate`]. Readers will report each once more when they get there.
    pub lost: Vec<LostRange>,
    /// Files whose header can't be read, each as [`Error::Corrupt`] at offset 0. They cost nothing:
    /// the file's name and its frames say what a header does.
    pub damaged_headers: Vec<Error>,
    /// Bytes that were not surely synced and now are.
    pub bytes_rewritten: u64,
}

/// The parts of an opened journal.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) files: Vec<FileEntry>,
    pub(crate) next_number: u32,
    pub(crate) ancestors: Vec<Ancestor>,
    pub(crate) recovered: RecoveredJournal,
}

pub(crate) fn file_path(dir: &Path, number: u32, first: Lsn) -> PathBuf {
    dir.join(format!("{number:08}-{first:020}{SUFFIX}"))
}

fn parse_name(name: &str) -> Option<(u32, Lsn)> {
    let (number, first) = name.strip_suffix(SUFFIX)?.split_once('-')?;
    let digits = |text: &str, n| text.len() == n && text.bytes().all(|it| it.is_ascii_digit());
    if !digits(number, 8) || !digits(first, 20) {
        return None;
    }
    Some((number.parse().ok()?, Lsn(first.parse().ok()?)))
}

/// A file with what its header says, if that is readable.
#[derive(Debug)]
struct FoundFile {
    entry: FileEntry,
    header: Option<FileHeader>,
    len: u64,
}

impl FoundFile {
    fn end(&self) -> Lsn {
        Lsn(self.entry.first.0 + self.len.saturating_sub(FILE_HEADER_BYTES as u64))
    }

    /// A file that a crash caught before its header was durable has no frames either, and is not asked.
    fn damaged_header(&self) -> Option<Error> {
        let FileEntry { path, first, .. } = &self.entry;
        let reason = "the file's header can't be read; its records are not affected";
        self.header.is_none().then(|| Error::Corrupt {
            path: path.clone(),
            offset: 0,
            lsn: *first,
            reason,
        })
    }
}

pub(crate) fn open(disk: &dyn Disk, dir: &Path, settings: &JournalSettings) -> Result<Opened> {
    disk.create_dir_all(dir).map_err(|error| Error::io("create", dir, error))?;
    remove_unfinished(disk, dir)?;
    let mut found = find_files(disk, dir)?;
    let next_number = found.iter().map(|it| it.entry.number + 1).max().unwrap_or(1);
    let (mut obsolete, unborn) = drop_unborn(&mut found)?;
    obsolete.extend(drop_superseded(&mut found));
    let ending = find_end(&found, settings)?;
    let mut damaged_headers: Vec<Error> =
        found.iter().filter_map(FoundFile::damaged_header).collect();
    let mut lineage = match Lineage::read(disk, dir) {
        Err(error @ Error::Corrupt { .. }) if settings.on_corruption == OnCorruption::Isolate => {
            damaged_headers.push(error);
            None
        }
        other => other?,
    };
    // Before any file of the journal names it.
    if let Some(copy) = lineage.as_mut().filter(|it| it.identity == 0 && settings.identity != 0) {
        copy.identity = settings.identity;
        copy.cut_at(ending.end);
        copy.write(disk, dir)?;
    }
    let lineage = lineage.unwrap_or_default();
    let known = [lineage.identity, identity_of(&found)];
    let identity = known.into_iter().find(|it| *it != 0).unwrap_or(settings.identity);

    let files: Arc<Vec<FileEntry>> = Arc::new(found.into_iter().map(|it| it.entry).collect());
    let plan = Rewrite {
        from: ending.synced,
        to: ending.end,
        number: next_number,
        next_id: ending.next_id,
        identity,
    };
    let new = plan.run(disk, dir, &files)?;
    let (kept, dropped): (Vec<_>, Vec<_>) =
        files.iter().cloned().partition(|it| it.first < new.first);
    obsolete.extend(dropped.into_iter().map(|it| it.path));
    let mut files = kept;
    files.push(new);
    // Files left by a failure here have lower numbers and are dropped the next time.
    for path in obsolete {
        disk.remove(&path).map_err(|error| Error::io("remove", path, error))?;
    }
    disk.sync_dir(dir).map_err(|error| Error::io("sync", dir, error))?;
    let recovered = RecoveredJournal {
        first: files.first().map_or(ending.end, |it| it.first),
        next: ending.end,
        next_id: ending.next_id,
        identity,
        n_files: files.len(),
        cut: ending.cut.or(unborn),
        lost: ending.lost,
        damaged_headers,
        bytes_rewritten: ending.end.0 - ending.synced.0,
    };
    let ancestors = lineage.ancestors;
    Ok(Opened { files, next_number: next_number + 1, ancestors, recovered })
}

/// As the newest file that has one says.
fn identity_of(found: &[FoundFile]) -> u32 {
    let known = found.iter().rev().filter_map(|it| it.header.as_ref()).map(|it| it.identity);
    known.into_iter().find(|it| *it != 0).unwrap_or(0)
}

/// The file that a copy of the files in `dir`, which nobody has opened, needs in addition: with it
/// the copy becomes a journal of its own when it is opened. It takes the place of the file of that
/// name, if there is one. Writes nothing.
///
/// # Errors
/// The folder or a file can't be read, or is of another version.
pub fn lineage_of_copy(disk: &dyn Disk, dir: &Path) -> Result<FileCopy> {
    let found = match find_files(disk, dir) {
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Vec::new(),
        other => other?,
    };
    let mut lineage = Lineage::read(disk, dir)?.unwrap_or_default();
    if lineage.identity == 0 && lineage.ancestors.is_empty() {
        lineage.identity = identity_of(&found);
    }
    // It may be less: the first open finds out.
    let end = found.iter().map(FoundFile::end).max().unwrap_or_default();
    let content = Content::Bytes(lineage.of_copy(end).encode());
    Ok(FileCopy { name: lineage::NAME.into(), content })
}

fn remove_unfinished(disk: &dyn Disk, dir: &Path) -> Result<()> {
    for name in disk.list(dir).map_err(|error| Error::io("list", dir, error))? {
        if name.ends_with(UNFINISHED) {
            let path = dir.join(&name);
            disk.remove(&path).map_err(|error| Error::io("remove", path, error))?;
        }
    }
    Ok(())
}

fn find_files(disk: &dyn Disk, dir: &Path) -> Result<Vec<FoundFile>> {
    let mut found = Vec::new();
    for name in disk.list(dir).map_err(|error| Error::io("list", dir, error))? {
        let path = dir.join(&name);
        if name.ends_with(SUFFIX) {
            let Some((number, first)) = parse_name(&name) else {
                return Err(Error::Foreign { path });
            };
            found.push(open_file(disk, path, number, first)?);
        }
    }
    found.sort_by_key(|it| it.entry.number);
    Ok(found)
}

fn open_file(disk: &dyn Disk, path: PathBuf, number: u32, first: Lsn) -> Result<FoundFile> {
    let read = || {
        let file = disk.open(&path)?;
        let len = file.len()?;
        let mut head = [0; FILE_HEADER_BYTES];
        let n = read_full(&*file, &mut head, 0)?;
        Ok((file, len, FileHeader::decode(&head[..n])))
    };
    let (file, len, header) = read().map_err(|error| Error::io("read", &path, error))?;
    let header = match header {
        Ok(header) if header.first == first => Some(header),
        Ok(_) | Err(FileHeaderError::Bad) => None,
        Err(FileHeaderError::Version(version)) => {
            return Err(Error::Version { path, version, known: VERSION });
        }
    };
    Ok(FoundFile { entry: FileEntry { first, number, path, file }, header, len })
}

/// Files at the end that a crash caught before anything of theirs was durable.
fn drop_unborn(found: &mut Vec<FoundFile>) -> Result<(Vec<PathBuf>, Option<Cut>)> {
    let mut dropped = Vec::new();
    let mut cut = None;
    while let Some(last) = found.last()
        && last.header.is_none()
    {
        let files = Arc::new(vec![last.entry.clone()]);
        let mut scan = FrameScan::new(files, last.entry.first, last.end());
        let has_frames = match scan.advance() {
            Ok(frame) => frame.is_some(),
            Err(Error::Corrupt { .. }) => scan.skip_damage()?.to < last.end(),
            Err(error) => return Err(error),
        };
        if has_frames {
            break;
        }
        if last.len > 0 {
            let path = last.entry.path.clone();
            cut = Some(Cut { path, offset: 0, lsn: last.entry.first, bytes: last.len });
        }
        dropped.extend(found.pop().map(|it| it.entry.path));
    }
    Ok((dropped, cut))
}

/// A file replaces whatever files of lower number hold from its first position on.
fn drop_superseded(found: &mut Vec<FoundFile>) -> Vec<PathBuf> {
    let mut kept: Vec<FoundFile> = Vec::new();
    let mut dropped = Vec::new();
    for file in found.drain(..) {
        while let Some(top) = kept.pop_if(|it| it.entry.first >= file.entry.first) {
            dropped.push(top.entry.path);
        }
        kept.push(file);
    }
    *found = kept;
    dropped
}

#[derive(Debug)]
struct Ending {
    /// Everything below is known to be synced (and undamaged from the scan's start on).
    synced: Lsn,
    end: Lsn,
    next_id: u64,
    cut: Option<Cut>,
    lost: Vec<LostRange>,
}

/// A bad place, and what was known when the scan got there.
#[derive(Debug)]
struct Bad {
    error: Error,
    lost: LostRange,
    next_id: u64,
}

fn find_end(found: &[FoundFile], settings: &JournalSettings) -> Result<Ending> {
    let (Some(oldest), Some(newest)) = (found.first(), found.last()) else {
        let next_id = settings.next_id_min.max(1);
        let nothing = Lsn(0);
        return Ok(Ending { synced: nothing, end: nothing, next_id, cut: None, lost: vec![] });
    };
    let headers = || found.iter().filter_map(|it| it.header.as_ref());
    let mut synced = headers().map(|it| it.synced).max().unwrap_or(oldest.entry.first);
    synced = synced.max(oldest.entry.first);
    let mut next_id = headers().map(|it| it.next_id).max().unwrap_or(1);
    next_id = next_id.max(settings.next_id_min).max(1);

    let files = Arc::new(found.iter().map(|it| it.entry.clone()).collect());
    let last_byte = newest.end();
    let mut bads: Vec<Bad> = Vec::new();
    let mut scan = FrameScan::new(files, synced.min(last_byte), last_byte);
    loop {
        match scan.advance() {
            Ok(None) => break,
            Ok(Some(header)) => {
                synced = synced.max(claim(&header));
                next_id = next_id.max(header.next_id());
            }
            Err(error @ Error::Corrupt { .. }) => {
                let lost = scan.skip_damage()?;
                bads.push(Bad { error, lost, next_id });
            }
            Err(error) => return Err(error),
        }
    }
    if synced > last_byte {
        // A header promises more than there is: the end was cut off from outside.
        let error = Error::Corrupt {
            path: newest.entry.path.clone(),
            offset: newest.len,
            lsn: last_byte,
            reason: "the file is shorter than what had been synced",
        };
        bads.push(Bad { error, lost: LostRange { from: last_byte, to: synced }, next_id });
    }
    judge(found, bads, (synced, last_byte, next_id), settings)
}

fn claim(header: &FrameHeader) -> Lsn {
    header.claims_synced().unwrap_or(Lsn(0))
}

/// Distinguishes damage from a torn end.
fn judge(
    found: &[FoundFile],
    bads: Vec<Bad>,
    (mut synced, mut end, mut next_id): (Lsn, Lsn, u64),
    settings: &JournalSettings,
) -> Result<Ending> {
    let mut lost = Vec::new();
    let mut cut = None;
    for bad in bads {
        if bad.lost.from < synced {
            if settings.on_corruption == OnCorruption::Refuse {
                return Err(bad.error);
            }
            // The new file must begin with a readable frame.
            synced = synced.max(bad.lost.to);
            end = end.max(synced);
            lost.push(bad.lost);
        } else {
            let Error::Corrupt { path, offset, lsn, .. } = bad.error else { continue };
            let bytes = found
                .iter()
                .filter(|it| it.end() > lsn)
                .map(|it| it.end().0 - it.entry.first.max(lsn).0)
                .sum();
            cut = Some(Cut { path, offset, lsn, bytes });
            end = lsn;
            next_id = bad.next_id;
            break;
        }
    }
    Ok(Ending { synced, end, next_id, cut, lost })
}

/// The making of a file that holds a part of the stream once more, durably.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rewrite {
    pub(crate) from: Lsn,
    pub(crate) to: Lsn,
    pub(crate) number: u32,
    pub(crate) next_id: u64,
    pub(crate) identity: u32,
}

impl Rewrite {
    /// Copies the frames, each checked, and gives the file its name only when it is synced: a
    /// crash before that leaves the old files as they were.
    pub(crate) fn run(
        &self,
        disk: &dyn Disk,
        dir: &Path,
        files: &Arc<Vec<FileEntry>>,
    ) -> Result<FileEntry> {
        let path = file_path(dir, self.number, self.from);
        let unfinished = path.with_extension("journal.tmp");
        let result = self.write(disk, &unfinished, files);
        let finished = result.and_then(|file| {
            disk.rename(&unfinished, &path).map_err(|error| Error::io("rename", &path, error))?;
            disk.sync_dir(dir).map_err(|error| Error::io("sync", dir, error))?;
            Ok(file)
        });
        match finished {
            Ok(file) => Ok(FileEntry { first: self.from, number: self.number, path, file }),
            Err(error) => {
                // Best effort: whichever of the two names it has, the next number is another.
                drop(disk.remove(&unfinished));
                drop(disk.remove(&path));
                Err(error)
            }
        }
    }

    fn write(
        &self,
        disk: &dyn Disk,
        path: &Path,
        files: &Arc<Vec<FileEntry>>,
    ) -> Result<Arc<dyn disk::DiskFile>> {
        let file = disk.create(path).map_err(|error| Error::io("create", path, error))?;
        // True once the file has its name: only then is it looked at.
        let Self { identity, next_id, .. } = *self;
        let header = FileHeader { identity, first: self.from, next_id, synced: self.to };
        let mut pending = header.encode().to_vec();
        let mut offset = 0;
        let mut scan = FrameScan::new(Arc::clone(files), self.from, self.to);
        loop {
            let more = scan.advance()?.is_some();
            if more {
                pending.extend_from_slice(scan.frame());
            }
            if pending.len() >= COPY_BYTES || !more {
                write_full(&*file, &pending, offset)
                    .map_err(|error| Error::io("write", path, error))?;
                offset += pending.len() as u64;
                pending.clear();
            }
            if !more {
                break;
            }
        }
        file.sync_data().map_err(|error| Error::io("sync", path, error))?;
        Ok(file)
    }
}
