//! YAML of exports: plain scalars are the texts that they are written as.
//!
//! Only null, as YAML 1.2 writes it, is something else: such a field counts as left out. The format
//! decides whether a field is a number or a code, not the look of the text, so `On`, `007`, `1e3`
//! and dates come as they stand.

use std::collections::BTreeMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError};
use serde_json::{Map as JsonMap, Value as Json};

use super::weight::{ENTRY_BYTES, FIELD_BYTES, LIST_BYTES, OBJECT_BYTES, Room, text_bytes};
use crate::error::ConfigError;

/// How many quoted texts of a file may go on in lines that are not indented: each costs a reading.
const MENDED_MAX: usize = 64;
/// Deepest nesting of lists and objects. Exports have some twenty levels; dropping a tree recurses
/// into each of them.
const DEPTH_MAX: usize = 64;
/// The key under which an object takes the fields of others that it does not have itself.
const MERGE: &str = "<<";
/// Room is asked for in steps of this size.
const ROOM_STEP_BYTES: u64 = 64 << 10;
/// Deeper than any block may be.
const INDENT: &str = "                                                                ";

/// Why there is no tree of a text.
#[derive(Debug)]
pub(super) enum YamlError {
    NoYaml(String),
    NoRoom(ConfigError),
}

/// Reads the document of a text. A second one is an error: it would not be read.
pub(super) fn parse(text: &str, room: Room<'_>) -> Result<Json, YamlError> {
    let mut mended = None;
    let mut has = 0;
    for _ in 0..MENDED_MAX {
        let read = mended.as_deref().unwrap_or(text);
        let mut reader = Reader::new(read, &mut *room);
        // The memory of a former reading is free again.
        reader.has = has;
        let found = reader.read();
        has = reader.asked.max(has);
        match found {
            Ok(found) => return Ok(found),
            Err(Failed::At(error, after)) if is_of_indent(&error) => {
                match indented(read, after, &error) {
                    Some(next) => mended = Some(next),
                    None => return Err(YamlError::NoYaml(error.to_string())),
                }
            }
            Err(Failed::At(error, _)) => return Err(YamlError::NoYaml(error.to_string())),
            Err(Failed::Because(what)) => return Err(YamlError::NoYaml(what.to_owned())),
            Err(Failed::NoRoom(error)) => return Err(YamlError::NoRoom(error)),
        }
    }
    let what = "too many quoted texts go on in lines that are not indented";
    Err(YamlError::NoYaml(what.to_owned()))
}

fn is_of_indent(error: &ScanError) -> bool {
    matches!(error.kind(), ErrorKind::InvalidQuotedScalarIndent)
}

/// The text with all lines indented in which the quoted text goes on that the reader stumbled at.
/// Blanks at the start of such lines mean nothing. `after`: where what was read before it ends.
fn indented(text: &str, after: usize, error: &ScanError) -> Option<String> {
    let at = error.marker().byte_offset()?;
    let open = opening_quote(text.get(after..at)?)? + after;
    let quote = *text.as_bytes().get(open)?;
    let end = closing_quote(text, open + 1, quote)?;
    let body = text.get(open..end)?.replace('\n', &format!("\n{INDENT}"));
    Some(format!("{}{body}{}", text.get(..open)?, text.get(end..)?))
}

/// The first quote that is not in a comment.
fn opening_quote(text: &str) -> Option<usize> {
    let mut is_comment = false;
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => is_comment = false,
            b'#' if before.is_ascii_whitespace() => is_comment = true,
            b'"' | b'\'' if !is_comment => return Some(at),
            _ => {}
        }
        before = byte;
    }
    None
}

fn closing_quote(text: &str, from: usize, quote: u8) -> Option<usize> {
    let mut bytes = text.bytes().enumerate().skip(from).peekable();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if quote == b'"' => {
                bytes.next();
            }
            // Twice is one of the text.
            b'\'' if byte == quote && bytes.peek().is_some_and(|it| it.1 == quote) => {
                bytes.next();
            }
            _ if byte == quote => return Some(at),
            _ => {}
        }
    }
    None
}

