//! Compressed bodies, which curl decompresses as well.

use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use tokio::task::spawn_blocking;

use super::error::Error;

/// Bodies of at most so many bytes are decompressed where they have come, unless more than
/// [`AT_ONCE_MAX`] comes of it: that takes half a millisecond at most.
const AT_ONCE_COMPRESSED_MAX: usize = 16 << 10;
const AT_ONCE_MAX: usize = 128 << 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
    /// `None`: the body is as it should be, or in an encoding that nobody asked for.
    fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(CONTENT_ENCODING)?.to_str().ok()?;
        match value.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }
}

/// The body as it was before it was compressed.
pub(crate) async fn body(
    headers: &HeaderMap,
    bytes: Vec<u8>,
    max: usize,
) -> Result<Vec<u8>, Error> {
    let Some(encoding) = Encoding::of(headers).filter(|_| !bytes.is_empty()) else {
        return Ok(bytes);
    };
    if bytes.len() <= AT_ONCE_COMPRESSED_MAX {
        match decoded(encoding, &bytes, max.min(AT_ONCE_MAX)) {
            Err(Error::TooLong(it)) if it < max => {}
            done => return done,
        }
    }
    let work = spawn_blocking(move || decoded(encoding, &bytes, max));
    work.await.map_err(|_ended| Error::Encoding(encoding.name()))?
}

fn decoded(encoding: Encoding, bytes: &[u8], max: usize) -> Result<Vec<u8>, Error> {
    match encoding {
        Encoding::Gzip => read(MultiGzDecoder::new(bytes), max),
        // By its name it is zlib's format; some send it without zlib's head.
        Encoding::Deflate => read(ZlibDecoder::new(bytes), max).or_else(|it| match it {
            Error::TooLong(_) => Err(it),
            _ => read(DeflateDecoder::new(bytes), max),
        }),
    }
    .map_err(|it| match it {
        Error::TooLong(_) => it,
        _ => Error::Encoding(encoding.name()),
    })
}

fn read(from: impl Read, max: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    from.take(limit).read_to_end(&mut out)?;
    if max < out.len() { Err(Error::TooLong(max)) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use hyper::header::HeaderValue;

    use super::*;

    async fn decode(name: &'static str, bytes: Vec<u8>, max: usize) -> Result<Vec<u8>, String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
        body(&headers, bytes, max).await.map_err(|it| it.to_string())
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut to = GzEncoder::new(Vec::new(), Compression::best());
        to.write_all(text).expect("memory");
        to.finish().expect("memory")
    }

    #[tokio::test]
    async fn bodies_are_decompressed_as_their_header_says() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(b"text").expect("memory");
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(b"text").expect("memory");
        for (name, bytes) in [
            ("gzip", gzip(b"text")),
            ("X-GZip", gzip(b"text")),
            ("deflate", zlib.finish().expect("memory")),
            ("deflate", raw.finish().expect("memory")),
            ("identity", b"text".to_vec()),
            ("br", b"text".to_vec()),
        ] {
            assert_eq!(decode(name, bytes, 4).await, Ok(b"text".to_vec()), "{name}");
        }
        assert_eq!(decode("gzip", Vec::new(), 4).await, Ok(Vec::new()));
    }

    #[tokio::test]
    async fn what_is_no_compression_and_what_becomes_too_long_is_an_error() {
        let wrong = "the body is not the gzip that its header says";
        assert_eq!(decode("gzip", b"text".to_vec(), 100).await, Err(wrong.to_owned()));
        let mut cut = gzip(b"some text");
        cut.truncate(cut.len() - 9);
        assert_eq!(decode("gzip", cut, 100).await, Err(wrong.to_owned()));
        let zeros = gzip(&vec![0; 4 << 20]);
        assert!(zeros.len() < AT_ONCE_COMPRESSED_MAX);
        assert_eq!(decode("gzip", zeros.clone(), 4 << 20).await.map(|it| it.len()), Ok(4 << 20));
        for max in [0, 1_000, (4 << 20) - 1] {
            let expected = format!("the answer is longer than {max} bytes");
            assert_eq!(decode("gzip", zeros.clone(), max).await, Err(expected));
        }
    }
}
