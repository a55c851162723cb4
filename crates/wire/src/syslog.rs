//! Messages of syslog: RFC 5424, RFC 3164 and the variants of devices.
//!
//! ```text
//! 5424: <PRI>1 TIMESTAMP HOSTNAME APP-NAME PROCID MSGID STRUCTURED-DATA [MSG]
//! 3164: <PRI>Mmm dd hh:mm:ss HOSTNAME TAG[PID]: MSG
//! PRI = facility * 8 + severity
//! ```
//!
//! Nothing is refused: a message of neither form is a text of facility 1 (user) and severity 5
//! (notice), as RFC 3164 says. Streams of TCP frame messages by their length (`LEN SP MSG`) or by a
//! line feed or NUL (RFC 6587); the first byte of each message decides which. [`Frames`] takes
//! their bytes piecemeal.

use std::borrow::Cow;

/// The content of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyslogMessage<'a> {
    /// 0 to 23.
    pub facility: u8,
    /// 0, an emergency, to 7, for debugging.
    pub severity: u8,
    pub time: Option<Stamp<'a>>,
    pub hostname: Option<&'a str>,
    pub app: Option<&'a str>,
    /// Name or number of the process.
    pub process: Option<&'a str>,
    /// With structured data, if there is any, at its start.
    pub text: Cow<'a, str>,
}

/// A time as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stamp<'a> {
    /// RFC 3339, with its zone.
    Whole(&'a str),
    /// Month from 1, day, hour, minute, second: without year and zone.
    Short([u8; 5]),
}

/// Facilities by their number.
pub const FACILITIES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv",
    "ftp", "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4",
    "local5", "local6", "local7",
];

/// Severities by their number.
pub const SEVERITIES: [&str; 8] =
    ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// For messages without a priority.
const USER_NOTICE: (u8, u8) = (1, 5);
/// Longest tag of RFC 3164 that is recognized; the standard allows 32. A longer one is part of the
/// text.
const TAG_MAX: usize = 64;

/// Reads a message.
#[must_use]
pub fn parse(message: &str) -> SyslogMessage<'_> {
    let message = message.trim_end_matches(['\n', '\r', '\0']);
    let ((facility, severity), rest) = priority(message).unwrap_or((USER_NOTICE, message));
    let empty = SyslogMessage {
        facility,
        severity,
        time: None,
        hostname: None,
        app: None,
        process: None,
        text: Cow::Borrowed(rest),
    };
    rest.strip_prefix("1 ")
        .and_then(|it| rfc5424(it, &empty))
        .unwrap_or_else(|| rfc3164(rest, empty))
}

fn priority(message: &str) -> Option<((u8, u8), &str)> {
    let (number, rest) = message.strip_prefix('<')?.split_once('>')?;
    let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|it| it.is_ascii_digit());
    let number: u16 = number.parse().ok().filter(|_| is_number)?;
    let facility =
        u8::try_from(number / 8).ok().filter(|it| usize::from(*it) < FACILITIES.len())?;
    Some(((facility, u8::try_from(number % 8).ok()?), rest))
}

fn rfc5424<'a>(rest: &'a str, empty: &SyslogMessage<'a>) -> Option<SyslogMessage<'a>> {
    let mut rest = rest;
    let mut word = || {
        let (word, behind) = rest.split_once(' ')?;
        rest = behind;
        Some(Some(word).filter(|it| *it != "-" && !it.is_empty()))
    };
    let (time, hostname, app, process, _id) = (word()?, word()?, word()?, word()?, word()?);
    let (data, text) = structured_data(rest)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Some(SyslogMessage {
        time: time.map(Stamp::Whole),
        hostname,
        app,
        process,
        text: match (data, text) {
            ("-", text) => Cow::Borrowed(text),
            (data, "") => Cow::Borrowed(data),
            (data, text) => Cow::Owned(format!("{data} {text}")),
        },
        ..empty.clone()
    })
}

