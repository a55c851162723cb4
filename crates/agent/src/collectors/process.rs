//! Processes: how many, and how much memory they have. Walks all of /proc on each request.
//!
//! A name is the kernel's (at most 15 bytes) or that of the program in the command line.

use std::os::linux::fs::MetadataExt as _;

use nix::unistd::User;
use pcre2::bytes::Regex;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::regex;
use crate::root::{Root, os_text};

pub(crate) const KEYS: &[Key] =
    &[Key::may_block("proc.num", 4, number), Key::may_block("proc.mem", 5, memory)];

/// Which processes are meant.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    name: String,
    /// `Some(None)`: a user who does not exist, so no process fits.
    user: Option<Option<u32>>,
    cmdline: Option<Regex>,
}

impl Filter {
    /// `cmdline_idx` is the parameter with the pattern of command lines; name and user come first.
    pub(super) fn new(ask: &Ask<'_>, cmdline_idx: usize) -> Result<Self, Refusal> {
        let user = match ask.params.get(1) {
            "" => None,
            name => Some(user_id(name)?),
        };
        let cmdline = regex::compile_optional(&ask.params, cmdline_idx)?;
        Ok(Self { name: ask.params.get(0).to_owned(), user, cmdline })
    }

    pub(super) fn fits(&self, process: &Process<'_>) -> bool {
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

pub(super) struct Process<'a> {
    pub(super) root: &'a Root,
    pub(super) pid: &'a str,
    /// The text of its `status` file.
    pub(super) status: String,
}

impl Process<'_> {
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        let line = self.status.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(':'));
        line.map(str::trim)
    }

    /// Bytes of a field of the `Vm` family; absent for threads of the kernel.
    pub(super) fn bytes(&self, name: &str) -> Option<u64> {
        let kib = self.field(name)?.split(' ').next()?.parse::<u64>().ok()?;
        kib.checked_mul(1024)
    }

    /// Command line with spaces between its parts.
    pub(super) fn cmdline(&self) -> String {
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

    pub(super) fn user(&self) -> Option<u32> {
        Some(self.root.metadata(&format!("/proc/{}", self.pid)).ok()?.st_uid())
    }

    fn is_in(&self, state: ProcessState) -> bool {
        let letter = self.field("State").and_then(|it| it.chars().next());
        letter.is_some_and(|it| state.letters().contains(it))
    }
}

#[derive(Debug, Clone, Copy)]
enum ProcessState {
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

/// Calls `look` for every process that fits. One that ends while we look is passed over.
pub(super) fn each(
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

fn number(ask: &Ask<'_>) -> Outcome {
    let state = match ask.params.get_or(2, "all") {
        "all" => None,
        "run" => Some(ProcessState::Run),
        "sleep" => Some(ProcessState::Sleep),
        "zomb" => Some(ProcessState::Zombie),
        "disk" => Some(ProcessState::Disk),
        "trace" => Some(ProcessState::Trace),
        _ => return Err(invalid(2)),
    };
    let filter = Filter::new(ask, 3)?;
    let mut n_found = 0_u64;
    each(ask.root, &filter, |process| {
        n_found += u64::from(state.is_none_or(|it| process.is_in(it)));
    })?;
    Ok(n_found.into())
}

/// Parameter and the fields of `status` that it adds up.
const KINDS: [(&str, &[&str]); 14] = [
    ("vsize", &["VmSize"]),
    ("rss", &["VmRSS"]),
    ("pmem", &["VmRSS"]),
    ("size", &["VmData", "VmStk", "VmExe"]),
    ("data", &["VmData"]),
    ("exe", &["VmExe"]),
    ("hwm", &["VmHWM"]),
    ("lck", &["VmLck"]),
    ("lib", &["VmLib"]),
    ("peak", &["VmPeak"]),
    ("pin", &["VmPin"]),
    ("pte", &["VmPTE"]),
    ("stk", &["VmStk"]),
    ("swap", &["VmSwap"]),
];

#[expect(clippy::cast_precision_loss, reason = "an average needs no 16th digit")]
fn memory(ask: &Ask<'_>) -> Outcome {
    let mode = ask.params.get_or(2, "sum");
    if !matches!(mode, "sum" | "avg" | "min" | "max") {
        return Err(invalid(2));
    }
    let kind = ask.params.get_or(4, "vsize");
    let fields = KINDS.iter().find(|it| it.0 == kind).ok_or_else(|| invalid(4))?.1;
    let filter = Filter::new(ask, 3)?;

    let mut sizes = Vec::new();
    each(ask.root, &filter, |process| {
        let bytes: Option<u64> = fields.iter().map(|it| process.bytes(it)).sum();
        sizes.extend(bytes);
    })?;
    let sum: u64 = sizes.iter().sum();
    let whole = match mode {
        "avg" => None,
        "min" => Some(sizes.iter().copied().min().unwrap_or(0)),
        "max" => Some(sizes.iter().copied().max().unwrap_or(0)),
        _ => Some(sum),
    };
    let average = || if sizes.is_empty() { 0.0 } else { sum as f64 / sizes.len() as f64 };
    match (kind, whole) {
        ("pmem", part) => {
            let part = part.map_or_else(average, |it| it as f64);
            let total = super::memory::total(ask.root)?;
            if total == 0 {
                return Err(Refusal::from("Invalid total count."));
            }
            Ok((part / total as f64 * 100.0).into())
        }
        (_, Some(bytes)) => Ok(bytes.into()),
        (_, None) => Ok(average().into()),
    }
}
