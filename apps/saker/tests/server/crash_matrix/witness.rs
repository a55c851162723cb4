//! Finished and unfinished work, as the files of a data directory show it.
//!
//! A history file that no manifest has named is being written, by a merge if the log says so and
//! else by a flush; one that a former manifest has named, and the present one does not, is about to
//! be removed (docs/format/manifest.md). Finished work follows from one manifest to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Kills by the work that they fell into; at one moment several are under way.
#[derive(Debug, Default, Clone)]
pub(super) struct Fell {
    pub(super) flush: usize,
    pub(super) merge: usize,
    /// Files go because a merge has put one in their place.
    pub(super) drop_of_merged: usize,
    /// Files that were removed because their period is over.
    pub(super) expiry: usize,
    /// A manifest is written that has not its name yet.
    pub(super) switch: usize,
    /// A checkpoint is written.
    pub(super) checkpoint: usize,
    /// None of them.
    pub(super) other: usize,
}

impl Fell {
    pub(super) fn add(&mut self, other: &Self) {
        let Self { flush, merge, drop_of_merged, expiry, switch, checkpoint, other } = other;
        self.flush += flush;
        self.merge += merge;
        self.drop_of_merged += drop_of_merged;
        self.expiry += expiry;
        self.switch += switch;
        self.checkpoint += checkpoint;
        self.other += other;
    }
}

/// Work that was done: at least, since a manifest may be replaced before anybody has seen it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Done {
    pub(super) flushes: usize,
    pub(super) merges: usize,
    pub(super) expiries: usize,
    pub(super) files_merged: usize,
    pub(super) files_expired: usize,
}

/// Class and level of a history file.
type Kind = (u8, u8);

#[derive(Debug)]
pub(super) struct Witness {
    data: PathBuf,
    /// Of the manifest that was read last.
    seen: Option<(u64, SystemTime)>,
    named: BTreeMap<u64, Kind>,
    /// All that were ever named and are not any more, and whether a merge stands for them.
    former: BTreeMap<u64, bool>,
    done: Done,
    /// When a manifest and a checkpoint without a name were written that lie there since a former kill.
    left: [Option<SystemTime>; 2],
    /// How long the log was at the last start: numbers of files that nobody named are given again.
    log_bytes: usize,
}

impl Witness {
    pub(super) fn new(data: &Path) -> Self {
        let (named, former) = (BTreeMap::new(), BTreeMap::new());
        let (seen, left, done) = (None, [None; 2], Done::default());
        Self { data: data.to_owned(), seen, named, former, done, left, log_bytes: 0 }
    }

    pub(super) fn done(&self) -> Done {
        self.done
    }

    /// The work under way; for a file being written it is unknown yet whether it is a merge.
    pub(super) fn look(&mut self) -> Fell {
        // First the files: a file that is named a moment later is written now.
        let files = segments(&self.data);
        let [manifest, _] = self.unfinished();
        self.read_manifest();
        self.judge(&files, manifest, "")
    }

    /// Before a start: nothing is being written.
    pub(super) fn settle(&mut self, log: &str) {
        self.left = written(&self.data);
        self.log_bytes = log.len();
    }

    /// Whether a manifest and a checkpoint are written.
    fn unfinished(&self) -> [bool; 2] {
        let now = written(&self.data);
        [0, 1].map(|it| now[it].is_some() && now[it] != self.left[it])
    }

    /// The work that a kill interrupted.
    pub(super) fn fell(&mut self, log: &str) -> Fell {
        self.read_manifest();
        let files = segments(&self.data);
        let [manifest, checkpoint] = self.unfinished();
        let mut fell = self.judge(&files, manifest, log.get(self.log_bytes..).unwrap_or_default());
        fell.checkpoint = checkpoint.into();
        let Fell { flush, merge, drop_of_merged, expiry, switch, checkpoint, .. } = fell;
        let all = flush + merge + drop_of_merged + expiry + switch + checkpoint;
        fell.other = usize::from(all == 0);
        fell
    }

    fn judge(&self, files: &BTreeSet<u64>, switches: bool, log: &str) -> Fell {
        let mut fell = Fell { switch: switches.into(), ..Fell::default() };
        for number in files.iter().filter(|it| !self.named.contains_key(it)) {
            let of = match self.former.get(number) {
                Some(true) => &mut fell.drop_of_merged,
                Some(false) => &mut fell.expiry,
                None if is_merged_into(log, *number) => &mut fell.merge,
                None => &mut fell.flush,
            };
            *of = 1;
        }
        fell
    }

    fn read_manifest(&mut self) {
        let path = self.data.join("history/manifest");
        let Ok(metadata) = fs::metadata(&path) else { return };
        let seen = Some((metadata.ino(), metadata.modified().unwrap()));
        if seen == self.seen {
            return;
        }
        self.seen = seen;
        let named = named(&fs::read(&path).unwrap());
        let gone: Vec<_> = self.named.iter().filter(|it| !named.contains_key(it.0)).collect();
        let new: Vec<_> = named.iter().filter(|it| !self.named.contains_key(it.0)).collect();
        // A merge's file has the class of its sources, and a level above theirs.
        let merged = |kind: &Kind| new.iter().any(|it| it.1.0 == kind.0 && kind.1 < it.1.1);
        let gone: Vec<_> = gone.into_iter().map(|it| (*it.0, merged(it.1))).collect();
        let n_merged = gone.iter().filter(|it| it.1).count();
        self.done.flushes += usize::from(new.iter().any(|it| it.1.1 == 0));
        self.done.merges += new.iter().filter(|it| 0 < it.1.1).count();
        self.done.expiries += usize::from(n_merged < gone.len());
        self.done.files_merged += n_merged;
        self.done.files_expired += gone.len() - n_merged;
        self.former.extend(gone);
        self.named = named;
    }
}

/// When a manifest and a checkpoint were written that have not their names.
fn written(data: &Path) -> [Option<SystemTime>; 2] {
    ["history/manifest.tmp", "checkpoints/checkpoint.tmp"]
        .map(|it| fs::metadata(data.join(it)).and_then(|it| it.modified()).ok())
}

/// Whether the log says that a merge began to write this file.
fn is_merged_into(log: &str, number: u64) -> bool {
    let field = format!("segment={number}");
    let of_merges = log.lines().filter(|it| it.contains("began to merge history files"));
    of_merges.rev().any(|it| it.split_whitespace().any(|it| it == field))
}

fn number(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_suffix(".segment")?.parse().ok()
}

/// Numbers of the history files that are there.
pub(super) fn segments(data: &Path) -> BTreeSet<u64> {
    let Ok(files) = fs::read_dir(data.join("history")) else { return BTreeSet::new() };
    files.filter_map(|it| number(&it.ok()?.path())).collect()
}

/// The history files that a manifest names: docs/format/manifest.md.
fn named(manifest: &[u8]) -> BTreeMap<u64, Kind> {
    let n = u32::from_le_bytes(manifest[40..44].try_into().unwrap());
    let rows = manifest[44..].chunks_exact(50).take(usize::try_from(n).unwrap());
    rows.map(|it| (u64::from_le_bytes(it[..8].try_into().unwrap()), (it[48], it[49]))).collect()
}
