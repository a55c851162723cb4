//! The parsed request: rows of fixed size, and a separate table for members that few rows have.

use super::cursor::Span;

/// The content of one request.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Raw>,
    pub(super) extras: Vec<Extra>,
    /// Unescaped texts.
    pub(super) arena: String,
    pub(super) top: Top,
}

impl Table {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.extras.clear();
        self.arena.clear();
        self.top = Top::default();
    }
}

/// Which members a row has. A newtype so that a flag cannot be mistaken for a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flags(u16);

impl Flags {
    pub(super) const HOST: Self = Self(1);
    pub(super) const KEY: Self = Self(1 << 1);
    pub(super) const VALUE: Self = Self(1 << 2);
    pub(super) const CLOCK: Self = Self(1 << 3);
    pub(super) const NS: Self = Self(1 << 4);
    pub(super) const ITEMID: Self = Self(1 << 5);
    pub(super) const ID: Self = Self(1 << 6);
    pub(super) const EXTRA: Self = Self(1 << 7);
    pub(super) const MALFORMED: Self = Self(1 << 8);

    #[inline]
    pub(super) const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }
}

impl std::ops::BitOrAssign for Flags {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// A value in the table: one cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Raw {
    pub(super) host: Span,
    pub(super) key: Span,
    pub(super) value: Span,
    pub(super) clock: u64,
    pub(super) itemid: u64,
    pub(super) id: u64,
    pub(super) ns: u32,
    pub(super) extra_idx: u32,
    pub(super) flags: Flags,
}

const _: () = assert!(size_of::<Raw>() == 64, "a row is one cache line");

/// Members that only unsupported items and log lines have.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extra {
    pub(super) state: Option<u64>,
    pub(super) lastlogsize: Option<u64>,
    pub(super) mtime: Option<u64>,
    pub(super) timestamp: Option<u64>,
    pub(super) source: Option<Span>,
    pub(super) severity: Option<u64>,
    pub(super) eventid: Option<u64>,
}

/// Members of the request other than the values.
#[derive(Debug, Default)]
pub(super) struct Top {
    pub(super) request: Option<Span>,
    pub(super) session: Option<Span>,
    pub(super) host: Option<Span>,
    pub(super) version: Option<Span>,
    pub(super) variant: Option<u64>,
    pub(super) clock: Option<u64>,
    pub(super) ns: Option<u64>,
    pub(super) commands: Option<Span>,
    pub(super) has_data: bool,
}
