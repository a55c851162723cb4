//! Kinds of directory entries, as the parameters of `vfs.file.exists` and `vfs.dir.count` name
//! them.

use std::fs::{FileType, Metadata};
use std::os::unix::fs::FileTypeExt as _;

use crate::outcome::Refusal;

const FILE: u8 = 1;
const DIR: u8 = 2;
const SYM: u8 = 4;
const SOCK: u8 = 8;
const BDEV: u8 = 16;
const CDEV: u8 = 32;
const FIFO: u8 = 64;
const DEV: u8 = BDEV | CDEV;
const ALL: u8 = FILE | DIR | SYM | SOCK | DEV | FIFO;

const NAMES: [(&str, u8); 9] = [
    ("file", FILE),
    ("dir", DIR),
    ("sym", SYM),
    ("sock", SOCK),
    ("bdev", BDEV),
    ("cdev", CDEV),
    ("fifo", FIFO),
    ("dev", DEV),
    ("all", ALL),
];

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const ALL: Self = Self(ALL);
    pub(crate) const NONE: Self = Self(0);

    /// From a list with commas; `default` when it is empty.
    pub(crate) fn parse(list: &str, default: Self) -> Result<Self, Refusal> {
        if list.is_empty() {
            return Ok(default);
        }
        let mut kinds = 0;
        for name in list.split(',').map(str::trim) {
            let found = NAMES.iter().find(|it| it.0 == name);
            kinds |= found.ok_or_else(|| Refusal::from(format!("Invalid type \"{name}\".")))?.1;
        }
        Ok(Self(kinds))
    }

    pub(crate) fn of(kind: FileType) -> Self {
        let kind = match kind {
            it if it.is_symlink() => SYM,
            it if it.is_file() => FILE,
            it if it.is_dir() => DIR,
            it if it.is_socket() => SOCK,
            it if it.is_block_device() => BDEV,
            it if it.is_char_device() => CDEV,
            it if it.is_fifo() => FIFO,
            _ => 0,
        };
        Self(kind)
    }

    /// The kinds of a path: a link counts as one, and as its target.
    pub(crate) fn of_path(entry: &Metadata, target: Option<&Metadata>) -> Self {
        let target = target.map_or(0, |it| Self::of(it.file_type()).0);
        Self(Self::of(entry.file_type()).0 | target)
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl Default for Kinds {
    /// The kinds of `vfs.file.exists` without parameters.
    fn default() -> Self {
        Self(FILE)
    }
}
