//! Counts and sums the entries below a folder. At most a million entries are read.

use std::fs::{self, Metadata};
use std::os::linux::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use formats::regexp::Regexp;

use super::key::{Ask, Key};
use crate::file_kind::Kinds;
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::regex;
use crate::root::os_text;

pub(crate) const KEYS: &[Key] =
    &[Key::may_block("vfs.dir.count", 11, count), Key::may_block("vfs.dir.size", 6, size)];

/// A few seconds' worth of directory entries on a local disk. With more, the item is not supported.
const ENTRIES_MAX: usize = 1_000_000;

struct Walk {
    folder: PathBuf,
    include: Option<Regexp>,
    exclude: Option<Regexp>,
    exclude_folders: Option<Regexp>,
    /// None: all levels.
    depth_max: Option<u32>,
}

impl Walk {
    /// `depth_idx` is the parameter with the depth, `folders_idx` the one with folders to leave out.
    fn new(ask: &Ask<'_>, depth_idx: usize, folders_idx: usize) -> Result<Self, Refusal> {
        let path = ask.params.required(0)?;
        let include = regex::compile_optional(&ask.params, 1)?;
        let exclude = regex::compile_optional(&ask.params, 2)?;
        let exclude_folders = regex::compile_optional(&ask.params, folders_idx)?;
        let depth_max = match ask.params.get_or(depth_idx, "-1") {
            "-1" => None,
            text => Some(text.parse().map_err(|_source| invalid(depth_idx))?),
        };
        let metadata = ask.root.metadata(path).map_err(|source| {
            Refusal::from(format!("Cannot obtain directory information: {}", os_text(&source)))
        })?;
        if !metadata.is_dir() {
            return Err(Refusal::from("First parameter is not a directory."));
        }
        let folder = ask.root.path(path);
        Ok(Self { folder, include, exclude, exclude_folders, depth_max })
    }

    fn name_fits(&self, name: &str) -> bool {
        self.include.as_ref().is_none_or(|it| regex::is_match(it, name))
            && !self.exclude.as_ref().is_some_and(|it| regex::is_match(it, name))
    }

    /// Calls `look` for every entry whose name fits. Links are inspected, never followed;
    /// unreadable entries are skipped, as Zabbix does.
    fn each(&self, mut look: impl FnMut(&Metadata, &dyn Fn() -> PathBuf)) -> Result<(), Refusal> {
        let mut folders = vec![(self.folder.clone(), 0)];
        let mut n_entries = 0;
        while let Some((folder, depth)) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                n_entries += 1;
                if n_entries > ENTRIES_MAX {
                    return Err(Refusal::from("Directory is too large for this check."));
                }
                let Ok(metadata) = entry.metadata() else { continue };
                let name = entry.file_name();
                let name = name.to_string_lossy();
                match self.entry(&metadata, &name, depth) {
                    Fate::Leave => continue,
                    Fate::Look => {}
                    Fate::LookAndDescend => folders.push((entry.path(), depth + 1)),
                }
                if self.name_fits(&name) {
                    look(&metadata, &|| entry.path());
                }
            }
        }
        Ok(())
    }

    fn entry(&self, metadata: &Metadata, name: &str, depth: u32) -> Fate {
        if !metadata.is_dir() {
            return Fate::Look;
        }
        if self.exclude_folders.as_ref().is_some_and(|it| regex::is_match(it, name)) {
            return Fate::Leave;
        }
        if self.depth_max.is_none_or(|it| depth < it) { Fate::LookAndDescend } else { Fate::Look }
    }
}

enum Fate {
    Leave,
    Look,
    LookAndDescend,
}

fn count(ask: &Ask<'_>) -> Outcome {
    let mut n_found = 0_u64;
    each_chosen(ask, |_path| {
        n_found += 1;
        true
    })?;
    Ok(n_found.into())
}

/// Calls `look` for each entry that the parameters of `vfs.dir.count` choose, until it returns
/// false.
pub(super) fn each_chosen(
    ask: &Ask<'_>,
    mut look: impl FnMut(&Path) -> bool,
) -> Result<(), Refusal> {
    let walk = Walk::new(ask, 5, 10)?;
    let included = Kinds::parse(ask.params.get(3), Kinds::ALL)?;
    let excluded = Kinds::parse(ask.params.get(4), Kinds::NONE)?;
    let bytes_min = limit(ask, 6, "minimum size", &SIZES)?;
    let bytes_max = limit(ask, 7, "maximum size", &SIZES)?;
    let age_min = limit(ask, 8, "minimum age", &TIMES)?;
    let age_max = limit(ask, 9, "maximum age", &TIMES)?;
    let now = ask.now.wall.clock();

    let mut goes_on = true;
    walk.each(|metadata, path| {
        let kind = Kinds::of(metadata.file_type());
        let age = u64::try_from(now.saturating_sub(metadata.st_mtime())).unwrap_or(0);
        let fits = kind.meets(included)
            && !kind.meets(excluded)
            && bytes_min.is_none_or(|it| metadata.len() >= it)
            && bytes_max.is_none_or(|it| metadata.len() <= it)
            && age_min.is_none_or(|it| age >= it)
            && age_max.is_none_or(|it| age <= it);
        if fits && goes_on {
            goes_on = look(&path());
        }
    })
}

fn size(ask: &Ask<'_>) -> Outcome {
    let mode = ask.params.get_or(3, "apparent");
    let bytes: fn(&Metadata) -> u64 = match mode {
        "apparent" => Metadata::len,
        // The kernel's block in this figure has 512 bytes, whatever the file system's is.
        "disk" => |it| it.st_blocks().saturating_mul(512),
        _ => return Err(invalid(3)),
    };
    let walk = Walk::new(ask, 4, 5)?;
    let mut total = 0_u64;
    let mut look = |metadata: &Metadata, _path: &dyn Fn() -> PathBuf| {
        // Other kinds have no size of their own on the disk.
        if metadata.is_dir() || metadata.is_file() || metadata.is_symlink() {
            total = total.saturating_add(bytes(metadata));
        }
    };
    // The folder itself counts, as for `du`, unless the parameters choose names.
    if walk.include.is_none()
        && let Ok(own) = fs::metadata(&walk.folder)
    {
        look(&own, &PathBuf::new);
    }
    walk.each(look)?;
    Ok(total.into())
}

type Units = [(char, u64)];
const SIZES: [(char, u64); 4] = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30), ('T', 1 << 40)];
const TIMES: [(char, u64); 5] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];

/// A number with a unit, or nothing.
fn limit(ask: &Ask<'_>, idx: usize, what: &str, units: &Units) -> Result<Option<u64>, Refusal> {
    let text = ask.params.get(idx);
    if text.is_empty() {
        return Ok(None);
    }
    let unit = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(*unit)?, *factor)));
    let (digits, factor) = unit.unwrap_or((text, 1));
    let number = digits.parse::<u64>().ok().and_then(|it| it.checked_mul(factor));
    number.map(Some).ok_or_else(|| Refusal::from(format!("Invalid {what} \"{text}\".")))
}
