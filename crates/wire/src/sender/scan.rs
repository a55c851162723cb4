//! The single pass over the text of a request.

use super::SenderError;
use super::cursor::{Cursor, Scalar, Span, Stop};
use super::request::SenderRequest;
use super::table::{Extra, Flags, Raw, Table};
use super::text::{to_valid_utf8, unescape};

/// Reads requests; keeps its tables between them, so make one per connection or worker.
#[derive(Debug)]
pub struct Parser {
    rows_max: usize,
    table: Table,
    /// The repaired text of a request that was not valid UTF-8.
    repaired: String,
}

impl Parser {
    /// More than `rows_max` values in a request are refused; a value takes 64 bytes here while the
    /// request is parsed, and up to 128 if it is a log line.
    #[must_use]
    pub fn new(rows_max: usize) -> Self {
        Self { rows_max, table: Table::default(), repaired: String::new() }
    }

    /// Reads the JSON of a request, whatever its `request` member is.
    ///
    /// # Errors
    /// When the text is not a JSON object, or over a limit.
    pub fn parse<'a>(&'a mut self, payload: &'a [u8]) -> Result<SenderRequest<'a>, SenderError> {
        if payload.len() > Span::TEXT_MAX {
            return Err(SenderError::TooLong { bytes: payload.len(), max: Span::TEXT_MAX });
        }
        let text = match to_valid_utf8(payload) {
            std::borrow::Cow::Borrowed(text) => text,
            std::borrow::Cow::Owned(repaired) => {
                self.repaired = repaired;
                self.repaired.as_str()
            }
        };
        self.table.clear();
        let mut scan = Scan {
            cursor: Cursor::new(text.as_bytes()),
            text,
            table: &mut self.table,
            rows_max: self.rows_max,
        };
        scan.request().map_err(|stop| match stop {
            Stop::Syntax => SenderError::Syntax { at: scan.cursor.pos() },
            Stop::NotAnArray => SenderError::NotAnArray { member: "data" },
            Stop::TooManyRows => SenderError::TooManyRows { max: scan.rows_max },
        })?;
        Ok(SenderRequest::new(text, &self.table))
    }

    /// Frees the memory of an unusually large request.
    pub fn shrink(&mut self, rows_kept: usize) {
        self.table.clear();
        self.table.rows.shrink_to(rows_kept);
        self.table.extras.shrink_to(rows_kept);
        self.table.arena.shrink_to(rows_kept.saturating_mul(64));
        self.repaired = String::new();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Host,
    Key,
    Value,
    Clock,
    Ns,
    Id,
    ItemId,
    State,
    LastLogSize,
    Mtime,
    Timestamp,
    Source,
    Severity,
    EventId,
    Unknown,
}

/// `name` with its closing quote as the low bytes of a word, and the mask of these bytes.
const fn quoted(name: &[u8]) -> (u64, u64) {
    let mut bytes = [0_u8; 8];
    let (head, _) = bytes.split_at_mut(name.len());
    head.copy_from_slice(name);
    let mask = if name.len() == 8 { u64::MAX } else { (1 << (8 * name.len())) - 1 };
    (u64::from_le_bytes(bytes), mask)
}

/// The names of nearly every row, recognized by one load and a few masked comparisons.
const FREQUENT: [((u64, u64), usize, Member); 7] = [
    (quoted(b"host\""), 5, Member::Host),
    (quoted(b"key\""), 4, Member::Key),
    (quoted(b"value\""), 6, Member::Value),
    (quoted(b"clock\""), 6, Member::Clock),
    (quoted(b"ns\""), 3, Member::Ns),
    (quoted(b"itemid\""), 7, Member::ItemId),
    (quoted(b"id\""), 3, Member::Id),
];

const fn member_of(name: &[u8]) -> Member {
    match name {
        b"host" => Member::Host,
        b"key" => Member::Key,
        b"value" => Member::Value,
        b"clock" => Member::Clock,
        b"ns" => Member::Ns,
        b"id" => Member::Id,
        b"itemid" => Member::ItemId,
        b"state" => Member::State,
        b"lastlogsize" => Member::LastLogSize,
        b"mtime" => Member::Mtime,
        b"timestamp" => Member::Timestamp,
        b"source" => Member::Source,
        b"severity" => Member::Severity,
        b"eventid" => Member::EventId,
        _ => Member::Unknown,
    }
}

struct Scan<'a, 't> {
    cursor: Cursor<'a>,
    text: &'a str,
    table: &'t mut Table,
    rows_max: usize,
}

impl Scan<'_, '_> {
    fn request(&mut self) -> Result<(), Stop> {
        self.cursor.expect(b'{')?;
        if !self.cursor.take(b'}') {
            loop {
                self.top_member()?;
                if !self.cursor.next_or_end(b'}')? {
                    break;
                }
            }
        }
        match self.cursor.peek_token() {
            None => Ok(()),
            Some(_) => Err(Stop::Syntax),
        }
    }

