//! The processes of /proc, and filters for them.
//!
//! A name is the kernel's (at most 15 bytes) or that of the program in the command line.

use std::os::linux::fs::MetadataExt as _;

use formats::regexp::Regexp;
use nix::unistd::User;

use crate::outcome::Refusal;
use crate::params::Params;
use crate::regex;
use crate::root::{Root, os_text};

/// A filter of processes.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    name: String,
    /// `Some(None)`: a user who does not exist, so no process matches.
    user: Option<Option<u32>>,
    cmdline: Option<Regexp>,
}

impl Filter {
    /// `cmdline_idx` is the parameter with the pattern of command lines; name and user come first.
    pub(crate) fn new(params: &Params<'_>, cmdline_idx: usize) -> Result<Self, Refusal> {
        let user = match params.get(1) {
            "" => None,
            name => Some(user_id(name)?),
        };
        let cmdline = regex::compile_optional(params, cmdline_idx)?;
        Ok(Self { name: params.get(0).to_owned(), user, cmdline })
    }

    pub(crate) fn fits(&self, process: &Process<'_>) -> bool {
        (self.name.is_empty() || process.is_named(&self.name))
            && self.user.is_none_or(|it| it.is_some() && it == process.user())
            && self.cmdline.as_ref().is_none_or(|it| regex::is_match(it, &process.cmdline()))
    }
}

fn user_id(name: &str) -> Result<Option<u32>, Refusal> {
    let user = User::from_name(name).map_err(|code| {
        Refusal::from(format!("Cannot obtain user information: [{}] {}", code as i32, code.desc()))
    })?;
    Ok(user.map(|it| it.uid.as_raw()))
}

/// A running process.
#[derive(Debug)]
pub(crate) struct Process<'a> {
    pub(crate) root: &'a Root,
    pub(crate) pid: &'a str,
    /// The text of its `status` file.
    pub(crate) status: String,
}

impl Process<'_> {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let line = self.status.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(':'));
        line.map(str::trim)
    }

    /// Bytes of a field of the `Vm` family; absent for threads of the kernel.
    pub(crate) fn bytes(&self, name: &str) -> Option<u64> {
        let kib = self.field(name)?.split(' ').next()?.parse::<u64>().ok()?;
        kib.checked_mul(1024)
    }

    /// Command line with spaces between its parts.
    pub(crate) fn cmdline(&self) -> String {
        let bytes =
            self.root.read_bytes(&format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.trim_end_matches('\0').replace('\0', " ")
    }

    fn is_named(&self, name: &str) -> bool {
        if self.field("Name") == Some(name) {
            return true;
        }
        let path = format!("/proc/{}/cmdline", self.pid);
        let bytes = self.root.read_bytes(&path).unwrap_or_default();
        let program = bytes.split(|it| *it == 0).next().unwrap_or_default();
        let file_name = program.rsplit(|it| *it == b'/').next().unwrap_or_default();
        file_name == name.as_bytes()
    }

    pub(crate) fn user(&self) -> Option<u32> {
        Some(self.root.metadata(&format!("/proc/{}", self.pid)).ok()?.st_uid())
    }

    pub(crate) fn is_in(&self, state: ProcessState) -> bool {
        let letter = self.field("State").and_then(|it| it.chars().next());
        letter.is_some_and(|it| state.letters().contains(it))
    }
}

/// The state of a process, in the words of `proc.num`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ProcessState {
    Run,
    Sleep,
    Zombie,
    Disk,
    Trace,
}

impl ProcessState {
    fn letters(self) -> &'static str {
        match self {
            Self::Run => "R",
            Self::Sleep => "S",
            Self::Zombie => "Z",
            Self::Disk => "D",
            // Stopped, and stopped by a debugger.
            Self::Trace => "Tt",
        }
    }
}

/// Calls `look` for every process that fits. A process that ends meanwhile is skipped.
pub(crate) fn each(
    root: &Root,
    filter: &Filter,
    mut look: impl FnMut(&Process<'_>),
) -> Result<(), Refusal> {
    let names = root
        .names("/proc")
        .map_err(|source| Refusal::from(format!("Cannot open /proc: {}", os_text(&source))))?;
    for pid in names.iter().filter(|it| it.bytes().all(|it| it.is_ascii_digit())) {
        let Ok(status) = root.read(&format!("/proc/{pid}/status")) else { continue };
        let process = Process { root, pid, status };
        if filter.fits(&process) {
            look(&process);
        }
    }
    Ok(())
}