enum Failed {
    /// With where the last part that was read ends.
    At(ScanError, usize),
    Because(&'static str),
    NoRoom(ConfigError),
}

/// A list or an object whose end is not read yet.
enum Open {
    List(Vec<Json>),
    /// With the key whose value is next, and what it merges.
    Object(JsonMap<String, Json>, Option<String>, Vec<Json>),
}

struct Reader<'t, 'r> {
    text: &'t str,
    room: Room<'r>,
    /// Bytes of room that are there and not taken yet.
    has: u64,
    /// All that was asked for or was there.
    asked: u64,
    open: Vec<(Open, usize)>,
    anchors: BTreeMap<usize, (Json, usize)>,
    /// Bytes that aliases may still repeat: no more than the text has.
    left: usize,
    done: Option<Json>,
}

impl<'t, 'r> Reader<'t, 'r> {
    fn new(text: &'t str, room: Room<'r>) -> Self {
        let (open, anchors) = (Vec::new(), BTreeMap::new());
        Self { text, room, has: 0, asked: 0, open, anchors, left: text.len(), done: None }
    }

    /// Takes room for what comes into the tree.
    fn take(&mut self, bytes: u64) -> Result<(), Failed> {
        if self.has < bytes {
            let step = ROOM_STEP_BYTES.max(bytes);
            (self.room)(step).map_err(Failed::NoRoom)?;
            self.has += step;
            self.asked += step;
        }
        self.has -= bytes;
        Ok(())
    }

    fn read(&mut self) -> Result<Json, Failed> {
        let mut after = 0;
        for next in Parser::new_from_str(self.text) {
            let (event, span) = next.map_err(|error| Failed::At(error, after))?;
            after = span.byte_range().map_or(after, |it| it.end.max(after));
            match event {
                Event::Scalar(text, style, anchor, tag) => {
                    let is_text = style != ScalarStyle::Plain || tag.is_some();
                    let is_null = matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                    let is_key = matches!(self.open.last(), Some((Open::Object(_, None, _), _)));
                    self.take(text_bytes(text.len()))?;
                    let value = if is_null && !is_text && !is_key {
                        Json::Null
                    } else {
                        Json::String(text.into_owned())
                    };
                    self.put(value, anchor)?;
                }
                Event::SequenceStart(_, anchor, _) => {
                    self.enter(Open::List(Vec::new()), anchor)?;
                }
                Event::MappingStart(_, anchor, _) => {
                    self.enter(Open::Object(JsonMap::new(), None, Vec::new()), anchor)?;
                }
                Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                    Some((Open::List(list), anchor)) => self.put(Json::Array(list), anchor)?,
                    Some((Open::Object(fields, _, merged), anchor)) => {
                        self.put(Json::Object(with_merged(fields, merged)?), anchor)?;
                    }
                    None => return Err(Failed::Because("an end without a start")),
                },
                Event::Alias(anchor) => {
                    let (value, size) = self
                        .anchors
                        .get(&anchor)
                        .ok_or(Failed::Because("an alias names what it stands in"))?;
                    self.left = self
                        .left
                        .checked_sub(*size)
                        .ok_or(Failed::Because("aliases repeat more than the file has"))?;
                    let value = value.clone();
                    self.take(copy_bytes(&value))?;
                    self.put(value, 0)?;
                }
                Event::DocumentStart(..) if self.done.is_some() => {
                    return Err(Failed::Because("a file is one document"));
                }
                _ => {}
            }
        }
        Ok(self.done.take().unwrap_or(Json::Null))
    }

    fn enter(&mut self, open: Open, anchor: usize) -> Result<(), Failed> {
        if self.open.len() == DEPTH_MAX {
            return Err(Failed::Because("lists and objects are nested too deeply"));
        }
        self.take(if matches!(open, Open::Object(..)) { OBJECT_BYTES } else { LIST_BYTES })?;
        self.open.push((open, anchor));
        Ok(())
    }

