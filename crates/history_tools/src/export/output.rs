//! Where an export goes: standard output, or a file that gets its name when it is complete.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write};
use std::path::{Path, PathBuf};

const BUFFER_BYTES: usize = 1 << 18;

pub(super) struct Output {
    to: BufWriter<Target>,
    /// Of a file: its temporary and its final name. `None` once it has the final one.
    paths: Option<(PathBuf, PathBuf)>,
}

enum Target {
    Stdout(Stdout),
    File(File),
}

impl Output {
    /// # Errors
    /// The file can't be made.
    pub(super) fn open(path: Option<&Path>) -> io::Result<Self> {
        let Some(path) = path else {
            let to = BufWriter::with_capacity(BUFFER_BYTES, Target::Stdout(io::stdout()));
            return Ok(Self { to, paths: None });
        };
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut name = OsString::from(path);
        name.push(".partial");
        let partial = PathBuf::from(name);
        let file = File::create(&partial)?;
        let to = BufWriter::with_capacity(BUFFER_BYTES, Target::File(file));
        Ok(Self { to, paths: Some((partial, path.to_owned())) })
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self.to.get_ref(), Target::Stdout(stdout) if stdout.is_terminal())
    }

    /// All is written: a file is made durable and gets its name.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn commit(mut self) -> io::Result<()> {
        self.to.flush()?;
        if let (Target::File(file), Some((partial, path))) = (self.to.get_ref(), &self.paths) {
            file.sync_all()?;
            fs::rename(partial, path)?;
        }
        self.paths = None;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((partial, _)) = &self.paths {
            // Otherwise the name shows that the file is incomplete.
            drop(fs::remove_file(partial));
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::File(file) => file.flush(),
        }
    }
}
