//! Problems as columns, and single ones as rows of the live stream.
//!
//! A snapshot is lines of JSON, so that a page can show the first rows before the last are written. The
//! first line says how many there are, each other one has some rows, newest first:
//!
//! ```text
//! {"version":812,"total":198681}
//! {"eventid":[912,-1,-3],"objectid":[…],"clock":[…],"r_clock":[0,0,1763762400],"cause":[0,0,912],"severity":[3,3,5],
//!  "flags":[0,1,4],"host":{"new":[["10084","web"]],"idx":[0,0,0]},"name":{…},"opdata":{…},"tags":{…}}
//! ```
//!
//! `eventid`, `objectid` and `clock` are differences, each from the row above in the line; `flags` are 1 acknowledged,
//! 2 suppressed, 4 may be closed by hand, 8 flapping; `cause` is the problem that the row is a symptom of. Dictionaries go on from line to line: `new` are their entries
//! since the line before. A body with fewer rows than the total was cut off.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderValue, Request, header};
use axum::response::Response;
use db::Problem;
use flate2::Compression;
use flate2::write::GzEncoder;
use model::content::Tag;
use model::map::Set;
use model::{Time, TriggerId};
use serde_json::{Value, json};

use super::columns::{self, Column, Dict};
use super::request::{Params, ids};
use super::session;
use crate::error::ApiError;
use crate::http::body::{accepts_gzip, text_answer};
use crate::objects::common::refs::Refs;
use crate::objects::common::triggers;
use crate::objects::problems::opdata::Opdata;
use crate::objects::problems::visibility::visible_trigger;
use crate::shared::{ApiState, Ctx, ExpandContext};

/// Rows of the first line: those that a page shows at once, and some.
const FIRST_ROWS: usize = 500;
/// Rows of each other line: some 5 ms of work on both sides.
const ROWS: usize = 10_000;

const LINES: &str = "application/x-ndjson";

const ACKNOWLEDGED: u8 = 1;
const SUPPRESSED: u8 = 2;
const MANUAL_CLOSE: u8 = 4;
const FLAPPING: u8 = 8;

/// Problems of triggers; internal ones are not shown here.
fn is_shown(problem: &Problem) -> bool {
    problem.event.is_of_trigger()
}

