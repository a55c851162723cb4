//! A parsed request.

use super::cursor::Span;
use super::table::{Extra, Flags, Raw, Table};

/// A parsed request. Borrowed from the parser and the payload.
#[derive(Debug, Clone, Copy)]
pub struct SenderRequest<'a> {
    text: &'a str,
    table: &'a Table,
}

/// One sent value. Missing members are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Row<'a> {
    /// Technical name of the host; also `None` in the form by `itemid`, whose host is
    /// [`SenderRequest::host`].
    pub host: Option<&'a str>,
    pub key: Option<&'a str>,
    /// `None` in a row that only moves the position of a log item.
    pub value: Option<&'a str>,
    /// Seconds since 1970.
    pub clock: Option<i64>,
    /// Below 1,000,000,000.
    pub ns: Option<u32>,
    /// Counts up within a session; a number seen before is a repetition.
    pub id: Option<u64>,
    pub itemid: Option<u64>,
    /// The item is not supported, for the reason in `value`.
    pub unsupported: bool,
    /// A member has a value that it cannot have; count the row as failed.
    pub malformed: bool,
    /// Present if the row has any member of log items.
    pub log: Option<Log<'a>>,
}

/// Members of log items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Log<'a> {
    /// Position in the file, in bytes.
    pub lastlogsize: Option<u64>,
    /// Modification time of the file, seconds since 1970.
    pub mtime: Option<u64>,
    /// Time of the log line itself, seconds since 1970.
    pub timestamp: Option<u64>,
    pub source: Option<&'a str>,
    pub severity: Option<u64>,
    pub eventid: Option<u64>,
}

impl<'a> SenderRequest<'a> {
    pub(super) fn new(text: &'a str, table: &'a Table) -> Self {
        Self { text, table }
    }

    /// Such as `sender data`.
    #[must_use]
    pub fn request(&self) -> Option<&'a str> {
        self.table.top.request.map(|it| self.resolve(it))
    }

    /// Token of this run of the agent or sender; a valid one has 32 characters.
    #[must_use]
    pub fn session(&self) -> Option<&'a str> {
        self.table.top.session.map(|it| self.resolve(it))
    }

    /// Host of all rows, in the form by `itemid`.
    #[must_use]
    pub fn host(&self) -> Option<&'a str> {
        self.table.top.host.map(|it| self.resolve(it))
    }

    /// Version of the peer; [`crate::Version::parse`] reads it.
    #[must_use]
    pub fn version(&self) -> Option<&'a str> {
        self.table.top.version.map(|it| self.resolve(it))
    }

    /// 1 agent, 2 agent 2.
    #[must_use]
    pub fn variant(&self) -> Option<u64> {
        self.table.top.variant
    }

    /// Peer's clock when it sent this, seconds since 1970.
    #[must_use]
    pub fn clock(&self) -> Option<i64> {
        self.table.top.clock.and_then(|it| i64::try_from(it).ok())
    }

    /// Nanoseconds of [`SenderRequest::clock`].
    #[must_use]
    pub fn ns(&self) -> Option<u32> {
        let ns = self.table.top.ns.and_then(|it| u32::try_from(it).ok());
        ns.filter(|it| *it < 1_000_000_000)
    }

    /// Whether there was a `data` array at all.
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.table.top.has_data
    }

    /// JSON array of results of remote commands, for [`crate::active::parse_command_results`].
    #[must_use]
    pub fn commands(&self) -> Option<&'a str> {
        self.table.top.commands.map(|it| self.resolve(it))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.table.rows.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.rows.is_empty()
    }

    /// The values, in order.
    #[must_use]
    pub fn rows(&self) -> Rows<'a> {
        Rows { request: *self, raws: self.table.rows.iter() }
    }

    #[inline]
    fn resolve(&self, span: Span) -> &'a str {
        let source = if span.start & Span::ARENA == 0 { self.text } else { &self.table.arena };
        source.get(span.range()).expect("spans were taken from this text, between quotes")
    }

    #[inline]
    fn row(&self, raw: &Raw) -> Row<'a> {
        let flags = raw.flags;
        let text = |flag, span| if flags.has(flag) { Some(self.resolve(span)) } else { None };
        let mut row = Row {
            host: text(Flags::HOST, raw.host),
            key: text(Flags::KEY, raw.key),
            value: text(Flags::VALUE, raw.value),
            clock: if flags.has(Flags::CLOCK) { i64::try_from(raw.clock).ok() } else { None },
            ns: flags.has(Flags::NS).then_some(raw.ns),
            id: flags.has(Flags::ID).then_some(raw.id),
            itemid: flags.has(Flags::ITEMID).then_some(raw.itemid),
            unsupported: false,
            malformed: flags.has(Flags::MALFORMED),
            log: None,
        };
        if flags.has(Flags::EXTRA)
            && let Some(extra) = self.table.extras.get(raw.extra_idx as usize)
        {
            self.add_extra(extra, &mut row);
        }
        row
    }

    #[cold]
    fn add_extra(&self, extra: &Extra, row: &mut Row<'a>) {
        row.unsupported = extra.state == Some(1);
        let log = Log {
            lastlogsize: extra.lastlogsize,
            mtime: extra.mtime,
            timestamp: extra.timestamp,
            source: extra.source.map(|it| self.resolve(it)),
            severity: extra.severity,
            eventid: extra.eventid,
        };
        row.log = (log != Log::default()).then_some(log);
    }
}

/// Iterator over the values of a request.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    request: SenderRequest<'a>,
    raws: std::slice::Iter<'a, Raw>,
}

impl<'a> Iterator for Rows<'a> {
    type Item = Row<'a>;

    #[inline]
    fn next(&mut self) -> Option<Row<'a>> {
        self.raws.next().map(|it| self.request.row(it))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.raws.size_hint()
    }
}

impl ExactSizeIterator for Rows<'_> {}