    fn top_member(&mut self) -> Result<(), Stop> {
        self.cursor.expect(b'"')?;
        let (span, escaped) = self.cursor.string_rest()?;
        let decoded;
        let name = if escaped {
            decoded = self.decode_name(span)?;
            decoded.as_bytes()
        } else {
            self.cursor.slice(span)
        };
        self.cursor.expect(b':')?;
        match name {
            b"data" => self.data(),
            b"commands" => self.commands(),
            b"request" | b"session" | b"host" | b"version" => {
                let scalar = self.cursor.scalar()?;
                let value = self.text_of(scalar);
                let top = &mut self.table.top;
                let field = match name {
                    b"request" => &mut top.request,
                    b"session" => &mut top.session,
                    b"host" => &mut top.host,
                    _ => &mut top.version,
                };
                *field = field.or(value);
                Ok(())
            }
            b"clock" | b"ns" | b"variant" => {
                let scalar = self.cursor.scalar()?;
                let value = self.whole_of(scalar);
                let top = &mut self.table.top;
                let field = match name {
                    b"clock" => &mut top.clock,
                    b"ns" => &mut top.ns,
                    _ => &mut top.variant,
                };
                *field = field.or(value);
                Ok(())
            }
            _ => self.cursor.scalar().map(drop),
        }
    }

    fn commands(&mut self) -> Result<(), Stop> {
        if self.cursor.peek_token() == Some(b'[') {
            let span = self.cursor.skip_compound()?;
            let commands = &mut self.table.top.commands;
            *commands = commands.or(Some(span));
            return Ok(());
        }
        self.cursor.scalar().map(drop)
    }

    fn data(&mut self) -> Result<(), Stop> {
        if self.table.top.has_data {
            return self.cursor.scalar().map(drop);
        }
        if self.cursor.peek_token() != Some(b'[') {
            return match self.cursor.scalar()? {
                Scalar::Null => Ok(()),
                _ => Err(Stop::NotAnArray),
            };
        }
        self.cursor.advance(1);
        self.table.top.has_data = true;
        if self.cursor.take(b']') {
            return Ok(());
        }
        loop {
            if self.table.rows.len() >= self.rows_max {
                return Err(Stop::TooManyRows);
            }
            let mut row = Raw::default();
            if self.cursor.take(b'{') {
                self.row(&mut row)?;
            } else {
                self.cursor.scalar()?;
                row.flags = Flags::MALFORMED;
            }
            self.table.rows.push(row);
            if !self.cursor.next_or_end(b']')? {
                return Ok(());
            }
        }
    }

    #[inline]
    fn row(&mut self, row: &mut Raw) -> Result<(), Stop> {
        if self.cursor.take(b'}') {
            return Ok(());
        }
        loop {
            let member = self.member()?;
            self.value(row, member)?;
            if !self.cursor.next_or_end(b'}')? {
                return Ok(());
            }
        }
    }

    /// The value of a member. The usual members have a fast path.
    #[inline]
    fn value(&mut self, row: &mut Raw, member: Member) -> Result<(), Stop> {
        match member {
            Member::Host => self.text(row, Flags::HOST),
            Member::Key => self.text(row, Flags::KEY),
            Member::Value => self.text(row, Flags::VALUE),
            Member::Clock => self.whole(row, Flags::CLOCK),
            Member::Ns => self.whole(row, Flags::NS),
            Member::ItemId => self.whole(row, Flags::ITEMID),
            Member::Id => self.whole(row, Flags::ID),
            Member::Unknown => self.cursor.scalar().map(drop),
            _ => {
                let scalar = self.cursor.scalar()?;
                self.store_extra(row, member, scalar);
                Ok(())
            }
        }
    }

    #[inline]
    fn text(&mut self, row: &mut Raw, flag: Flags) -> Result<(), Stop> {
        let span = match self.cursor.plain_text()? {
            Some(span) => Some(span),
            None => match self.cursor.scalar()? {
                Scalar::Null => return Ok(()),
                scalar => self.text_of(scalar),
            },
        };
        store_text(row, flag, span);
        Ok(())
    }

    #[inline]
    fn whole(&mut self, row: &mut Raw, flag: Flags) -> Result<(), Stop> {
        let value = match self.cursor.plain_whole() {
            Some(value) => Some(value),
            None => match self.cursor.scalar()? {
                Scalar::Null => return Ok(()),
                scalar => self.whole_of(scalar),
            },
        };
        store_whole(row, flag, value);
        Ok(())
    }

    /// The name of a member and its colon.
    #[inline]
    fn member(&mut self) -> Result<Member, Stop> {
        self.cursor.expect(b'"')?;
        let member = match self.frequent_member() {
            Some(member) => member,
            None => self.other_member()?,
        };
        self.cursor.expect(b':')?;
        Ok(member)
    }

    #[inline]
    fn frequent_member(&mut self) -> Option<Member> {
        let word = self.cursor.word()?;
        for ((name, mask), len, member) in FREQUENT {
            if word & mask == name {
                self.cursor.advance(len);
                return Some(member);
            }
        }
        None
    }

