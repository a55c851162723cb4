//! Compressed bodies, which curl decompresses as well.

use std::io::{Cursor, Read};

use bytes::Bytes;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use rt::budget::NoRoom;
use rt::reading::Reading;
use tokio::task::spawn_blocking;

use super::error::Error;

/// Bodies of at most this size are decompressed on the runtime, unless the result is larger than
/// [`AT_ONCE_MAX`]: that takes half a millisecond at most. Larger ones go to the blocking pool.
const AT_ONCE_COMPRESSED_MAX: usize = 16 << 10;
const AT_ONCE_MAX: usize = 48 << 10;
/// Compressed bytes of one step of the others.
const STEP_BYTES_MIN: usize = 128 << 10;
const STEP_BYTES_MAX: usize = 8 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
    /// `None`: the body is plain, or in an encoding that was not requested.
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

/// The decompressed body. Room is taken as it grows: the size is not known before.
pub(crate) async fn body(
    headers: &HeaderMap,
    bytes: Vec<u8>,
    max: usize,
    reading: &mut Reading,
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
    let bytes = Bytes::from(bytes);
    match (inflated((encoding, false), &bytes, max, reading).await, encoding) {
        (Err(Error::Encoding(_)), Encoding::Deflate) => {
            inflated((encoding, true), &bytes, max, reading).await
        }
        (done, _) => done,
    }
}

/// Decompresses in steps, each in the pool for blocking work and each as soon as there is room for
/// it.
async fn inflated(
    (encoding, is_raw): (Encoding, bool),
    bytes: &Bytes,
    max: usize,
    reading: &mut Reading,
) -> Result<Vec<u8>, Error> {
    let from = Cursor::new(bytes.clone());
    let mut decoder: Box<dyn Read + Send> = match encoding {
        Encoding::Gzip => Box::new(MultiGzDecoder::new(from)),
        Encoding::Deflate if is_raw => Box::new(DeflateDecoder::new(from)),
        Encoding::Deflate => Box::new(ZlibDecoder::new(from)),
    };
    let failed = || Error::Encoding(encoding.name());
    let mut out = Vec::new();
    loop {
        let step = out.len().clamp(STEP_BYTES_MIN, STEP_BYTES_MAX);
        let aim = out.len().saturating_add(step).min(max.saturating_add(1));
        let all = bytes.len().saturating_add(aim) as u64;
        reading.cover(all).await.map_err(|NoRoom| Error::NoRoom)?;
        let work = spawn_blocking(move || {
            let n = aim.saturating_sub(out.len()) as u64;
            let read = decoder.by_ref().take(n).read_to_end(&mut out);
            (decoder, out, read)
        });
        let (back, so_far, read) = work.await.map_err(|_ended| failed())?;
        (decoder, out) = (back, so_far);
        read.map_err(|_wrong| failed())?;
        if max < out.len() {
            return Err(Error::TooLong(max));
        }
        if out.len() < aim {
            return Ok(out);
        }
    }
}

fn decoded(encoding: Encoding, bytes: &[u8], max: usize) -> Result<Vec<u8>, Error> {
    match encoding {
        Encoding::Gzip => read(MultiGzDecoder::new(bytes), max),
        // By its name it is zlib's format; some servers send it without zlib's head.
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
    use std::time::Duration;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use hyper::header::HeaderValue;
    use rt::clock::Clock;
    use rt::metrics::Registry;
    use rt::reading::Readings;

    use super::*;

    async fn decode(name: &'static str, bytes: Vec<u8>, max: usize) -> Result<Vec<u8>, String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
        body(&headers, bytes, max, &mut readings().begin(1)).await.map_err(|it| it.to_string())
    }

    fn readings() -> Readings {
        Readings::new(1 << 30, &Clock::real(), &Registry::new())
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut to = GzEncoder::new(Vec::new(), Compression::best());
        to.write_all(text).expect("memory");
        to.finish().expect("memory")
    }

    #[tokio::test]
    async fn bodies_are_decompressed_by_their_header() {
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
    async fn invalid_and_overlong_compression_is_an_error() {
        let wrong = "the body is not valid gzip, which its header announces";
        assert_eq!(decode("gzip", b"text".to_vec(), 100).await, Err(wrong.to_owned()));
        let mut cut = gzip(b"some text");
        cut.truncate(cut.len() - 9);
        assert_eq!(decode("gzip", cut, 100).await, Err(wrong.to_owned()));
        let zeros = gzip(&vec![0; 4 << 20]);
        assert!(zeros.len() < AT_ONCE_COMPRESSED_MAX);
        assert_eq!(decode("gzip", zeros.clone(), 4 << 20).await.map(|it| it.len()), Ok(4 << 20));
        let few = Readings::new(1 << 20, &Clock::real(), &Registry::new());
        let few = few.waiting(Duration::from_millis(1));
        let mut other = few.begin(1);
        other.try_cover(200 << 10).expect("room");
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        let refused = body(&headers, zeros.clone(), 4 << 20, &mut few.begin(2)).await;
        assert!(matches!(refused, Err(Error::NoRoom)), "{refused:?}");
        assert!(few.taken() <= 1 << 20);
        for max in [0, 1_000, (4 << 20) - 1] {
            let expected = format!("the answer is longer than {max} bytes");
            assert_eq!(decode("gzip", zeros.clone(), max).await, Err(expected));
        }
    }
}
