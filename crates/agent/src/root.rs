//! File access below one root folder.
//!
//! Every collector reads through [`Root`], so that a test can replace `/` by a fixture tree. Reads
//! are bounded: a file of the kernel that grows without limit (mounts of a container host, for
//! example) is an error, never an allocation without end.
//!
//! Does not keep anything open and does not cache.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::fcntl::OFlag;

use crate::outcome::Refusal;

/// 16 MiB: `/proc/mounts` of a host with 50,000 mounts is about 10 MB; other files of /proc are far
/// smaller. A larger file is an error.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// The folder that stands for `/`.
#[derive(Debug, Clone)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The real place of `path` (absolute as seen from inside the root).
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }

    /// The path as seen from inside the folder.
    pub(crate) fn inside(&self, path: &std::path::Path) -> PathBuf {
        match path.strip_prefix(&self.0) {
            Ok(rest) => std::path::Path::new("/").join(rest),
            Err(_elsewhere) => path.to_owned(),
        }
    }

    /// The whole file as bytes.
    pub(crate) fn read_bytes(&self, path: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = File::open(self.path(path))?;
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(bytes)
    }

    /// The whole file as text; bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn read(&self, path: &str) -> io::Result<String> {
        let bytes = self.read_bytes(path)?;
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|it| String::from_utf8_lossy(it.as_bytes()).into()))
    }

    /// As [`Root::read`], with Zabbix's words for an unreadable file.
    pub(crate) fn read_or_refuse(&self, path: &str) -> Result<String, Refusal> {
        self.read(path).map_err(|source| cannot_open(path, &source))
    }

    /// Opens a file that a user named. `O_NONBLOCK`: opening a pipe without a writer must not hang;
    /// for regular files the flag has no effect.
    pub(crate) fn open(&self, path: &str) -> io::Result<File> {
        OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(self.path(path))
    }

    /// Follows symbolic links.
    pub(crate) fn metadata(&self, path: &str) -> io::Result<Metadata> {
        fs::metadata(self.path(path))
    }

    /// Does not follow a symbolic link at the end of the path.
    pub(crate) fn symlink_metadata(&self, path: &str) -> io::Result<Metadata> {
        fs::symlink_metadata(self.path(path))
    }

    /// Names in a folder that are UTF-8, in no particular order.
    pub(crate) fn names(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path(path))? {
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }
}

/// `[2] No such file or directory`, the way Zabbix ends its messages.
pub(crate) fn os_text(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => format!("[{code}] {}", Errno::from_raw(code).desc()),
        None => error.to_string(),
    }
}

fn cannot_open(path: &str, error: &io::Error) -> Refusal {
    Refusal::from(format!("Cannot open {path}: {}", os_text(error)))
}
