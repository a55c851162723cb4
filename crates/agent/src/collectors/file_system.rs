//! Mounted file systems: discovery, space, inodes.
//!
//! Discovery reads only the list of mounts, so that a dead network file system cannot stop it. All
//! other keys ask the file system itself and may hang with it.

use nix::sys::statvfs::{Statvfs, statvfs};
use serde::Serialize;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal, json};
use crate::params::invalid;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("vfs.fs.size", 2, size),
    Key::may_block("vfs.fs.inode", 2, inode),
    Key::may_block("vfs.fs.get", 0, get),
    Key::small("vfs.fs.discovery", 0, discover),
];

fn size(ask: &Ask<'_>) -> Outcome {
    if ask.params.get(0).is_empty() {
        return Err(Refusal::from("Filesystem name cannot be empty."));
    }
    Amount::of_space(&ask_file_system(ask)?).mode(ask.params.get_or(1, "total"))
}

fn inode(ask: &Ask<'_>) -> Outcome {
    ask.params.required(0)?;
    Amount::of_inodes(&ask_file_system(ask)?).mode(ask.params.get_or(1, "total"))
}

fn ask_file_system(ask: &Ask<'_>) -> Result<Statvfs, Refusal> {
    statvfs(&ask.root.path(ask.params.get(0))).map_err(|code| {
        Refusal::from(format!(
            "Cannot obtain filesystem information: [{}] {}",
            code as i32,
            code.desc()
        ))
    })
}

/// Space in bytes or a number of inodes.
#[derive(Debug, Clone, Copy)]
struct Amount {
    total: u64,
    /// For ordinary users; space reserved for root is neither free nor used.
    free: u64,
    used: u64,
    free_percent: f64,
    used_percent: f64,
}

impl Amount {
    fn of_space(stat: &Statvfs) -> Self {
        let unit = stat.fragment_size();
        let used = stat.blocks().saturating_sub(stat.blocks_free());
        let free_percent = share(stat.blocks_available(), used);
        Self {
            total: stat.blocks().saturating_mul(unit),
            free: stat.blocks_available().saturating_mul(unit),
            used: used.saturating_mul(unit),
            // Pseudo file systems have no space: neither free nor used.
            free_percent: free_percent.unwrap_or(0.0),
            used_percent: free_percent.map_or(0.0, |it| 100.0 - it),
        }
    }

    fn of_inodes(stat: &Statvfs) -> Self {
        let used = stat.files().saturating_sub(stat.files_free());
        // File systems that make inodes as needed count none: they can't run out of them.
        let free_percent = share(stat.files_available(), used).unwrap_or(100.0);
        Self {
            total: stat.files(),
            free: stat.files_available(),
            used,
            free_percent,
            used_percent: 100.0 - free_percent,
        }
    }

    fn mode(self, mode: &str) -> Outcome {
        match mode {
            "total" => Ok(self.total.into()),
            "free" => Ok(self.free.into()),
            "used" => Ok(self.used.into()),
            "pfree" => Ok(self.free_percent.into()),
            "pused" => Ok(self.used_percent.into()),
            _ => Err(invalid(1)),
        }
    }

    fn figures(self) -> Figures {
        Figures {
            total: self.total,
            free: self.free,
            used: self.used,
            pfree: rounded(self.free_percent),
            pused: rounded(self.used_percent),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a percentage needs no 16th digit")]
fn share(free: u64, used: u64) -> Option<f64> {
    match free.saturating_add(used) {
        0 => None,
        both => Some(free as f64 / both as f64 * 100.0),
    }
}

/// Six decimals, like single values.
fn rounded(percent: f64) -> f64 {
    (percent * 1e6).round() / 1e6
}

/// One line of /proc/mounts, named as low-level discovery shows it.
#[derive(Debug, Serialize)]
struct Mount {
    #[serde(rename = "{#FSNAME}")]
    folder: String,
    #[serde(rename = "{#FSTYPE}")]
    kind: String,
    #[serde(rename = "{#FSOPTIONS}")]
    options: String,
}

/// One element of `vfs.fs.get`, in Zabbix's names.
#[derive(Debug, Serialize)]
struct FileSystem {
    fsname: String,
    fstype: String,
    bytes: Figures,
    inodes: Figures,
    options: String,
}

#[derive(Debug, Serialize)]
struct Figures {
    total: u64,
    free: u64,
    used: u64,
    pfree: f64,
    pused: f64,
}

fn mounts(ask: &Ask<'_>) -> Result<Vec<Mount>, Refusal> {
    let text = ask.root.read_or_refuse("/proc/mounts")?;
    let mounts = text.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (folder, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Mount { folder: unescape(folder), kind: kind.to_owned(), options: options.to_owned() })
    });
    Ok(mounts.collect())
}

/// The kernel writes space, tab, newline, backslash and `#` as three octal digits.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let octal = tail
            .get(..3)
            .filter(|it| *first == b'\\' && it.iter().all(|it| matches!(it, b'0'..=b'7')));
        let code = octal.and_then(|it| std::str::from_utf8(it).ok());
        match code.and_then(|it| u8::from_str_radix(it, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn discover(ask: &Ask<'_>) -> Outcome {
    json(&mounts(ask)?)
}

fn get(ask: &Ask<'_>) -> Outcome {
    let mut rows = Vec::new();
    for mount in mounts(ask)? {
        // A mount that may not be read, or that has disappeared, has no figures.
        let Ok(stat) = statvfs(&ask.root.path(&mount.folder)) else { continue };
        rows.push(FileSystem {
            fsname: mount.folder,
            fstype: mount.kind,
            bytes: Amount::of_space(&stat).figures(),
            inodes: Amount::of_inodes(&stat).figures(),
            options: mount.options,
        });
    }
    json(&rows)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn folders_with_spaces_are_read_as_they_are() {
        assert_eq!(unescape(r"/mnt/my\040disk"), "/mnt/my disk");
        assert_eq!(unescape(r"/a\134b\"), r"/a\b\");
        assert_eq!(unescape(r"/a\09"), r"/a\09");
        assert_eq!(unescape(r"/\777"), r"/\777");
    }
}
