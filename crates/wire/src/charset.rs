//! Encodings of texts of devices and web servers, and their detection.
//!
//! Names are those of the Encoding Standard (`windows-1251`, `shift_jis`, `koi8-r`, …) and of iconv
//! where these are common (`latin1`, `UTF-32LE`, `UCS-2`). `ISO-8859-1` means itself, not
//! `windows-1252` as on web pages.

use std::borrow::Cow;

use encoding_rs::Encoding;

mod detect;

pub use detect::{http_charset, named_charset};

const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// An encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset(Encoder);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoder {
    Utf8,
    Latin1,
    Ascii,
    Utf16 { big_endian: bool },
    Utf32 { big_endian: bool },
    Other(&'static Encoding),
}

impl Charset {
    /// UTF-8.
    pub const UTF_8: Self = Self(Encoder::Utf8);

    /// The encoding of this name; `None` if there is none. Case is ignored, and characters that
    /// names never have (quotes, spaces) are skipped. An empty name is UTF-8.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let is_kept = |it: &char| it.is_ascii_alphanumeric() || "_-.,:/".contains(*it);
        let name: String = name.chars().filter(is_kept).collect::<String>().to_ascii_uppercase();
        Some(Self(match name.as_str() {
            "" | "UTF-8" | "UTF8" => Encoder::Utf8,
            "ASCII" | "US-ASCII" | "ANSI_X3.4-1968" => Encoder::Ascii,
            "ISO-8859-1" | "ISO8859-1" | "ISO88591" | "ISO_8859-1" | "LATIN1" | "L1" => {
                Encoder::Latin1
            }
            "UTF-16" | "UTF16" | "UTF-16LE" | "UTF16LE" | "UNICODE" | "UNICODELITTLE" | "UCS-2"
            | "UCS-2LE" | "UCS2" => Encoder::Utf16 { big_endian: false },
            "UTF-16BE" | "UTF16BE" | "UNICODEBIG" | "UCS-2BE" => {
                Encoder::Utf16 { big_endian: true }
            }
            "UTF-32" | "UTF32" | "UTF-32LE" | "UTF32LE" | "UCS-4LE" => {
                Encoder::Utf32 { big_endian: false }
            }
            "UTF-32BE" | "UTF32BE" | "UCS-4" | "UCS-4BE" | "UCS4" => {
                Encoder::Utf32 { big_endian: true }
            }
            name => Encoder::Other(other(name)?),
        }))
    }

    /// The encoding that a byte order mark stands for.
    #[must_use]
    pub fn of_mark(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xef, 0xbb, 0xbf, ..] => Some(Self::UTF_8),
            [0xff, 0xfe, ..] => Some(Self(Encoder::Utf16 { big_endian: false })),
            [0xfe, 0xff, ..] => Some(Self(Encoder::Utf16 { big_endian: true })),
            _ => None,
        }
    }

    /// Bytes of a character in encodings with a fixed number above one; otherwise 1.
    #[must_use]
    pub fn unit_len(self) -> usize {
        match self.0 {
            Encoder::Utf16 { .. } => 2,
            Encoder::Utf32 { .. } => 4,
            _ => 1,
        }
    }

    /// A newline in this encoding.
    #[must_use]
    pub fn newline(self) -> &'static [u8] {
        match self.0 {
            Encoder::Utf16 { big_endian: false } => b"\n\0",
            Encoder::Utf16 { big_endian: true } => b"\0\n",
            Encoder::Utf32 { big_endian: false } => b"\n\0\0\0",
            Encoder::Utf32 { big_endian: true } => b"\0\0\0\n",
            _ => b"\n",
        }
    }

    /// The text without its byte order mark. Malformed bytes become U+FFFD. Texts of wide
    /// characters end before their first NUL, as they do in Zabbix.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        let text = match self.0 {
            Encoder::Utf8 => String::from_utf8_lossy(bytes),
            Encoder::Latin1 => bytes.iter().map(|it| char::from(*it)).collect(),
            Encoder::Ascii => bytes.iter().map(|it| ascii(*it)).collect(),
            Encoder::Utf16 { big_endian } => utf16(bytes, big_endian).into(),
            Encoder::Utf32 { big_endian } => utf32(bytes, big_endian).into(),
            Encoder::Other(encoding) => encoding.decode_without_bom_handling(bytes).0,
        };
        match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches('\u{feff}')),
            Cow::Owned(text) => match text.strip_prefix('\u{feff}') {
                Some(rest) => Cow::Owned(rest.to_owned()),
                None => Cow::Owned(text),
            },
        }
    }
}

