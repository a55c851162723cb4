//! The parameters of a log item's key.

use std::fs;
use std::path::{Path, PathBuf};

use formats::regexp::Regexp;
use lang::global_regexp::{PatternError, TextPattern, name_of};
use model::content::GlobalRegexp;
use model::key::ItemKey;
use wire::charset::Charset;

use super::files::{Found, Rotation};
use super::position::cannot;

/// Largest `maxlines` of an item, and of one that counts.
const LINES_MAX: u64 = 1_000;
const COUNTED_LINES_MAX: u64 = 10_000;

#[derive(Debug)]
pub(super) struct Params {
    /// A file, or a directory.
    path: PathBuf,
    /// The pattern of names in it; `None`: the path is the file.
    names: Option<Regexp>,
    /// `None`: every line.
    pattern: Option<TextPattern>,
    /// The template for the output of the pattern.
    output: String,
    pub(super) charset: Charset,
    pub(super) lines_per_second: Option<u64>,
    pub(super) skips_old: bool,
    pub(super) counts: bool,
    /// 0: lines are never skipped.
    pub(super) delay_max_s: f64,
    pub(super) rotation: Rotation,
    /// Whether a file of the same size but another time is a new one.
    pub(super) rereads: bool,
    pub(super) persistent_dir: Option<String>,
}

/// Why there are no files, for the user.
#[derive(Debug)]
pub(super) enum NotFound {
    /// They may be created later.
    NoFile(String),
    /// It is unknown whether there are any.
    Wrong(String),
}

const ORDINALS: [&str; 9] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];

fn invalid(idx: usize) -> String {
    format!("Invalid {} parameter.", ORDINALS[idx])
}

impl Params {
    pub(super) fn parse(key: &ItemKey, known: &[GlobalRegexp]) -> Result<Self, String> {
        let (is_many, counts) = match key.name.as_str() {
            "log" => (false, false),
            "log.count" => (false, true),
            "logrt" => (true, false),
            "logrt.count" => (true, true),
            _ => return Err("Unsupported item key.".to_owned()),
        };
        // Only items that send lines have a template for them.
        let rest = if counts { 5 } else { 6 };
        if key.params.len() > rest + 3 {
            return Err("Too many parameters.".to_owned());
        }
        let charset = key.param(2);
        let charset = Charset::named(charset)
            .ok_or_else(|| format!("Unsupported encoding \"{charset}\"."))?;
        let lines_max = if counts { COUNTED_LINES_MAX } else { LINES_MAX };
        let lines_per_second = match key.param(3) {
            "" => None,
            text => {
                let number = text.parse().ok().filter(|it| (1..=lines_max).contains(it));
                Some(number.ok_or_else(|| invalid(3))?)
            }
        };
        let skips_old = match key.param(4) {
            "" | "all" => false,
            "skip" => true,
            _ => return Err(invalid(4)),
        };
        let delay_max_s = match key.param(rest) {
            "" => 0.0,
            text => {
                text.parse::<f64>().ok().filter(|it| 0.0 <= *it).ok_or_else(|| invalid(rest))?
            }
        };
        let (rotation, rereads) = match (key.param(rest + 1), is_many) {
            ("" | "mtime-reread", _) | ("rotate", true) => (Rotation::Rename, true),
            ("mtime-noreread", _) => (Rotation::Rename, false),
            ("copytruncate", true) => (Rotation::CopyTruncate, true),
            _ => return Err(invalid(rest + 1)),
        };
        if rotation == Rotation::CopyTruncate && delay_max_s > 0.0 {
            return Err("maxdelay > 0 is not supported with copytruncate option.".to_owned());
        }
        let persistent_dir = Some(key.param(rest + 2)).filter(|it| !it.is_empty());
        if persistent_dir.is_some_and(|it| !it.starts_with('/')) {
            return Err(invalid(rest + 2));
        }
        let (path, names) = path_of(key.param(0), is_many)?;
        Ok(Self {
            path,
            names,
            pattern: pattern_of(key.param(1), known)?,
            output: if counts { String::new() } else { key.param(5).to_owned() },
            charset,
            lines_per_second,
            skips_old,
            counts,
            delay_max_s,
            rotation,
            rereads,
            persistent_dir: persistent_dir.map(str::to_owned),
        })
    }

