//! The content of a file: the whole text, or lines chosen by a regular expression.
//!
//! Bounds: 16 MiB for the whole text (Zabbix's limit, and the largest value of an item), 256 MiB to
//! search through, 64 kB a line. Only regular files are read, so that no device or pipe can send
//! data without end.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};

use formats::regexp::Groups;

use super::key::{Ask, Key};
use crate::encoding::Encoding;
use crate::outcome::{Outcome, Refusal, Value};
use crate::params::invalid;
use crate::regex;
use crate::root::os_text;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("vfs.file.contents", 2, contents),
    Key::may_block("vfs.file.regexp", 6, regexp),
    Key::may_block("vfs.file.regmatch", 5, regmatch),
];

const CONTENTS_BYTES_MAX: u64 = 16 << 20;
/// A text is read, and its memory taken, in steps of this size.
const STEP_BYTES: u64 = 64 << 10;
/// Some 0.3 s of reading from the page cache.
pub(super) const SEARCHED_BYTES_MAX: u64 = 256 << 20;
const LINE_BYTES_MAX: u64 = 64 << 10;

pub(super) fn too_large() -> Refusal {
    Refusal::from("File is too large for this check.")
}

/// Opens the file named by the first parameter.
pub(super) fn open(ask: &Ask<'_>, bytes_max: u64) -> Result<File, Refusal> {
    let cannot = |source| Refusal::from(format!("Cannot open file: {}", os_text(&source)));
    let file = ask.root.open(ask.params.required(0)?).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if !metadata.is_file() {
        return Err(Refusal::from("Cannot read from file."));
    }
    if metadata.len() > bytes_max {
        return Err(too_large());
    }
    Ok(file)
}

fn contents(ask: &Ask<'_>) -> Outcome {
    let encoding = Encoding::parse(ask.params.get(1))?;
    let mut file = open(ask, CONTENTS_BYTES_MAX)?;
    let mut bytes = Vec::new();
    // Files of /proc have length 0 until they are read.
    loop {
        ask.room.cover(bytes.len() as u64 + STEP_BYTES)?;
        let read = (&mut file).take(STEP_BYTES).read_to_end(&mut bytes);
        if read.map_err(|_source| Refusal::from("Cannot read from file."))? == 0 {
            break;
        }
        if bytes.len() as u64 > CONTENTS_BYTES_MAX {
            return Err(too_large());
        }
    }
    Ok(encoding.decode(&bytes).trim_end_matches(['\r', '\n']).into())
}

/// The caller's decision after a line.
enum Next {
    Continue,
    Stop,
}

/// Calls `look` with number (from 1) and text of each line, without its end.
fn each_line(
    file: File,
    encoding: Encoding,
    mut look: impl FnMut(u64, &str) -> Next,
) -> Result<(), Refusal> {
    let mut reader = BufReader::with_capacity(64 << 10, file.take(SEARCHED_BYTES_MAX));
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = encoding.read_line(&mut (&mut reader).take(LINE_BYTES_MAX), &mut line);
        read.map_err(|_source| Refusal::from("Cannot read from file."))?;
        if line.is_empty() {
            break;
        }
        let text = encoding.decode(&line);
        if matches!(look(number, text.trim_end_matches(['\r', '\n'])), Next::Stop) {
            break;
        }
    }
    Ok(())
}

/// The first and the last line to search; by default 0 and the largest number.
fn line_range(ask: &Ask<'_>, refusal: &'static str) -> Result<(u64, u64), Refusal> {
    let number = |idx, default| match ask.params.get(idx) {
        "" => Ok(default),
        text => text.parse::<u32>().map(u64::from).map_err(|_source| invalid(idx)),
    };
    let (first, last) = (number(3, 0)?, number(4, u64::MAX)?);
    if first > last {
        return Err(Refusal::from(refusal));
    }
    Ok((first, last))
}

fn regexp(ask: &Ask<'_>) -> Outcome {
    ask.params.required(0)?;
    ask.params.required(1)?;
    let encoding = Encoding::parse(ask.params.get(2))?;
    let (first, last) = line_range(ask, "Start line parameter must not exceed end line.")?;
    let pattern = regex::compile(&ask.params, 1)?;
    let template = ask.params.get(5);
    let mut found = None;
    each_line(open(ask, SEARCHED_BYTES_MAX)?, encoding, |number, line| {
        if number < first {
            return Next::Continue;
        }
        if let Ok(Some(groups)) = pattern.groups(line) {
            found = Some(match template {
                "" => line.to_owned(),
                _ => fill(template, &groups),
            });
        }
        if found.is_some() || number >= last { Next::Stop } else { Next::Continue }
    })?;
    Ok(Value::Text(found.unwrap_or_default()))
}

/// Replaces `\0` to `\9` by groups; other text stays as it is.
pub(super) fn fill(template: &str, groups: &Groups<'_>) -> String {
    let mut text = String::new();
    let mut chars = template.chars().peekable();
    while let Some(char) = chars.next() {
        let digit = match char {
            '\\' => chars.peek().and_then(|it| it.to_digit(10)),
            _ => None,
        };
        let Some(digit) = digit else {
            text.push(char);
            continue;
        };
        chars.next();
        text.push_str(groups.get(digit as usize));
    }
    text
}

fn regmatch(ask: &Ask<'_>) -> Outcome {
    ask.params.required(0)?;
    ask.params.required(1)?;
    let encoding = Encoding::parse(ask.params.get(2))?;
    let (first, last) = line_range(ask, "Start line must not exceed end line.")?;
    let pattern = regex::compile(&ask.params, 1)?;
    let mut found = false;
    each_line(open(ask, SEARCHED_BYTES_MAX)?, encoding, |number, line| {
        found = number >= first && regex::is_match(&pattern, line);
        if found || number >= last { Next::Stop } else { Next::Continue }
    })?;
    Ok(found.into())
}

/// A last line without an end counts too.
pub(super) fn count_lines(ask: &Ask<'_>) -> Outcome {
    if ask.root.metadata(ask.params.get(0)).is_ok_and(|it| it.is_dir()) {
        return Err(Refusal::from("Cannot read from file: [21] Is a directory"));
    }
    let file = open(ask, SEARCHED_BYTES_MAX)?;
    let mut reader = BufReader::with_capacity(64 << 10, file.take(SEARCHED_BYTES_MAX));
    let (mut n_lines, mut last) = (0_u64, b'\n');
    loop {
        let bytes = reader.fill_buf().map_err(|source| {
            Refusal::from(format!("Cannot read from file: {}", os_text(&source)))
        })?;
        let Some(newest) = bytes.last() else { break };
        last = *newest;
        n_lines += bytes.iter().filter(|it| **it == b'\n').count() as u64;
        let n_bytes = bytes.len();
        reader.consume(n_bytes);
    }
    Ok((n_lines + u64::from(last != b'\n')).into())
}
