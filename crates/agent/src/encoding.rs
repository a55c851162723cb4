//! Text files in the encodings that users name.

use std::io::{self, BufRead, Read};

use wire::charset::Charset;

use crate::outcome::Refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoding(Charset);

impl Encoding {
    pub(crate) fn parse(name: &str) -> Result<Self, Refusal> {
        let unknown = || Refusal::from(format!("Unsupported encoding \"{name}\"."));
        Charset::named(name).map(Self).ok_or_else(unknown)
    }

    /// Malformed bytes become U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        self.0.decode(bytes).into_owned()
    }

    /// Appends bytes up to the next end of line, including it.
    pub(crate) fn read_line(
        self,
        reader: &mut io::Take<impl BufRead>,
        line: &mut Vec<u8>,
    ) -> io::Result<()> {
        let newline = self.0.newline();
        if newline.len() == 1 {
            reader.read_until(b'\n', line)?;
            return Ok(());
        }
        let mut unit = [0; 4];
        let unit = &mut unit[..newline.len()];
        loop {
            match reader.read_exact(unit) {
                Ok(()) => line.extend_from_slice(unit),
                Err(source) if source.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                Err(source) => return Err(source),
            }
            if unit == newline {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn lines_end_at_newlines_of_their_encoding() {
        let encoding = Encoding::parse("utf-16be").expect("known");
        let bytes = [0, b'a', b'\n', 0, 0, b'\n', 0, b'b'];
        let mut reader = std::io::Read::take(&bytes[..], 100);
        let mut line = Vec::new();
        encoding.read_line(&mut reader, &mut line).expect("read");
        assert_eq!(encoding.decode(&line), "a\u{a00}\n");
        assert!(Encoding::parse("EBCDIC-X").is_err());
    }
}