    /// The value of a line; `None` if it does not match.
    pub(super) fn text_of(&self, line: &str) -> Option<String> {
        // A search that reaches its limit of steps has found nothing.
        match &self.pattern {
            None => Some(line.to_owned()),
            Some(TextPattern::One(regexp)) => regexp.extract(line, &self.output).ok().flatten(),
            Some(global) => global.is_match(line).unwrap_or(false).then(|| line.to_owned()),
        }
    }

    /// The files, in the order in which they were changed.
    pub(super) fn find(&self, files_max: usize) -> Result<Vec<Found>, NotFound> {
        let shown = self.path.display().to_string();
        let Some(names) = &self.names else {
            let metadata = fs::metadata(&self.path).map_err(|error| {
                NotFound::NoFile(cannot("obtain information for", &shown, &error))
            })?;
            if !metadata.is_file() {
                return Err(NotFound::Wrong(format!("\"{shown}\" is not a regular file.")));
            }
            return Ok(vec![Found::new(self.path.clone(), &metadata)]);
        };
        let entries = fs::read_dir(&self.path).map_err(|error| {
            let reason = cannot("open", &shown, &error);
            NotFound::Wrong(reason.replace("Cannot open file", "Cannot open directory"))
        })?;
        let mut files = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            if !names.is_match(&name.to_string_lossy()).unwrap_or(false) {
                continue;
            }
            // A file that disappears meanwhile is left out.
            let Ok(metadata) = fs::metadata(entry.path()) else { continue };
            if metadata.is_file() {
                files.push(Found::new(entry.path(), &metadata));
            }
            if files_max < files.len() {
                let reason = format!("More than {files_max} files match in \"{shown}\".");
                return Err(NotFound::Wrong(reason));
            }
        }
        if files.is_empty() {
            let pattern = names.pattern();
            let reason = format!("There are no files matching \"{pattern}\" in \"{shown}\".");
            return Err(NotFound::NoFile(reason));
        }
        // For files changed in the same second: `x.1` is older than `x`.
        files.sort_by(|a, b| a.mtime.cmp(&b.mtime).then_with(|| b.path.cmp(&a.path)));
        Ok(files)
    }
}

fn path_of(text: &str, is_many: bool) -> Result<(PathBuf, Option<Regexp>), String> {
    if text.is_empty() {
        return Err(invalid(0));
    }
    if !is_many {
        return Ok((PathBuf::from(text), None));
    }
    let (folder, pattern) = text.rsplit_once('/').ok_or_else(|| invalid(0))?;
    if pattern.is_empty() {
        return Err(invalid(0));
    }
    let names = Regexp::new(pattern)
        .map_err(|error| format!("Invalid regular expression in first parameter: {error}"))?;
    let folder = if folder.is_empty() { Path::new("/") } else { Path::new(folder) };
    Ok((folder.to_owned(), Some(names)))
}

fn pattern_of(text: &str, known: &[GlobalRegexp]) -> Result<Option<TextPattern>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    match TextPattern::new(text, known) {
        Ok(it) => Ok(Some(it)),
        Err(PatternError::Missing(name)) => {
            Err(format!("Global regular expression \"{name}\" does not exist."))
        }
        Err(PatternError::Invalid { error, .. }) if name_of(text).is_some() => {
            Err(format!("Invalid regular expression in \"{text}\": {error}"))
        }
        Err(PatternError::Invalid { error, .. }) => {
            Err(format!("Invalid regular expression in second parameter: {error}"))
        }
    }
}