/// A text in an encoding that the user or the peer named. Without a name (or with an empty one) a
/// byte order mark decides, otherwise it is UTF-8.
///
/// # Errors
/// If there is no such encoding; a sentence.
pub fn to_utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<Cow<'a, str>, String> {
    let charset = Charset::named(name).ok_or_else(|| {
        format!("Failed to convert from encoding {name} to utf8. Error: [22] Invalid argument.")
    })?;
    let is_named = name.chars().any(|it| it.is_ascii_alphanumeric());
    let marked = if is_named { None } else { Charset::of_mark(bytes) };
    Ok(marked.unwrap_or(charset).decode(bytes))
}

/// An encoding of the Encoding Standard, by one of its labels or by iconv's name (`CP1251`).
fn other(name: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(name.as_bytes()).or_else(|| {
        let number = name.strip_prefix("CP").or_else(|| name.strip_prefix("WINDOWS"))?;
        let label = match number.trim_start_matches('-') {
            "932" => "shift_jis".to_owned(),
            "936" => "gbk".to_owned(),
            "949" => "euc-kr".to_owned(),
            "950" => "big5".to_owned(),
            "866" => "ibm866".to_owned(),
            number => format!("windows-{number}"),
        };
        Encoding::for_label_no_replacement(label.as_bytes())
    })
}

fn ascii(byte: u8) -> char {
    if byte.is_ascii() { char::from(byte) } else { REPLACEMENT }
}

fn utf16(bytes: &[u8], big_endian: bool) -> String {
    let units = bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(|it| if big_endian { u16::from_be_bytes(*it) } else { u16::from_le_bytes(*it) });
    let chars = char::decode_utf16(units).map(|it| it.unwrap_or(REPLACEMENT));
    chars.take_while(|it| *it != '\0').collect()
}

fn utf32(bytes: &[u8], big_endian: bool) -> String {
    let codes = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|it| if big_endian { u32::from_be_bytes(*it) } else { u32::from_le_bytes(*it) });
    let chars = codes.map(|it| char::from_u32(it).unwrap_or(REPLACEMENT));
    chars.take_while(|it| *it != '\0').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_by_name() {
        let decode = |name, bytes: &'static [u8]| to_utf8(name, bytes).unwrap();
        assert_eq!(decode("", "\u{feff}é".as_bytes()), "é");
        assert_eq!(decode("", b"\xff\xfea\0"), "a");
        assert_eq!(decode("latin1", b"\xe9\x80"), "é\u{80}");
        assert_eq!(decode("windows-1252", b"\x80"), "€");
        assert_eq!(decode("cp1251", b"\xc4"), "Д");
        assert_eq!(decode("CP932", b"\x82\xa0"), "あ");
        assert_eq!(decode("UTF-16LE", b"\xff\xfea\0"), "a");
        assert_eq!(decode("utf-16be", b"\0a\xd8\0"), "a\u{fffd}");
        assert_eq!(decode("UCS-4", b"\0\0\0a"), "a");
        assert_eq!(decode("UTF-16LE", b"a\0\0\0b\0"), "a");
        assert_eq!(decode("ascii", b"a\x80"), "a\u{fffd}");
        assert!(to_utf8("EBCDIC-X", b"").is_err());
    }
}
