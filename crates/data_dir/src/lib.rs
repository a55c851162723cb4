//! The data directory: whose it is, which version wrote it, and who uses it now.
//!
//! `saker.json` marks a directory as Saker's and says which format its contents have;
//! `saker.lock` is locked while a process uses it (the lock ends with the process, however it
//! ends). Names of further files are here; their content belongs to the parts that write them.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Raised when an older saker could not read what this one writes.
const FORMAT: u32 = 1;

/// Marks the directory as Saker's.
pub const MARKER: &str = "saker.json";
/// Locked while a process uses the directory.
pub const LOCK: &str = "saker.lock";
/// The database.
pub const TABLES: &str = "saker.db";
/// The socket over which the command line speaks with a running server.
pub const SOCKET: &str = "saker.sock";
/// Holds the password of the first start, readable by its owner only.
pub const FIRST_PASSWORD_FILE: &str = "admin_password";
/// By which links in messages are signed.
pub const LINKS_KEY: &str = "acknowledge.key";

/// Files that a fresh directory may have: file systems put `lost+found` into their root.
const HARMLESS: &[&str] = &["lost+found", LOCK];

/// Why a data directory cannot be used, in words for the operator.
#[derive(Debug, Error)]
pub enum DataDirError {
    #[error("cannot create the data directory {}: {source}", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("the data directory {} is not a directory", path.display())]
    NotADirectory { path: PathBuf },
    #[error(
        "there is no data of Saker in {}: name the server's data directory by --data",
        path.display()
    )]
    NoData { path: PathBuf },
    #[error(
        "the data directory {} holds other files ({example}) and no {MARKER}: it is not Saker's; \
         choose an empty directory by --data",
        path.display()
    )]
    Foreign { path: PathBuf, example: String },
    #[error("the data directory {} cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is damaged: {source}; restore it from a backup", path.display())]
    Marker { path: PathBuf, source: serde_json::Error },
    #[error(
        "the data directory {} was written by saker {version} in format {format}; this one knows \
         format {FORMAT}: use a newer saker",
        path.display()
    )]
    Newer { path: PathBuf, version: String, format: u32 },
    #[error(
        "the data directory {} is in use by another saker{}; stop it or choose another directory \
         by --data",
        path.display(),
        pid.map(|it| format!(" (process {it})")).unwrap_or_default()
    )]
    InUse { path: PathBuf, pid: Option<u32> },
}

/// Contents of the marker file.
#[derive(Serialize, Deserialize)]
struct Marker {
    format: u32,
    /// Of the saker that made the directory.
    version: String,
}

/// A data directory that belongs to this process until it is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    is_new: bool,
    _lock: Flock<File>,
}

impl DataDir {
    /// Opens or makes the directory, and locks it.
    ///
    /// # Errors
    /// [`DataDirError`], whose text is meant for the operator as it is.
    pub fn open(path: &Path) -> Result<Self, DataDirError> {
        make(path)?;
        let marker = read_marker(path)?;
        if marker.is_none() {
            refuse_foreign(path)?;
        }
        let lock = lock(path)?;
        // Again under the lock: two first starts at once must not both see a new directory.
        let is_new = read_marker(path)?.is_none();
        if is_new {
            write_marker(path)?;
        }
        Ok(Self { path: path.to_owned(), is_new, _lock: lock })
    }

    /// As [`Self::open`] for a directory that a server has used before.
    ///
    /// # Errors
    /// [`DataDirError`]; nothing is made.
    pub fn open_existing(path: &Path) -> Result<Self, DataDirError> {
        Self::check(path)?;
        Self::open(path)
    }

    /// Whether a server has used the directory before.
    ///
    /// # Errors
    /// [`DataDirError`] if not.
    pub fn check(path: &Path) -> Result<(), DataDirError> {
        match read_marker(path)? {
            Some(_marker) => Ok(()),
            None => Err(DataDirError::NoData { path: path.to_owned() }),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this is its first use.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Writes a file that only the owner of the process may read, whole or not at all.
    ///
    /// # Errors
    /// [`DataDirError::Unwritable`].
    pub fn write_private(&self, name: &str, contents: &[u8]) -> Result<PathBuf, DataDirError> {
        write_whole(&self.path, name, contents)?;
        Ok(self.path.join(name))
    }

    /// Whether users other than the owner may look into the directory.
    #[must_use]
    pub fn is_open_to_others(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|it| it.mode() & 0o077 != 0)
    }
}

fn make(path: &Path) -> Result<(), DataDirError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => return Err(DataDirError::NotADirectory { path: path.to_owned() }),
        Err(source) if source.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(DataDirError::Read { path: path.to_owned(), source }),
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| DataDirError::Create { path: path.to_owned(), source })
}

fn read_marker(dir: &Path) -> Result<Option<Marker>, DataDirError> {
    let path = dir.join(MARKER);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(DataDirError::Read { path, source }),
    };
    let marker: Marker =
        serde_json::from_slice(&bytes).map_err(|source| DataDirError::Marker { path, source })?;
    if FORMAT < marker.format {
        let (path, Marker { format, version }) = (dir.to_owned(), marker);
        return Err(DataDirError::Newer { path, version, format });
    }
    Ok(Some(marker))
}

fn write_marker(dir: &Path) -> Result<(), DataDirError> {
    let marker = Marker { format: FORMAT, version: env!("CARGO_PKG_VERSION").to_owned() };
    let mut json = serde_json::to_vec(&marker).expect("numbers and text are JSON");
    json.push(b'\n');
    write_whole(dir, MARKER, &json)
}

