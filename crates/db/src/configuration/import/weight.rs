//! The memory of a file's tree, counted before it is built or meanwhile.
//!
//! A tree takes many times its text: an object of one field is 7 bytes of JSON and some 700 of memory.

use crate::error::ConfigError;

/// Asked for so many more bytes while a file is read; the error says why there are none.
pub type Room<'r> = &'r mut dyn FnMut(u64) -> Result<(), ConfigError>;

/// Objects are B-trees with nodes of 11 places, which are filled half.
const NODE_BYTES: u64 = 656;
const NODE_FIELDS: u64 = 5;
/// An entry of a list: lists double while they grow.
pub(super) const ENTRY_BYTES: u64 = 64;
/// Bytes of the first entry of a list: a list begins with room for four.
pub(super) const LIST_BYTES: u64 = 128;
/// Bytes of a text in addition to its content.
const TEXT_BYTES: u64 = 24;
/// A field, with its share of a node.
pub(super) const FIELD_BYTES: u64 = NODE_BYTES / NODE_FIELDS;
/// An object before its first field.
pub(super) const OBJECT_BYTES: u64 = NODE_BYTES - FIELD_BYTES;
/// A node of XML, which is there before the tree is.
const XML_NODE_BYTES: u64 = 128;

/// A text of so many bytes.
pub(super) fn text_bytes(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX).saturating_add(TEXT_BYTES)
}

/// Bytes that the tree of a text of JSON takes.
pub(super) fn of_json(text: &str) -> u64 {
    let mut sum = u64::try_from(text.len()).unwrap_or(u64::MAX);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        let more = match byte {
            _ if is_escaped => {
                is_escaped = false;
                0
            }
            b'\\' => {
                is_escaped = is_text;
                0
            }
            b'"' => {
                is_text = !is_text;
                TEXT_BYTES / 2
            }
            _ if is_text => 0,
            b'{' => OBJECT_BYTES,
            b':' => FIELD_BYTES,
            b'[' => LIST_BYTES,
            b',' => ENTRY_BYTES,
            _ => 0,
        };
        sum = sum.saturating_add(more);
    }
    sum
}

/// Bytes that the tree of a text of XML takes, with the text as a document, as JSON, and as a tree. Elements have a
/// start and most an end; each is a field or an entry, or has some.
pub(super) fn of_xml(text: &str) -> u64 {
    let texts = u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_mul(3);
    let starts = text.bytes().filter(|it| *it == b'<').count();
    let starts = u64::try_from(starts).unwrap_or(u64::MAX);
    texts.saturating_add(starts.saturating_mul(XML_NODE_BYTES + FIELD_BYTES + TEXT_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_weigh_more_than_their_texts() {
        for (text, least) in [("{\"a\":0},", NODE_BYTES), ("0,", 32), ("[0],", 160), ("\"\",", 24)]
        {
            let n = 1_000;
            let list = format!("[{}0]", text.repeat(n));
            let weight = of_json(&list);
            assert!(least * 1_000 <= weight, "{text}: {weight}");
        }
        // Brackets in texts are text.
        let script = format!("\"{}\"", "{a:[0,0]} \\\" {".repeat(1_000));
        assert!(of_json(&script) < 2 * u64::try_from(script.len()).unwrap());
        assert!(200_000 < of_xml(&"<a/>".repeat(1_000)));
    }
}
