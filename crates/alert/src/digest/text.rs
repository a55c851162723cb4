//! The text of a digest: causes first, then counts. Plain text, of bounded length for any storm.

use std::collections::BTreeMap;
use std::fmt::Write;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::EventId;
use model::content::Severity;

/// Stands for the digest's own id until that is given.
pub const ID_PLACEHOLDER: &str = "{DIGEST.ID}";

/// Problems that are named.
const NAMED_MAX: usize = 20;
/// Lines of counts by group and by tag.
const COUNTED_MAX: usize = 10;
/// Longest name that is shown in full, in characters.
const NAME_CHARS: usize = 200;

/// A problem of held messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigestProblem {
    pub event: EventId,
    pub name: String,
    pub severity: Severity,
    /// Visible names.
    pub hosts: Vec<String>,
    pub groups: Vec<String>,
    /// Names and values.
    pub tags: Vec<(String, String)>,
    /// When it began, in seconds since 1970.
    pub clock: i64,
    pub is_open: bool,
    /// The problem that it is a symptom of; `NONE`: it is a cause.
    pub cause: EventId,
}

/// The subject of a digest.
#[derive(Clone, Debug)]
pub struct DigestFacts<'a> {
    pub n_messages: usize,
    /// When the first and the last of them were made, in seconds since 1970.
    pub first: i64,
    pub last: i64,
    pub problems: Vec<DigestProblem>,
    /// Events that are no problems, or are not there any more.
    pub n_others: usize,
    /// Names by code.
    pub severity_names: [&'a str; 6],
    /// Of the recipient.
    pub zone: &'a TimeZone,
    /// Where browsers reach the server; empty: unknown.
    pub url: &'a str,
}

/// Subject and text. [`ID_PLACEHOLDER`] stands in the text.
#[must_use]
pub fn texts(facts: &DigestFacts<'_>) -> (String, String) {
    let n_problems = facts.problems.len();
    let n_resolved = facts.problems.iter().filter(|it| !it.is_open).count();
    let hosts = count(facts.problems.iter().flat_map(|it| &it.hosts));
    let worst = facts.problems.iter().map(|it| it.severity).max();
    let mut subject = format!("{}: ", some(facts.n_messages, "message"));
    let of_others = || some(facts.n_others, "event");
    if n_problems == 0 {
        subject.push_str(&of_others());
    } else {
        subject.push_str(&some(n_problems, "problem"));
        if !hosts.is_empty() {
            put(&mut subject, format_args!(" on {}", some(hosts.len(), "host")));
        }
    }
    if let Some(worst) = worst {
        put(&mut subject, format_args!(", worst: {}", severity(facts, worst)));
    }
    if n_problems != 0 && n_resolved == n_problems {
        subject.push_str(", all resolved");
    }
    let mut text = format!(
        "{} from {} to {} in one.\n",
        some(facts.n_messages, "message"),
        time(facts.first, facts.zone),
        time(facts.last, facts.zone)
    );
    if n_problems != 0 {
        let n_open = n_problems - n_resolved;
        put(
            &mut text,
            format_args!(
                "{}: {n_open} open, {n_resolved} resolved.\n",
                some(n_problems, "problem")
            ),
        );
    }
    if facts.n_others != 0 {
        put(&mut text, format_args!("{} besides.\n", of_others()));
    }
    causes(facts, &mut text);
    counts(facts, &mut text);
    if !facts.url.is_empty() {
        let url = facts.url.trim_end_matches('/');
        put(&mut text, format_args!("\nEach message: {url}/alerts?digest={ID_PLACEHOLDER}\n"));
    }
    (subject, text)
}

/// The text for a medium that shows HTML.
#[must_use]
pub fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<pre>{escaped}</pre>")
}