    /// A value has been read whole: it goes where it stands.
    fn put(&mut self, value: Json, anchor: usize) -> Result<(), Failed> {
        self.take(match self.open.last() {
            Some((Open::Object(..), _)) => FIELD_BYTES,
            _ => ENTRY_BYTES,
        })?;
        if anchor != 0 {
            let size = size_of(&value);
            self.take(copy_bytes(&value))?;
            // Anchored values count as well.
            self.left = self
                .left
                .checked_sub(size)
                .ok_or(Failed::Because("anchors keep more than the file has"))?;
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some((Open::List(list), _)) => list.push(value),
            Some((Open::Object(fields, key, merged), _)) => match key.take() {
                None => match value {
                    Json::String(name) => *key = Some(name),
                    _ => return Err(Failed::Because("a text is expected as a key")),
                },
                Some(name) if name == MERGE => merged.push(value),
                Some(name) => {
                    if fields.contains_key(&name) {
                        return Err(Failed::Because("a key stands twice in one object"));
                    }
                    fields.insert(name, value);
                }
            },
        }
        Ok(())
    }
}

/// An object with the fields of others that it does not have itself. Of two others with a field of one
/// name the first counts.
fn with_merged(
    mut fields: JsonMap<String, Json>,
    merged: Vec<Json>,
) -> Result<JsonMap<String, Json>, Failed> {
    let others = merged.into_iter().flat_map(|it| match it {
        Json::Array(list) => list,
        one => vec![one],
    });
    for other in others {
        let Json::Object(other) = other else {
            return Err(Failed::Because("only objects can be merged"));
        };
        for (name, value) in other {
            fields.entry(name).or_insert(value);
        }
    }
    Ok(fields)
}

/// The bytes of a copy of a value.
fn copy_bytes(value: &Json) -> u64 {
    match value {
        Json::String(it) => text_bytes(it.len()),
        Json::Array(list) => {
            LIST_BYTES + list.iter().map(|it| ENTRY_BYTES + copy_bytes(it)).sum::<u64>()
        }
        Json::Object(fields) => {
            let each = fields.iter();
            let each = each.map(|(name, it)| FIELD_BYTES + text_bytes(name.len()) + copy_bytes(it));
            OBJECT_BYTES + each.sum::<u64>()
        }
        _ => 0,
    }
}