/// `-` or `[id name="value"]…`, and the text after it.
fn structured_data(rest: &str) -> Option<(&str, &str)> {
    let end = if rest.starts_with('-') {
        1
    } else {
        let (mut in_element, mut in_value, mut is_escaped) = (false, false, false);
        let mut end = None;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if in_value => is_escaped = true,
                b'"' if in_element => in_value = !in_value,
                b']' if in_element && !in_value => {
                    in_element = false;
                    end = Some(at + 1);
                }
                b'[' if !in_element => in_element = true,
                _ if !in_element => break,
                _ => {}
            }
        }
        end.filter(|_| !in_element)?
    };
    let (data, text) = rest.split_at_checked(end)?;
    match text.strip_prefix(' ') {
        Some(text) => Some((data, text)),
        None => text.is_empty().then_some((data, text)),
    }
}

fn rfc3164<'a>(rest: &'a str, empty: SyslogMessage<'a>) -> SyslogMessage<'a> {
    let (time, rest) = match stamp(rest) {
        Some((time, rest)) => (Some(time), rest),
        None => (None, rest),
    };
    if time.is_none() {
        // A host name alone cannot be distinguished from the text.
        let (app, process, text) = tag(rest).unwrap_or((None, None, rest));
        return SyslogMessage { app, process, text: Cow::Borrowed(text), ..empty };
    }
    // `HOST TAG: text`; some devices omit the host.
    let behind_host =
        rest.split_once(' ').filter(|(host, _)| !host.ends_with(':') && is_name(host));
    let (hostname, rest) = match behind_host {
        Some((host, rest)) if tag(rest).is_some() || tag(host).is_none() => (Some(host), rest),
        _ => (None, rest),
    };
    let (app, process, text) = tag(rest).unwrap_or((None, None, rest));
    SyslogMessage { time, hostname, app, process, text: Cow::Borrowed(text), ..empty }
}

fn is_name(word: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'-' | b'_' | b':');
    !word.is_empty() && word.bytes().all(is_part)
}

/// `Nov  5 01:02:03 `, also with a year as some devices write it, or a time of RFC 3339.
fn stamp(rest: &str) -> Option<(Stamp<'_>, &str)> {
    if rest.as_bytes().get(10) == Some(&b'T') && rest.starts_with(|it: char| it.is_ascii_digit()) {
        let (time, behind) = rest.split_once(' ')?;
        return Some((Stamp::Whole(time), behind));
    }
    let month = MONTHS.iter().position(|it| rest.starts_with(it))?;
    let mut words = rest.get(3..)?.strip_prefix(' ')?;
    words = words.strip_prefix(' ').unwrap_or(words);
    let (day, mut words) = words.split_once(' ')?;
    if let Some((year, behind)) = words.split_once(' ')
        && year.len() == 4
        && year.bytes().all(|it| it.is_ascii_digit())
    {
        words = behind;
    }
    let (clock, behind) = words.split_once(' ').unwrap_or((words, ""));
    let clock = clock.strip_suffix(':').unwrap_or(clock);
    let clock = clock.split_once('.').map_or(clock, |it| it.0);
    let mut parts = clock.split(':');
    let mut number = |max: u8| parts.next()?.parse::<u8>().ok().filter(|it| *it <= max);
    let (hour, minute, second) = (number(23)?, number(59)?, number(60)?);
    let day = day.parse::<u8>().ok().filter(|it| (1..=31).contains(it))?;
    let month = u8::try_from(month + 1).ok()?;
    Some((Stamp::Short([month, day, hour, minute, second]), behind))
}

/// Name, process and the text after `name[process]: ` or `name: `.
type Tag<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

fn tag(rest: &str) -> Option<Tag<'_>> {
    let (tag, text) = rest.split_once(':')?;
    let is_tag = !tag.is_empty() && tag.len() <= TAG_MAX && !tag.contains([' ', '\t', '"']);
    if !is_tag || !(text.is_empty() || text.starts_with(' ')) {
        return None;
    }
    let text = text.strip_prefix(' ').unwrap_or(text);
    match tag.strip_suffix(']').and_then(|it| it.split_once('[')) {
        Some((name, process)) => Some((Some(name), Some(process), text)),
        None => Some((Some(tag), None, text)),
    }
}

/// The messages of a stream.
#[derive(Debug)]
pub struct Frames {
    buffer: Vec<u8>,
    /// Bytes at the start that are already given out.
    start: usize,
    /// The bytes of a message that is too long that are still to be dropped; with `until_end` all
    /// up to its end.
    skip: usize,
    until_end: bool,
    max: usize,
}