/// Writes a temporary file, syncs and renames it: after a crash there is the whole file or none.
///
/// # Errors
/// [`DataDirError::Unwritable`].
pub fn write_whole(dir: &Path, name: &str, contents: &[u8]) -> Result<(), DataDirError> {
    let temporary = dir.join(format!("{name}.new"));
    let write = || {
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
        file.write_all(contents)?;
        file.sync_all()?;
        fs::rename(&temporary, dir.join(name))?;
        File::open(dir)?.sync_all()
    };
    write().map_err(|source| DataDirError::Unwritable { path: dir.to_owned(), source })
}

fn refuse_foreign(path: &Path) -> Result<(), DataDirError> {
    let entries = fs::read_dir(path)
        .map_err(|source| DataDirError::Read { path: path.to_owned(), source })?;
    for entry in entries {
        let entry = entry.map_err(|source| DataDirError::Read { path: path.to_owned(), source })?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // The file that a crash between writing the marker and renaming it leaves.
        let is_ours = name.strip_suffix(".new") == Some(MARKER);
        if !is_ours && !HARMLESS.contains(&name.as_str()) {
            return Err(DataDirError::Foreign { path: path.to_owned(), example: name });
        }
    }
    Ok(())
}

fn lock(dir: &Path) -> Result<Flock<File>, DataDirError> {
    let unwritable = |source| DataDirError::Unwritable { path: dir.to_owned(), source };
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(dir.join(LOCK)).map_err(unwritable)?;
    let mut locked = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(locked) => locked,
        Err((mut file, Errno::EWOULDBLOCK)) => {
            let mut pid = String::new();
            // Without the number the message is still true.
            let pid = file.read_to_string(&mut pid).ok().and_then(|_| pid.trim().parse().ok());
            return Err(DataDirError::InUse { path: dir.to_owned(), pid });
        }
        Err((_, errno)) => return Err(unwritable(errno.into())),
    };
    let write_pid = |file: &mut File| {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", std::process::id())
    };
    write_pid(&mut locked).map_err(unwritable)?;
    Ok(locked)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::{DataDir, MARKER};

    fn refusal(path: &Path) -> String {
        let text = DataDir::open(path).unwrap_err().to_string();
        text.replace(path.to_str().unwrap(), "DIR")
    }

    #[test]
    fn missing_directory_is_made_for_the_owner_alone() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a/b");
        let dir = DataDir::open(&path).unwrap();
        assert!(dir.is_new() && !dir.is_open_to_others());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        drop(dir);
        assert!(!DataDir::open(&path).unwrap().is_new());
    }

    #[test]
    fn foreign_directory_is_refused_and_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("thesis.tex"), "x").unwrap();
        assert_eq!(
            refusal(temp.path()),
            "the data directory DIR holds other files (thesis.tex) and no saker.json: it is not \
             Saker's; choose an empty directory by --data"
        );
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_marker_whose_bits_turned_over_is_refused_by_its_name_or_means_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("data");
        drop(DataDir::open(&path).unwrap());
        let whole = fs::read(path.join(MARKER)).unwrap();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                fs::write(path.join(MARKER), &damaged).unwrap();
                let what = format!("bit {bit} of byte {at}");
                match DataDir::open(&path) {
                    Ok(it) => assert!(!it.is_new(), "{what}"),
                    Err(error) => {
                        let text = error.to_string().replace(path.to_str().unwrap(), "DIR");
                        let is_named = text.starts_with("DIR/saker.json is damaged: ")
                            || text.starts_with("the data directory DIR was written by saker ");
                        assert!(is_named, "{what}: {text}");
                    }
                }
            }
        }
    }

    #[test]
    fn root_of_a_file_system_is_as_good_as_empty() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("lost+found")).unwrap();
        assert!(DataDir::open(temp.path()).unwrap().is_new());
    }

    #[test]
    fn second_process_is_refused_with_the_number_of_the_first() {
        let temp = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temp.path()).unwrap();
        let expected = format!(
            "the data directory DIR is in use by another saker (process {}); stop it or choose \
             another directory by --data",
            std::process::id()
        );
        assert_eq!(refusal(temp.path()), expected);
        drop(dir);
        DataDir::open(temp.path()).unwrap();
    }

    #[test]
    fn newer_and_damaged_markers_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(MARKER), r#"{"format":2,"version":"9.1.0"}"#).unwrap();
        assert_eq!(
            refusal(temp.path()),
            "the data directory DIR was written by saker 9.1.0 in format 2; this one knows format \
             1: use a newer saker"
        );
        fs::write(temp.path().join(MARKER), "{").unwrap();
        assert!(refusal(temp.path()).starts_with("DIR/saker.json is damaged: "));
    }

    #[test]
    fn unwritable_places_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(refusal(&file), "the data directory DIR is not a directory");
        let below = refusal(&file.join("below"));
        assert!(below.starts_with("cannot read DIR: Not a directory"), "{below}");
        // Nobody may write into /proc, root neither; and it is foreign.
        let proc = refusal(Path::new("/proc/self"));
        assert!(proc.contains("it is not Saker's"), "{proc}");
        let below = refusal(Path::new("/proc/self/saker"));
        assert!(below.starts_with("cannot create the data directory DIR: "), "{below}");
    }

    #[test]
    fn private_files_are_for_the_owner_alone() {
        let temp = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temp.path()).unwrap();
        let path = dir.write_private("admin-password", b"x\n").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read(path).unwrap(), b"x\n");
    }
}
