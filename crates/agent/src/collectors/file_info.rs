//! Properties of a file from its directory entry, without opening it.

use std::fs::Metadata;
use std::io;
use std::os::linux::fs::MetadataExt as _;

use nix::unistd::{Gid, Group, Uid, User};

use super::file_content;
use super::key::{Ask, Key};
use crate::file_kind::Kinds;
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::root::os_text;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("vfs.file.exists", 3, exists),
    Key::may_block("vfs.file.size", 2, size),
    Key::may_block("vfs.file.time", 2, time),
    Key::may_block("vfs.file.owner", 3, owner),
    Key::may_block("vfs.file.permissions", 1, permissions),
];

fn metadata(ask: &Ask<'_>) -> Result<Metadata, Refusal> {
    ask.root.metadata(ask.params.get(0)).map_err(|source| no_information(&source))
}

fn no_information(source: &io::Error) -> Refusal {
    Refusal::from(format!("Cannot obtain file information: {}", os_text(source)))
}

fn exists(ask: &Ask<'_>) -> Outcome {
    let path = ask.params.required(0)?;
    let excluded = Kinds::parse(ask.params.get(2), Kinds::NONE)?;
    // Only excluded kinds are given: every other kind is included.
    let default = if excluded == Kinds::NONE { Kinds::default() } else { Kinds::ALL };
    let included = Kinds::parse(ask.params.get(1), default)?;
    let entry = match ask.root.symlink_metadata(path) {
        Ok(entry) => entry,
        Err(source) if is_absent(&source) => return Ok(false.into()),
        Err(source) => return Err(no_information(&source)),
    };
    let target = ask.root.metadata(path).ok();
    let kinds = Kinds::of_path(&entry, target.as_ref());
    Ok((kinds.meets(included) && !kinds.meets(excluded)).into())
}

fn is_absent(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn size(ask: &Ask<'_>) -> Outcome {
    ask.params.required(0)?;
    match ask.params.get_or(1, "bytes") {
        "bytes" => Ok(metadata(ask)?.len().into()),
        "lines" => file_content::count_lines(ask),
        _ => Err(invalid(1)),
    }
}

fn time(ask: &Ask<'_>) -> Outcome {
    ask.params.required(0)?;
    let mode = ask.params.get_or(1, "modify");
    if !matches!(mode, "modify" | "access" | "change") {
        return Err(invalid(1));
    }
    let metadata = metadata(ask)?;
    let seconds = match mode {
        "access" => metadata.st_atime(),
        "change" => metadata.st_ctime(),
        _ => metadata.st_mtime(),
    };
    let seconds = u64::try_from(seconds);
    seconds.map(Into::into).map_err(|_before_1970| Refusal::from("Cannot obtain file time."))
}

fn owner(ask: &Ask<'_>) -> Outcome {
    ask.params.required(0)?;
    let (kind, form) = (ask.params.get_or(1, "user"), ask.params.get_or(2, "name"));
    if !matches!(kind, "user" | "group") {
        return Err(invalid(1));
    }
    if !matches!(form, "name" | "id") {
        return Err(invalid(2));
    }
    let metadata = metadata(ask)?;
    let id = if kind == "user" { metadata.st_uid() } else { metadata.st_gid() };
    let name = match (form, kind) {
        ("id", _) => None,
        (_, "user") => User::from_uid(Uid::from_raw(id)).ok().flatten().map(|it| it.name),
        _ => Group::from_gid(Gid::from_raw(id)).ok().flatten().map(|it| it.name),
    };
    // An owner without a name in the user database is shown by number.
    Ok(name.unwrap_or_else(|| id.to_string()).into())
}

fn permissions(ask: &Ask<'_>) -> Outcome {
    ask.params.required(0)?;
    Ok(format!("{:04o}", metadata(ask)?.st_mode() & 0o7777).into())
}
