//! Everything that a directory entry says about a file, as JSON: one file, or those below a folder.

use std::fs::{self, Metadata};
use std::os::linux::fs::MetadataExt as _;
use std::path::Path;

use nix::unistd::{Gid, Group, Uid, User};
use serde::Serialize;

use super::directory;
use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal, json};
use crate::root::os_text;

pub(crate) const KEYS: &[Key] =
    &[Key::may_block("vfs.file.get", 1, file), Key::may_block("vfs.dir.get", 11, folder)];

/// In Zabbix's names and order.
#[derive(Debug, Serialize)]
struct Details {
    basename: String,
    pathname: String,
    dirname: String,
    #[serde(rename = "type")]
    kind: &'static str,
    user: String,
    group: String,
    permissions: String,
    uid: u32,
    gid: u32,
    size: u64,
    time: Times<String>,
    timestamp: Times<i64>,
}

#[derive(Debug, Serialize)]
struct Times<T> {
    access: T,
    modify: T,
    change: T,
}

impl Details {
    fn new(ask: &Ask<'_>, path: &Path, metadata: &Metadata) -> Self {
        let text = |it: Option<&std::ffi::OsStr>| {
            it.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
        };
        // As seen from inside the root.
        let own = ask.root.inside(path);
        let seconds = Times {
            access: metadata.st_atime(),
            modify: metadata.st_mtime(),
            change: metadata.st_ctime(),
        };
        let (uid, gid) = (metadata.st_uid(), metadata.st_gid());
        let user = User::from_uid(Uid::from_raw(uid)).ok().flatten().map(|it| it.name);
        let group = Group::from_gid(Gid::from_raw(gid)).ok().flatten().map(|it| it.name);
        let shown = |at: i64| shown(ask, at);
        Self {
            basename: text(own.file_name()),
            pathname: own.to_string_lossy().into_owned(),
            dirname: text(own.parent().map(Path::as_os_str)),
            kind: kind(metadata),
            user: user.unwrap_or_else(|| uid.to_string()),
            group: group.unwrap_or_else(|| gid.to_string()),
            permissions: format!("{:04o}", metadata.st_mode() & 0o7777),
            uid,
            gid,
            size: metadata.len(),
            time: Times {
                access: shown(seconds.access),
                modify: shown(seconds.modify),
                change: shown(seconds.change),
            },
            timestamp: seconds,
        }
    }
}

fn kind(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = metadata.file_type();
    match () {
        () if kind.is_symlink() => "sym",
        () if kind.is_file() => "file",
        () if kind.is_dir() => "dir",
        () if kind.is_socket() => "sock",
        () if kind.is_block_device() => "bdev",
        () if kind.is_char_device() => "cdev",
        () => "fifo",
    }
}

fn shown(ask: &Ask<'_>, seconds: i64) -> String {
    let Ok(at) = jiff::Timestamp::from_second(seconds) else { return String::new() };
    at.to_zoned(ask.settings.time_zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%z").to_string()
}

fn file(ask: &Ask<'_>) -> Outcome {
    let path = ask.params.required(0)?;
    let metadata = ask.root.symlink_metadata(path).map_err(|source| {
        Refusal::from(format!("Cannot obtain file information: {}", os_text(&source)))
    })?;
    json(&Details::new(ask, &ask.root.path(path), &metadata))
}

fn folder(ask: &Ask<'_>) -> Outcome {
    let mut rows = Vec::new();
    directory::each_chosen(ask, |path| {
        // An entry that disappears meanwhile is left out.
        if let Ok(metadata) = fs::symlink_metadata(path) {
            rows.push(Details::new(ask, path, &metadata));
        }
        rows.len() <= ROWS_MAX
    })?;
    if rows.len() > ROWS_MAX {
        return Err(Refusal::from("Directory is too large for this check."));
    }
    json(&rows)
}

/// Some 40 MB of text.
const ROWS_MAX: usize = 100_000;