/// Causes with the number of their symptoms: open ones first, the worst first, then the oldest.
fn causes(facts: &DigestFacts<'_>, text: &mut String) {
    let known: BTreeMap<EventId, &DigestProblem> =
        facts.problems.iter().map(|it| (it.event, it)).collect();
    let mut symptoms: BTreeMap<EventId, usize> = BTreeMap::new();
    let mut causes: Vec<&DigestProblem> = Vec::new();
    for it in &facts.problems {
        // A symptom whose cause is in another message is named itself.
        if it.cause != EventId::NONE && known.contains_key(&it.cause) {
            *symptoms.entry(it.cause).or_default() += 1;
        } else {
            causes.push(it);
        }
    }
    causes.sort_by_key(|it| (!it.is_open, std::cmp::Reverse(it.severity), it.clock, it.event));
    if causes.is_empty() {
        return;
    }
    text.push_str("\nCauses:\n");
    for it in causes.iter().take(NAMED_MAX) {
        put(
            text,
            format_args!("  [{}] {}", severity(facts, it.severity), cut(&it.name, NAME_CHARS)),
        );
        if !it.hosts.is_empty() {
            put(text, format_args!(" - {}", cut(&it.hosts.join(", "), NAME_CHARS)));
        }
        put(text, format_args!(" - {}", time(it.clock, facts.zone)));
        if let Some(n) = symptoms.get(&it.event) {
            put(text, format_args!(" - {}", some(*n, "symptom")));
        }
        if !it.is_open {
            text.push_str(" - resolved");
        }
        text.push('\n');
    }
    if NAMED_MAX < causes.len() {
        put(text, format_args!("  and {} more\n", causes.len() - NAMED_MAX));
    }
}

fn counts(facts: &DigestFacts<'_>, text: &mut String) {
    if facts.problems.is_empty() {
        return;
    }
    let by_severity = count(facts.problems.iter().map(|it| it.severity));
    let mut lines: Vec<(String, usize)> = Vec::new();
    for (it, n) in by_severity.into_iter().rev() {
        lines.push((severity(facts, it).to_owned(), n));
    }
    list(text, "By severity", lines);
    list(text, "By host group", frequent(count(facts.problems.iter().flat_map(|it| &it.groups))));
    let tags = facts.problems.iter().flat_map(|it| &it.tags);
    let mut tags = count(tags.map(|(name, value)| match value.as_str() {
        "" => name.clone(),
        value => format!("{name}: {value}"),
    }));
    // A tag of a single problem is not common.
    tags.retain(|_, n| 1 < *n);
    list(text, "Common tags", frequent(tags));
}

fn list(text: &mut String, title: &str, lines: Vec<(String, usize)>) {
    if lines.is_empty() {
        return;
    }
    put(text, format_args!("\n{title}:\n"));
    for (what, n) in lines.iter().take(COUNTED_MAX) {
        put(text, format_args!("  {n}  {}\n", cut(what, NAME_CHARS)));
    }
    if COUNTED_MAX < lines.len() {
        put(text, format_args!("  and {} more\n", lines.len() - COUNTED_MAX));
    }
}

fn count<T: Ord>(all: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    all.for_each(|it| *counts.entry(it).or_default() += 1);
    counts
}

/// The most frequent first.
fn frequent<T: Ord + ToString>(counts: BTreeMap<T, usize>) -> Vec<(String, usize)> {
    let mut all: Vec<_> = counts.into_iter().map(|(it, n)| (it.to_string(), n)).collect();
    all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    all
}

fn severity<'a>(facts: &DigestFacts<'a>, of: Severity) -> &'a str {
    let code = usize::try_from(of.code()).unwrap_or_default();
    facts.severity_names.get(code).copied().unwrap_or_default()
}

fn some(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn time(clock: i64, zone: &TimeZone) -> String {
    let time = Timestamp::from_second(clock).unwrap_or(Timestamp::UNIX_EPOCH);
    time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn cut(text: &str, n_max: usize) -> String {
    let is_long = n_max < text.chars().count();
    let cut: String = text.chars().take(n_max).collect();
    // A name with a line break would look like lines of the digest.
    let cut = cut.replace(['\r', '\n'], " ");
    if is_long { format!("{cut}…") } else { cut }
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes all");
}