    fn other_member(&mut self) -> Result<Member, Stop> {
        let (span, escaped) = self.cursor.string_rest()?;
        if escaped {
            return Ok(member_of(self.decode_name(span)?.as_bytes()));
        }
        Ok(member_of(self.cursor.slice(span)))
    }

    /// A name with escapes: too rare for code of its own.
    #[cold]
    fn decode_name(&self, span: Span) -> Result<String, Stop> {
        let with_quotes = Span { start: span.start - 1, len: span.len + 2 };
        serde_json::from_slice(self.cursor.slice(with_quotes)).map_err(|_cause| Stop::Syntax)
    }

    fn store_extra(&mut self, row: &mut Raw, member: Member, scalar: Scalar) {
        if scalar == Scalar::Null {
            return;
        }
        if member == Member::Source {
            let source = self.text_of(scalar);
            if source.is_none() {
                row.flags |= Flags::MALFORMED;
            }
            let extra = self.extra_of(row);
            extra.source = extra.source.or(source);
            return;
        }
        let Some(value) = self.whole_of(scalar) else {
            row.flags |= Flags::MALFORMED;
            return;
        };
        let extra = self.extra_of(row);
        let field = match member {
            Member::State => &mut extra.state,
            Member::LastLogSize => &mut extra.lastlogsize,
            Member::Mtime => &mut extra.mtime,
            Member::Timestamp => &mut extra.timestamp,
            Member::Severity => &mut extra.severity,
            _ => &mut extra.eventid,
        };
        *field = field.or(Some(value));
    }

    /// The side table's entry of this row, made when needed.
    fn extra_of(&mut self, row: &mut Raw) -> &mut Extra {
        if !row.flags.has(Flags::EXTRA) {
            row.flags |= Flags::EXTRA;
            row.extra_idx = u32::try_from(self.table.extras.len())
                .expect("there are fewer rows than bytes of text");
            self.table.extras.push(Extra::default());
        }
        self.table
            .extras
            .get_mut(row.extra_idx as usize)
            .expect("the index was taken from the table's length")
    }

    /// Text of a string, number or boolean; unescaped into the arena where it has escapes.
    #[inline]
    fn text_of(&mut self, scalar: Scalar) -> Option<Span> {
        match scalar {
            Scalar::Text { span, escaped: false }
            | Scalar::Number { span, .. }
            | Scalar::Bool(span) => Some(span),
            Scalar::Text { span, escaped: true } => Some(self.unescaped(span)),
            Scalar::Null | Scalar::Compound => None,
        }
    }

    #[cold]
    fn unescaped(&mut self, span: Span) -> Span {
        // Unescaped text is never longer than escaped, so the arena's positions fit as well.
        let arena = &mut self.table.arena;
        let start = arena.len();
        unescape(self.text.get(span.range()).unwrap_or_default(), arena);
        let mut unescaped = Span::new(start, arena.len());
        unescaped.start |= Span::ARENA;
        unescaped
    }

    /// A whole number, also one in quotes.
    #[inline]
    fn whole_of(&self, scalar: Scalar) -> Option<u64> {
        match scalar {
            Scalar::Number { whole: Some(whole), .. } => Some(whole),
            Scalar::Number { span, whole: None } | Scalar::Text { span, escaped: false } => {
                self.parse_whole(span)
            }
            _ => None,
        }
    }

    #[cold]
    fn parse_whole(&self, span: Span) -> Option<u64> {
        let digits = self.text.get(span.range())?;
        // `parse` alone would accept a plus sign.
        digits.bytes().all(|it| it.is_ascii_digit()).then(|| digits.parse().ok())?
    }
}

/// Keeps the first of repeated members; `None` is a value that can't be a text.
#[inline]
fn store_text(row: &mut Raw, flag: Flags, span: Option<Span>) {
    if row.flags.has(flag) {
        return;
    }
    let Some(span) = span else {
        row.flags |= Flags::MALFORMED;
        return;
    };
    row.flags |= flag;
    match flag {
        Flags::HOST => row.host = span,
        Flags::KEY => row.key = span,
        _ => row.value = span,
    }
}

/// Keeps the first of repeated members; `None` is a value that can't be a whole number.
#[inline]
fn store_whole(row: &mut Raw, flag: Flags, value: Option<u64>) {
    if row.flags.has(flag) {
        return;
    }
    let Some(value) = value else {
        row.flags |= Flags::MALFORMED;
        return;
    };
    row.flags |= flag;
    match flag {
        Flags::CLOCK if i64::try_from(value).is_ok() => row.clock = value,
        Flags::NS if value < 1_000_000_000 => row.ns = u32::try_from(value).unwrap_or_default(),
        Flags::ITEMID => row.itemid = value,
        Flags::ID => row.id = value,
        _ => row.flags |= Flags::MALFORMED,
    }
}
