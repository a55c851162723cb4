//! The answer of a call. Answers of many rows are never trees: each row is written as text as soon as it is
//! known, so that an answer costs the bytes that go over the wire and nothing more.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;

use crate::error::{ApiError, ErrorClass};
use crate::pool::BUSY;
use crate::response_stream::{HELD_BYTES, ResponseWriter, WHOLE_BYTES_MAX};

/// Pieces of a text: small enough that their memory is freed one by one while the answer is sent.
const CHUNK_BYTES: usize = 128 << 10;

/// The client has gone and does not read it; the log may show it.
const CUT: &str = "The client took its answer too slowly, or has gone.";
const TOO_LONG: &str = "The answer is too long for a batch: make this call alone, or ask for less.";

/// The answer of a method.
#[derive(Debug)]
pub enum Answer {
    Tree(Value),
    /// JSON that is written already.
    Text(Text),
}

impl Answer {
    /// As written JSON.
    #[must_use]
    pub fn into_text(self) -> Text {
        match self {
            Self::Tree(value) => Text::of(&value),
            Self::Text(text) => text,
        }
    }
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self::Tree(value)
    }
}

/// Where the rows of an answer go.
#[derive(Clone, Debug, Default)]
pub struct Out(Arc<Mutex<Option<ResponseWriter>>>);

impl Out {
    pub(crate) fn to(outlet: ResponseWriter) -> Self {
        Self(Arc::new(Mutex::new(Some(outlet))))
    }

    /// A text that flows once it is long, for the first caller of this; one that is kept whole otherwise.
    pub(crate) fn text(&self) -> Text {
        let outlet = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        outlet.map_or_else(Text::default, Text::flowing)
    }
}

/// A text in pieces.
#[derive(Debug, Default)]
pub struct Text {
    chunks: Vec<Cow<'static, [u8]>>,
    /// Bytes of all that was written.
    len: usize,
    /// Takes the pieces of a long text while it is written.
    outlet: Option<Box<ResponseWriter>>,
}

impl Text {
    /// A value as JSON.
    #[must_use]
    pub fn of(value: &(impl Serialize + ?Sized)) -> Self {
        let mut text = Self::default();
        serde_json::to_writer(&mut text, value).expect("a text takes everything");
        text
    }

    /// A text that is kept as long as the process runs: answers with it take no memory.
    #[must_use]
    pub fn of_static(bytes: &'static [u8]) -> Self {
        Self { len: bytes.len(), chunks: vec![Cow::Borrowed(bytes)], outlet: None }
    }

    pub(crate) fn flowing(outlet: ResponseWriter) -> Self {
        Self { outlet: Some(Box::new(outlet)), ..Self::default() }
    }

    /// Whether there is use in writing more.
    ///
    /// # Errors
    /// If no client takes it, or it is too long to be kept.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        match &self.outlet {
            Some(outlet) if outlet.is_refused() => Err(ApiError::new(ErrorClass::System, BUSY)),
            Some(outlet) if outlet.is_cut() => Err(ApiError::application(CUT)),
            None if WHOLE_BYTES_MAX < self.len => Err(ApiError::application(TOO_LONG)),
            _ => Ok(()),
        }
    }

    /// All of it was written. Returns the part that has not been handed on.
    ///
    /// # Errors
    /// If the client did not take the part that was handed on.
    pub(crate) fn finish(mut self) -> Result<Self, ApiError> {
        let Some(mut outlet) = self.outlet.take().filter(|it| it.has_begun()) else {
            return Ok(self);
        };
        self.chunks.drain(..).for_each(|it| outlet.push(it.into_owned()));
        let is_refused = outlet.is_refused();
        match outlet.finish() {
            true => Ok(Self::default()),
            false if is_refused => Err(ApiError::new(ErrorClass::System, BUSY)),
            false => Err(ApiError::application(CUT)),
        }
    }

    /// Bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether a part of it is kept as long as the process runs.
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.chunks.iter().any(|it| matches!(it, Cow::Borrowed(_)))
    }

    /// Bytes that are memory of its own.
    #[must_use]
    pub fn own_bytes(&self) -> usize {
        let own = self.chunks.iter().filter(|it| matches!(it, Cow::Owned(_)));
        own.map(|it| it.len()).sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len();
        match self.chunks.last_mut() {
            Some(Cow::Owned(last)) if last.len() + bytes.len() <= CHUNK_BYTES => {
                last.extend_from_slice(bytes);
            }
            // The first one grows, since most answers are small; so does one after a static one.
            None | Some(Cow::Borrowed(_)) => self.chunks.push(Cow::Owned(bytes.to_vec())),
            Some(Cow::Owned(_)) => {
                self.hand_on_pieces();
                let mut chunk = Vec::with_capacity(CHUNK_BYTES.max(bytes.len()));
                chunk.extend_from_slice(bytes);
                self.chunks.push(Cow::Owned(chunk));
            }
        }
    }

    /// Hands on the written text, once there is enough.
    fn hand_on_pieces(&mut self) {
        if let Some(outlet) = &mut self.outlet
            && (HELD_BYTES <= self.len || outlet.has_begun())
        {
            self.chunks.drain(..).for_each(|it| outlet.push(it.into_owned()));
        }
    }

    /// Appends another text.
    pub fn append(&mut self, other: Self) {
        if other.chunks.len() < 2 && !other.is_static() {
            other.chunks.iter().for_each(|it| self.push(it));
        } else {
            self.len += other.len;
            self.chunks.extend(other.chunks);
        }
    }

    #[must_use]
    pub fn into_chunks(self) -> Vec<Cow<'static, [u8]>> {
        self.chunks
    }

    /// The whole text in one piece.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        match self.chunks.len() {
            0 | 1 => self.chunks.pop().unwrap_or_default().into_owned(),
            _ => self.chunks.concat(),
        }
    }
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        Self { len: bytes.len(), chunks: vec![Cow::Owned(bytes)], outlet: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_small_and_lose_nothing() {
        let mut text = Text::default();
        let mut expected = Vec::new();
        for n in 0..2_000_usize {
            let row = vec![u8::try_from(n % 251).expect("small"); n % 700];
            text.push(&row);
            expected.extend_from_slice(&row);
        }
        let large = vec![7; CHUNK_BYTES * 3];
        text.push(&large);
        expected.extend_from_slice(&large);
        let mut whole = Text::of(&"start");
        whole.append(text);
        whole.append(Text::from(b"end".to_vec()));
        let expected = [&b"\"start\""[..], &expected, b"end"].concat();
        assert_eq!(whole.len(), expected.len());
        let capacity = |it: &Cow<'_, [u8]>| match it {
            Cow::Owned(it) => it.capacity(),
            Cow::Borrowed(_) => 0,
        };
        let held: usize = whole.chunks.iter().map(capacity).sum();
        assert!(held < expected.len() + 2 * CHUNK_BYTES, "{held}");
        assert!(2 < whole.chunks.len());
        assert_eq!(whole.into_bytes(), expected);
    }
}
