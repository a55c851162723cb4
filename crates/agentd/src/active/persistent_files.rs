//! Persistent files of log items.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::address::Address;
use crate::log::LogItem;

/// Largest file that is read: 10,000 files of an item are some 30 MB. A larger one is ignored.
const BYTES_MAX: u64 = 64 << 20;

/// The place of the files of one server and host below the directories that items name.
#[derive(Debug, Clone)]
pub(super) struct PersistentFiles {
    prefix: String,
}

impl PersistentFiles {
    pub(super) fn new(server: &Address, host: &str) -> Self {
        let is_kept = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '.');
        let plain = |it: char| if is_kept(it) { it } else { '_' };
        Self { prefix: format!("{server}_{host}").chars().map(plain).collect() }
    }

    /// `None`: the item names no directory.
    pub(super) fn path(&self, itemid: u64, item: &LogItem) -> Option<PathBuf> {
        let dir = item.persistent_dir()?;
        Some(Path::new(dir).join(format!("{}_{itemid}.json", self.prefix)))
    }

    pub(super) fn read(&self, itemid: u64, item: &LogItem) -> Option<String> {
        let path = self.path(itemid, item)?;
        let is_readable = fs::metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= BYTES_MAX);
        if is_readable { fs::read_to_string(path).ok() } else { None }
    }
}

/// Replaces files atomically.
pub(super) fn write(files: &[(PathBuf, String)]) -> io::Result<()> {
    for (path, text) in files {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        let new = path.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(&new, path)?;
    }
    Ok(())
}