/// Bytes of texts, with some for each part.
fn size_of(value: &Json) -> usize {
    const PART: usize = 8;
    PART + match value {
        Json::String(it) => it.len(),
        Json::Array(list) => list.iter().map(size_of).sum(),
        Json::Object(fields) => fields.iter().map(|(name, it)| name.len() + size_of(it)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(text: &str) -> Result<Json, String> {
        super::parse(text, &mut |_bytes| Ok(())).map_err(|error| match error {
            YamlError::NoYaml(what) => what,
            YamlError::NoRoom(error) => error.text(),
        })
    }

    #[test]
    fn plain_scalars_are_texts() {
        for text in [
            "On",
            "Off",
            "yes",
            "No",
            "y",
            "true",
            "False",
            "007",
            "0x1F",
            "0o17",
            "1_000",
            "1e3",
            "1.50",
            ".5",
            ".inf",
            "2024-01-01",
            "12:30:45",
            "-1",
            "009900",
            "=",
            "<<",
        ] {
            assert_eq!(parse(&format!("a: {text}\n")), Ok(json!({"a": text})), "{text}");
            assert_eq!(parse(&format!("- {text}\n")), Ok(json!([text])), "{text}");
        }
    }

    #[test]
    fn only_null_is_nothing() {
        for text in ["~", "null", "Null", "NULL", ""] {
            assert_eq!(parse(&format!("a: {text}\n")), Ok(json!({"a": null})), "{text}");
            assert_eq!(parse(&format!("a: '{text}'\n")), Ok(json!({"a": text})), "{text}");
            assert_eq!(parse(&format!("a: !!str {text}\n")), Ok(json!({"a": text})), "{text}");
        }
        assert_eq!(parse("null: 1"), Ok(json!({"null": "1"})));
        assert_eq!(parse("# nothing\n"), Ok(Json::Null));
    }

    #[test]
    fn quoted_texts_may_go_on_at_any_indentation() {
        let expected = json!({"a": {"b": "one two\nthree", "c": "it's so", "d": "4"}});
        for text in [
            "a:\n  b: \"one\ntwo\n\nthree\"\n  c: 'it''s\nso'\n  d: 4\n",
            "a: # don't\n  b: \"one\n two\n\n  three\"\n  c: 'it''s\n so'\n  d: 4\n",
        ] {
            assert_eq!(parse(text), Ok(expected.clone()), "{text}");
        }
        let many = "a:\n  - \"x\ny\"\n".replace("a:\n", "").repeat(MENDED_MAX + 1);
        assert!(parse(&format!("b:\n{many}")).is_err());
        assert!(parse("a:\n  b: \"one\ntwo").is_err());
    }

    #[test]
    fn aliases_repeat_no_more_than_the_file_has() {
        assert_eq!(parse("a: &x 1\nb: *x\nc: ccccccccccccccccccc\n").unwrap()["b"], json!("1"));
        let mut text = String::from("a0: &a0 [xxxxxxxxxx]\n");
        for at in 1..40 {
            let last = at - 1;
            text.push_str(&format!("a{at}: &a{at} [*a{last}, *a{last}]\n"));
        }
        assert!(parse(&text).is_err());
    }

    #[test]
    fn objects_take_what_they_merge_and_keep_their_own() {
        let text =
            "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  y: 5\n  <<: [*a, *b]\nd:\n  <<: *a\n";
        // Aliases repeat no more bytes than the text has.
        let found = parse(&format!("{text}# {}", "x".repeat(200))).unwrap();
        assert_eq!(found["c"], json!({"x": "1", "y": "5", "z": "4"}));
        assert_eq!(found["d"], found["a"]);
        assert!(parse("a:\n  <<: text\n").is_err());
    }

    #[test]
    fn a_file_is_one_document_and_not_too_deep() {
        assert_eq!(parse("%YAML 1.2\n---\na: 1\n...\n"), Ok(json!({"a": "1"})));
        assert_eq!(parse("a: 1\n---\nb: 2\n"), Err("a file is one document".to_owned()));
        for deep in ["[", "{a: ", "- ", "? - "] {
            assert!(parse(&deep.repeat(100_000)).is_err(), "{deep}");
        }
        let most = DEPTH_MAX;
        assert!(parse(&format!("{}{}", "[".repeat(most), "]".repeat(most))).is_ok());
        let more = DEPTH_MAX + 1;
        assert!(parse(&format!("{}{}", "[".repeat(more), "]".repeat(more))).is_err());
    }

    #[test]
    fn room_is_asked_for_before_a_tree_is_there() {
        let text = "a:\n".to_owned() + &"  - b: 1\n".repeat(200_000);
        let mut asked = 0;
        super::parse(&text, &mut |bytes| {
            asked += bytes;
            Ok(())
        })
        .unwrap();
        // An object of one field is a whole node.
        assert!((200_000 * 656..200_000 * 1_300).contains(&asked), "{asked}");
        let mut left: u64 = 1 << 20;
        let refused = super::parse(&text, &mut |bytes| {
            left = left.checked_sub(bytes).ok_or_else(|| ConfigError::application("no room"))?;
            Ok(())
        });
        assert!(matches!(refused, Err(YamlError::NoRoom(_))));
    }

    #[test]
    fn as_many_parts_as_the_bytes_of_a_file_hold() {
        let text = "a:\n".to_owned() + &"  - b: 1\n".repeat(200_000);
        assert_eq!(parse(&text).unwrap()["a"].as_array().unwrap().len(), 200_000);
    }
}
