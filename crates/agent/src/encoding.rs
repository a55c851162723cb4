//! The encodings of text files that we read: UTF-8, Latin-1 and UTF-16.
//!
//! Zabbix takes whatever the C library's iconv knows; these are the ones that configuration and
//! log files of our day are in. Another one is refused by name instead of read wrongly.

use std::io::{self, BufRead, Read};

use crate::outcome::Refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Latin1,
    Utf16 { big_endian: bool },
}

impl Encoding {
    pub(crate) fn parse(name: &str) -> Result<Self, Refusal> {
        match name.to_ascii_uppercase().as_str() {
            "" | "UTF-8" | "UTF8" | "ASCII" | "US-ASCII" => Ok(Self::Utf8),
            "ISO-8859-1" | "ISO8859-1" | "ISO88591" | "LATIN1" => Ok(Self::Latin1),
            "UTF-16" | "UTF16" | "UTF-16LE" | "UTF16LE" | "UNICODE" | "UCS-2LE" => {
                Ok(Self::Utf16 { big_endian: false })
            }
            "UTF-16BE" | "UTF16BE" | "UNICODEBIG" | "UCS-2BE" => {
                Ok(Self::Utf16 { big_endian: true })
            }
            _ => Err(Refusal::from(format!("Unsupported encoding \"{name}\"."))),
        }
    }

    /// Bytes that are no text become U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        let text = match self {
            Self::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Self::Latin1 => bytes.iter().map(|it| char::from(*it)).collect(),
            Self::Utf16 { big_endian } => {
                let unit = |it: &[u8]| {
                    let pair = [it[0], it[1]];
                    if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
                };
                let units = bytes.chunks_exact(2).map(unit);
                let decode = char::decode_utf16(units);
                decode.map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
        };
        match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        }
    }

    /// Appends bytes up to and with the next end of line.
    pub(crate) fn read_line(
        self,
        reader: &mut io::Take<impl BufRead>,
        line: &mut Vec<u8>,
    ) -> io::Result<()> {
        let Self::Utf16 { big_endian } = self else {
            reader.read_until(b'\n', line)?;
            return Ok(());
        };
        let newline = if big_endian { [0, b'\n'] } else { [b'\n', 0] };
        let mut pair = [0; 2];
        loop {
            match reader.read_exact(&mut pair) {
                Ok(()) => line.extend(pair),
                Err(source) if source.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                Err(source) => return Err(source),
            }
            if pair == newline {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn texts_are_decoded_by_name() {
        let decode = |name, bytes: &[u8]| Encoding::parse(name).expect("known").decode(bytes);
        assert_eq!(decode("", "\u{feff}é".as_bytes()), "é");
        assert_eq!(decode("latin1", b"\xe9"), "é");
        assert_eq!(decode("UTF-16LE", b"\xff\xfea\0"), "a");
        assert_eq!(decode("utf-16be", b"\0a\xd8\0"), "a\u{fffd}");
        assert!(Encoding::parse("EBCDIC").is_err());
    }
}