/// All open and recently resolved problems.
pub(super) async fn snapshot(
    State(shared): State<Arc<ApiState>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    let caller = match session::caller(&shared, &request) {
        Ok(it) => it,
        Err(response) => return response,
    };
    let is_gzip = accepts_gzip(request.headers());
    let (of_work, user) = (Arc::clone(&shared), caller.identity.userid);
    let begun = shared.blocking_of((&shared.calls, user), move || {
        let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
        let first = First::read(&params)?;
        Ok(Lines::new(ctx, &first, is_gzip))
    });
    let lines = match begun.await.flatten() {
        Ok(lines) => lines,
        Err(error) => return text_answer(&shared, request.headers(), Err(error)).await,
    };
    let mut response = Response::new(Body::from_stream(lines.stream()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(LINES));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if is_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Which problems a page wants to see first; the others follow.
#[derive(Default)]
struct First {
    hosts: Option<Set<u64>>,
    severities: Option<Vec<u64>>,
    is_by_severity: bool,
}

impl First {
    fn read(params: &Params) -> Result<Self, ApiError> {
        let hosts = ids(params, "hostids")?.map(|it| it.into_iter().collect());
        let severities = ids(params, "severities")?;
        let is_by_severity = params.get("sort").is_some_and(|it| it == "severity");
        Ok(Self { hosts, severities, is_by_severity })
    }

    fn wants(&self, problem: &Problem, now: Time) -> bool {
        let hosts = &problem.event.hosts;
        let severity = i64::from(problem.severity.code());
        self.hosts.as_ref().is_none_or(|it| hosts.iter().any(|host| it.contains(&host.0)))
            && self
                .severities
                .as_ref()
                .is_none_or(|it| it.iter().any(|wanted| severity == wanted.cast_signed()))
            && problem.is_open()
            && !problem.is_suppressed(now)
    }
}

/// Writes a snapshot line by line, each when the one before is on its way.
struct Lines {
    ctx: Ctx,
    problems: Vec<Arc<Problem>>,
    /// Rows that are written.
    n_written: usize,
    table: Table,
    /// Before the first line.
    head: Option<String>,
    gzip: Option<GzEncoder<Vec<u8>>>,
    is_over: bool,
}

impl Lines {
    fn new(ctx: Ctx, first: &First, is_gzip: bool) -> Self {
        let changes = ctx.db().events().changes_since(0);
        let refs = Refs::new(&ctx.snapshot);
        let is_visible = |it: &Arc<Problem>| {
            is_shown(it)
                && visible_trigger(&ctx, &it.event)
                    .is_some_and(|(holder, row)| triggers::is_monitored(&refs, holder, row))
        };
        let mut problems: Vec<Arc<Problem>> =
            changes.changed.into_iter().filter(is_visible).collect();
        problems.sort_by_cached_key(|it| Reverse((it.event.time.clock(), it.event.eventid)));
        let total = problems.len();
        Self {
            problems: put_first(problems, first, ctx.now),
            n_written: 0,
            table: Table::default(),
            head: Some(json!({"version": changes.version, "total": total}).to_string()),
            gzip: is_gzip.then(|| GzEncoder::new(Vec::new(), Compression::fast())),
            is_over: false,
            ctx,
        }
    }

    fn stream(self) -> impl futures_util::Stream<Item = io::Result<Bytes>> {
        futures_util::stream::unfold(Some(self), |lines| async move {
            let mut lines = lines.filter(|it| !it.is_over)?;
            let shared = Arc::clone(&lines.ctx.shared);
            let written = shared.blocking_unrefused(&shared.calls, move || {
                let part = lines.next();
                (lines, part)
            });
            match written.await {
                Ok((lines, part)) => Some((part, Some(lines))),
                // The client sees a body that was cut off.
                Err(error) => Some((Err(io::Error::other(error.data())), None)),
            }
        })
    }

    /// The bytes of the next line, the head together with the first rows.
    fn next(&mut self) -> io::Result<Bytes> {
        let head = self.head.take();
        let n = if head.is_some() { FIRST_ROWS } else { ROWS };
        let n = n.min(self.problems.len() - self.n_written);
        let mut text = head.map_or_else(String::new, |it| it + "\n");
        if n > 0 {
            for problem in self.problems.iter().skip(self.n_written).take(n) {
                self.table.push(&self.ctx, problem);
            }
            self.n_written += n;
            text.push_str(&self.table.take());
            text.push('\n');
        }
        self.is_over = self.n_written == self.problems.len();
        let Some(mut gzip) = self.gzip.take() else { return Ok(Bytes::from(text)) };
        gzip.write_all(text.as_bytes())?;
        if self.is_over {
            return gzip.finish().map(Bytes::from);
        }
        // The line can be read without the next one.
        gzip.flush()?;
        let part = std::mem::take(gzip.get_mut());
        self.gzip = Some(gzip);
        Ok(Bytes::from(part))
    }
}

/// Moves the problems of the first page to the front, as many as the first line has.
fn put_first(problems: Vec<Arc<Problem>>, first: &First, now: Time) -> Vec<Arc<Problem>> {
    let all = problems.iter().enumerate();
    let mut wanted: Vec<usize> =
        all.filter(|(_, it)| first.wants(it, now)).map(|(at, _)| at).collect();
    if first.is_by_severity {
        wanted.sort_by_key(|at| Reverse(problems.get(*at).map(|it| it.severity.code())));
    }
    wanted.truncate(FIRST_ROWS);
    let is_first: Set<usize> = wanted.iter().copied().collect();
    let mut ordered: Vec<Arc<Problem>> =
        wanted.into_iter().filter_map(|at| problems.get(at).cloned()).collect();
    let others = problems.into_iter().enumerate().filter(|(at, _)| !is_first.contains(at));
    ordered.extend(others.map(|(_, it)| it));
    ordered
}

/// The rows of one line, and the dictionaries of all.
#[derive(Default)]
struct Table {
    eventid: Differences,
    objectid: Differences,
    clock: Differences,
    r_clock: Column,
    cause: Column,
    severity: Column,
    flags: Column,
    host: Dict,
    name: Dict,
    opdata: Dict,
    tags: Dict,
    expanded: Opdata,
}

#[derive(Default)]
struct Differences {
    column: Column,
    last: i64,
}

impl Differences {
    fn push(&mut self, it: i64) {
        self.column.plain(it - self.last);
        self.last = it;
    }

    fn take(&mut self) -> String {
        std::mem::take(self).column.finish()
    }
}

impl Table {
    fn push(&mut self, ctx: &Ctx, problem: &Problem) {
        let event = &problem.event;
        let found = ctx.snapshot.trigger(TriggerId(event.objectid));
        let manual_close = found.is_some_and(|(_, row)| row.content.manual_close);
        let (hostid, host) = found.map_or((0, ""), |(it, _)| (it.id.0, &*it.name));
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        self.eventid.push(event.eventid.0.cast_signed());
        self.objectid.push(event.objectid.cast_signed());
        self.clock.push(event.time.clock());
        self.r_clock.plain(problem.r_time.clock());
        self.cause.plain(problem.cause.0);
        self.severity.plain(problem.severity.code());
        self.flags.plain(
            flag(problem.acknowledged, ACKNOWLEDGED)
                | flag(problem.is_suppressed(ctx.now), SUPPRESSED)
                | flag(manual_close, MANUAL_CLOSE)
                | flag(problem.flapping, FLAPPING),
        );
        self.host.pair(hostid, host);
        self.name.text(&event.name);
        let opdata =
            found.map_or(Cow::Borrowed(""), |it| self.expanded.of_trigger(ctx.into(), it, event));
        self.opdata.text(&opdata);
        self.tags.tags(&event.tags);
    }

    /// A line of the rows since the last one.
    fn take(&mut self) -> String {
        let column = |it: &mut Column| std::mem::take(it).finish();
        columns::object(&[
            ("eventid", self.eventid.take()),
            ("objectid", self.objectid.take()),
            ("clock", self.clock.take()),
            ("r_clock", column(&mut self.r_clock)),
            ("cause", column(&mut self.cause)),
            ("severity", column(&mut self.severity)),
            ("flags", column(&mut self.flags)),
            ("host", self.host.take()),
            ("name", self.name.take()),
            ("opdata", self.opdata.take()),
            ("tags", self.tags.take()),
        ])
    }
}

/// A row of the live stream; `None` if its trigger is deleted.
pub(super) fn row(view: ExpandContext<'_>, opdata: &Opdata, problem: &Problem) -> Option<Value> {
    let event = &problem.event;
    let found = view.snapshot.trigger(TriggerId(event.objectid)).filter(|_| is_shown(problem));
    let (holder, trigger) = found.filter(|(_, row)| row.is_live())?;
    let tags: Vec<[&str; 2]> =
        event.tags.iter().map(|Tag { tag, value }| [tag.as_str(), value.as_str()]).collect();
    Some(json!({
        "eventid": event.eventid,
        "objectid": event.objectid.to_string(),
        "clock": event.time.clock(),
        "severity": problem.severity.code(),
        "name": event.name,
        "hostid": holder.id,
        "host": holder.name,
        "acknowledged": problem.acknowledged,
        "suppressed": problem.is_suppressed(view.now),
        "r_clock": problem.r_time.clock(),
        "cause": problem.cause,
        "flapping": problem.flapping,
        "opdata": opdata.of_trigger(view, (holder, trigger), event),
        "tags": tags,
        "manual_close": trigger.content.manual_close,
    }))
}