/// An invalid frame: the rest of the stream is unreadable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the length of a message is no number")]
pub struct FrameError;

/// A message of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    pub bytes: &'a [u8],
    /// The message was longer and is cut.
    pub is_cut: bool,
}

/// Digits of a length; a longer number is no length.
const LENGTH_DIGITS_MAX: usize = 9;

impl Frames {
    /// Keeps at most `max` bytes of each message.
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, skip: 0, until_end: false, max: max.max(1) }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    fn left(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Drops the rest of a message that was cut. `false`: it has not ended.
    fn skip(&mut self) -> bool {
        if self.until_end {
            let end = memchr::memchr2(b'\n', 0, self.left());
            self.start = end.map_or(self.buffer.len(), |it| self.start + it + 1);
            self.until_end = end.is_none();
        }
        let n = self.skip.min(self.left().len());
        self.start += n;
        self.skip -= n;
        self.skip == 0 && !self.until_end
    }

    /// The next message, if it is complete.
    ///
    /// # Errors
    /// If a message begins with a digit and has no length.
    pub fn next_message(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        if !self.skip() {
            return Ok(None);
        }
        // Ends of lines between messages.
        while self.left().first().is_some_and(|it| matches!(it, b'\n' | b'\r' | 0)) {
            self.start += 1;
        }
        match self.left().first() {
            None => Ok(None),
            Some(it) if it.is_ascii_digit() => self.counted(),
            Some(_) => Ok(self.line()),
        }
    }

    fn counted(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        let left = self.left();
        let digits = left.iter().take_while(|it| it.is_ascii_digit()).count();
        if LENGTH_DIGITS_MAX < digits {
            return Err(FrameError);
        }
        match left.get(digits) {
            None => return Ok(None),
            Some(b' ') => {}
            Some(_) => return Err(FrameError),
        }
        let length = left.get(..digits).unwrap_or_default().iter();
        let length = length.fold(0_usize, |sum, it| sum * 10 + usize::from(it - b'0'));
        let kept = length.min(self.max);
        let begin = self.start + digits + 1;
        if self.buffer.len() < begin + kept {
            return Ok(None);
        }
        self.start = begin + kept;
        self.skip = length - kept;
        let bytes = self.buffer.get(begin..begin + kept).unwrap_or_default();
        Ok(Some(Frame { bytes, is_cut: kept < length }))
    }

    fn line(&mut self) -> Option<Frame<'_>> {
        let left = self.left();
        let end = memchr::memchr2(b'\n', 0, left);
        let (begin, n) = (self.start, end.unwrap_or(left.len()));
        let kept = n.min(self.max);
        if end.is_none() && n <= self.max {
            return None;
        }
        self.until_end = end.is_none();
        self.start = begin + n + usize::from(end.is_some());
        let bytes = self.buffer.get(begin..begin + kept).unwrap_or_default();
        Some(Frame { bytes, is_cut: kept < n || end.is_none() })
    }

    /// The rest when the stream ends: a line without an end.
    #[must_use]
    pub fn last(&mut self) -> Option<Frame<'_>> {
        if !self.skip() || self.left().first().is_none_or(u8::is_ascii_digit) {
            return None;
        }
        let (begin, n) = (self.start, self.left().len());
        let kept = n.min(self.max);
        self.start = self.buffer.len();
        let bytes = self.buffer.get(begin..begin + kept).unwrap_or_default();
        Some(Frame { bytes, is_cut: kept < n })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expected: &str) {
        let it = parse(message);
        let word = |it: Option<&str>| it.unwrap_or("-").to_owned();
        let time = match it.time {
            None => "-".to_owned(),
            Some(Stamp::Whole(it)) => it.to_owned(),
            Some(Stamp::Short(it)) => format!("{it:?}"),
        };
        let facility = FACILITIES[usize::from(it.facility)];
        let severity = SEVERITIES[usize::from(it.severity)];
        let found = format!(
            "{facility}.{severity} {time} {} {} {} |{}|",
            word(it.hostname),
            word(it.app),
            word(it.process),
            it.text
        );
        assert_eq!(found, expected, "{message}");
    }

    #[test]
    fn messages_of_rfc_5424_are_read() {
        check(
            "<34>1 2003-10-11T22:14:15.003Z web.example su 12 ID47 - \u{feff}'su root' failed\n",
            "auth.crit 2003-10-11T22:14:15.003Z web.example su 12 |'su root' failed|",
        );
        check(
            r#"<165>1 - - evntslog - - [a@1 iut="3" x="q\"]"][b@2] An event"#,
            r#"local4.notice - - evntslog - |[a@1 iut="3" x="q\"]"][b@2] An event|"#,
        );
        check("<13>1 - h a - - [x]", "user.notice - h a - |[x]|");
        check("<13>1 - h a - - -", "user.notice - h a - ||");
        // Not quite: a text.
        check("<13>1 - h a - - [x", "user.notice - - - - |1 - h a - - [x|");
    }

    #[test]
    fn messages_of_rfc_3164_are_read() {
        check(
            "<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick",
            "auth.crit [10, 11, 22, 14, 15] mymachine su - |'su root' failed for lonvick|",
        );
        check(
            "<13>Feb  5 17:32:18 10.0.0.99 sshd[812]: Use the BFG!",
            "user.notice [2, 5, 17, 32, 18] 10.0.0.99 sshd 812 |Use the BFG!|",
        );
        check(
            "<13>Feb  5 17:32:18 cron: no host",
            "user.notice [2, 5, 17, 32, 18] - cron - |no host|",
        );
        check(
            "<13>Feb  5 17:32:18 h just text",
            "user.notice [2, 5, 17, 32, 18] h - - |just text|",
        );
        check("<6>su: no time", "kern.info - - su - |no time|");
        check(
            "<189>Nov 25 2026 10:00:00 sw1 : %SYS-5-CONFIG_I: Configured",
            "local7.notice [11, 25, 10, 0, 0] sw1 - - |: %SYS-5-CONFIG_I: Configured|",
        );
        check(
            "<30>2026-11-25T10:00:00+01:00 h app: text",
            "daemon.info 2026-11-25T10:00:00+01:00 h app - |text|",
        );
    }

    #[test]
    fn message_of_neither_form_is_text_of_a_user() {
        for text in ["hello", "<192>hello", "<1234>hello", "<x>hello", "<>hello", "<34", ""] {
            check(text, &format!("user.notice - - - - |{text}|"));
        }
    }

    fn frames(pieces: &[&[u8]], max: usize) -> Result<Vec<(String, bool)>, FrameError> {
        let mut frames = Frames::new(max);
        let mut found = Vec::new();
        let mut take = |it: Frame<'_>| {
            found.push((String::from_utf8_lossy(it.bytes).into_owned(), it.is_cut));
        };
        for piece in pieces {
            frames.feed(piece);
            while let Some(it) = frames.next_message()? {
                take(it);
            }
        }
        if let Some(it) = frames.last() {
            take(it);
        }
        Ok(found)
    }

    #[test]
    fn messages_of_a_stream_are_framed_by_length_or_line() {
        let stream = b"5 <1>ab<2>c\nd\r\n\0<3>e\x0010 <4>0123456<5>f";
        let whole = frames(&[stream], 100).expect("frames");
        let texts: Vec<&str> = whole.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(texts, ["<1>ab", "<2>c", "d\r", "<3>e", "<4>0123456", "<5>f"]);
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(frames(&single, 100), Ok(whole));
        assert_eq!(frames(&[b"12x"], 100), Err(FrameError));
        assert_eq!(frames(&[b"1234567890 "], 100), Err(FrameError));
    }

    #[test]
    fn long_messages_are_cut_and_the_next_one_is_whole() {
        for stream in [&b"8 <1>abcde5 <2>xy"[..], b"<1>abcde\n<2>xy\n"] {
            let expected = [("<1>ab".to_owned(), true), ("<2>xy".to_owned(), false)];
            assert_eq!(frames(&[stream], 5).as_deref(), Ok(&expected[..]));
            let single: Vec<&[u8]> = stream.chunks(1).collect();
            assert_eq!(frames(&single, 5).as_deref(), Ok(&expected[..]));
        }
    }
}
