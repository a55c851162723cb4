//! `problem.get`: open and recently resolved problems, from memory; `event.get` and
//! `event.acknowledge`: all events, from SQL.

use std::collections::BTreeSet;
use std::sync::Arc;

use db::events::{EventRow, object};
use db::{AlertRow, EventQuery, Problem};
use model::content::RoleType;
use model::map::Map as HashMap;
use model::version::Version;
use model::{EventId, GroupId, ItemId, Time, TriggerId};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, Select, joined,
};
use crate::error::ApiError;
use crate::json::{Scalar, text};
use crate::method::{Method, ObjectEntry, Pool, Run};
use crate::objects::common::parts::TAG;
use crate::objects::common::scope::Get;
use crate::objects::problems::acknowledge::acknowledge;
use crate::objects::problems::event::{
    self, ACKNOWLEDGE, COMMON, EventColumn, EventFilter, EventReader, VALUE,
};
use crate::objects::problems::event_alerts::alerts_of;
use crate::objects::problems::select::Selected;
use crate::objects::problems::urls::EventMenu;
use crate::objects::problems::visibility::has_object;
use crate::query::table;
use crate::query::{self, Output, Rows};
use crate::relation::Related;
use crate::shared::Ctx;

const URL: &[Field] = &[
    Field::new("url", FieldType::Text { max: 2_048 }, Rule::ReadOnly, "Address"),
    Field::new("name", FieldType::Text { max: 2_048 }, Rule::ReadOnly, "Name"),
];
const URLS: EventColumn = EventColumn::of_row(
    Field::new("urls", FieldType::List(URL), Rule::ReadOnly, "Entries that webhooks give its menu")
        .answered(),
    |_, _| Scalar::Nothing,
);
const PROBLEM_OWN: [EventColumn; 3] = [
    EventColumn::of_row(
        Field::new("r_clock", FieldType::Timestamp, Rule::ReadOnly, "When it ended; 0: it is open"),
        |_, (_, problem)| Scalar::Number(problem.map_or(0, |it| it.r_time.clock())),
    ),
    EventColumn::of_row(
        Field::new(
            "r_ns",
            FieldType::Int { min: 0, max: 999_999_999 },
            Rule::ReadOnly,
            "… nanoseconds",
        ),
        |_, (_, problem)| Scalar::code(problem.map_or(0, |it| it.r_time.ns())),
    ),
    URLS,
];
const PROBLEM_COLUMNS: [EventColumn; 19] = joined(&COMMON, &PROBLEM_OWN);
const PROBLEM_FIELDS: [Field; PROBLEM_COLUMNS.len()] = table::fields(&PROBLEM_COLUMNS);
const EVENT_OWN: [EventColumn; 3] = [
    VALUE,
    EventColumn::of_row(
        Field::new(
            "c_eventid",
            FieldType::Id,
            Rule::ReadOnly,
            "The new event for which a correlation rule closed the problem",
        ),
        |_, (_, problem)| {
            let closed = problem.and_then(|it| it.correlated());
            Scalar::Id(closed.map_or(0, |it| it.by.0))
        },
    ),
    URLS,
];
const EVENT_COLUMNS: [EventColumn; 19] = joined(&COMMON, &EVENT_OWN);
const EVENT_FIELDS: [Field; EVENT_COLUMNS.len()] = table::fields(&EVENT_COLUMNS);

const ACKNOWLEDGES: Select =
    Select::new("selectAcknowledges", "acknowledges", Gives::Parts(ACKNOWLEDGE)).countable();
const TAGS: Select = Select::new("selectTags", "tags", Gives::Parts(TAG));
const SUPPRESSION: Select =
    Select::new("selectSuppressionData", "suppression_data", Gives::Parts(event::SUPPRESSION));

/// Of both get methods.
const EVENT_PARAMS: &[&str] = &[
    "eventids",
    "groupids",
    "hostids",
    "objectids",
    "source",
    "object",
    "acknowledged",
    "action",
    "action_userids",
    "suppressed",
    "symptom",
    "severities",
    "evaltype",
    "tags",
    "eventid_from",
    "eventid_till",
    "time_from",
    "time_till",
];
/// The number of parameters of both.
const N_BOTH: usize = EVENT_PARAMS.len();
const OF_PROBLEMS: [&str; N_BOTH + 1] = with_own(["recent"]);
const OF_EVENTS: [&str; N_BOTH + 4] =
    with_own(["value", "trigger_severities", "problem_time_from", "problem_time_till"]);

/// Parameters of one of the methods.
const fn with_own<const OWN: usize, const ALL: usize>(
    own: [&'static str; OWN],
) -> [&'static str; ALL] {
    let mut all = [""; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < N_BOTH { EVENT_PARAMS[at] } else { own[at - N_BOTH] };
        at += 1;
    }
    all
}

const PROBLEM: Object = Object {
    name: "problem",
    type_name: "Problem",
    nouns: Nouns { one: "a problem", several: "problems" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "eventid",
    ids: "eventids",
    fields: &PROBLEM_FIELDS,
    selects: &[ACKNOWLEDGES, TAGS, SUPPRESSION],
    // Zabbix has no `flapping`.
    params: Params::of(&OF_PROBLEMS).strict().found_by(
        &[
            "eventid",
            "source",
            "object",
            "objectid",
            "r_eventid",
            "correlationid",
            "userid",
            "name",
            "acknowledged",
            "severity",
            "cause_eventid",
            "flapping",
        ],
        &["name"],
    ),
    sort: &["eventid"],
    doc: "A problem that is open, or was until recently",
};

const EVENT: Object = Object {
    name: "event",
    type_name: "Event",
    nouns: Nouns { one: "an event", several: "events" },
    resource: None,
    role: RoleRule::ANY_PAGE,
    writes: None,
    id: "eventid",
    ids: "eventids",
    fields: &EVENT_FIELDS,
    selects: &[
        ACKNOWLEDGES,
        TAGS,
        SUPPRESSION,
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        Select::new("selectRelatedObject", "relatedObject", Gives::Object("trigger")),
        Select::new("selectAlerts", "alerts", Gives::Objects("alert")),
        Select::new("select_alerts", "alerts", Gives::Objects("alert")).until(Version::V7_0),
        Select::new("select_acknowledges", "acknowledges", Gives::Parts(ACKNOWLEDGE))
            .countable()
            .until(Version::V7_0),
    ],
    // The page of an event asks for the problem that it ended: Zabbix has no filter by that.
    params: Params::of(&OF_EVENTS).strict().found_by(
        &[
            "eventid",
            "source",
            "object",
            "objectid",
            "value",
            "acknowledged",
            "name",
            "severity",
            "cause_eventid",
            "r_eventid",
        ],
        &["name"],
    ),
    sort: &["eventid", "objectid", "clock"],
    doc: "A problem that began or ended",
};

pub(crate) const PROBLEM_ENTRY: ObjectEntry =
    ObjectEntry::new(&PROBLEM, &[Method::get("problem.get", get_problems)]);

pub(crate) const EVENT_ENTRY: ObjectEntry = ObjectEntry::new(
    &EVENT,
    &[
        Method::get("event.get", get_events).slow(Pool::Stored),
        Method::new("event.acknowledge", RoleType::User, Pool::Edit, Run::Small(acknowledge)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Event(event, problem) = rows else { return json!([]) };
    json!([event::brief(ctx, event, problem, output)])
});

/// An event with its problem.
#[derive(Clone)]
struct EventView {
    event: Arc<EventRow>,
    problem: Option<Arc<Problem>>,
    /// The alerts of events, if they are requested.
    alerts: Vec<AlertRow>,
}

impl EventView {
    fn of_problem(problem: Arc<Problem>) -> Self {
        Self { event: Arc::clone(&problem.event), problem: Some(problem), alerts: Vec::new() }
    }
}

struct EventRows<'a> {
    columns: &'static [EventColumn],
    reader: EventReader<'a>,
    menu: EventMenu,
}

impl<'a> EventRows<'a> {
    fn of_problems(ctx: &'a Ctx) -> Self {
        let reader = EventReader::new(ctx, true);
        Self { columns: const { &PROBLEM_COLUMNS }, reader, menu: EventMenu::default() }
    }

    fn of_events(ctx: &'a Ctx) -> Self {
        let reader = EventReader::new(ctx, false);
        Self { columns: const { &EVENT_COLUMNS }, reader, menu: EventMenu::default() }
    }

    fn scalar<'r>(&'r self, row: &'r EventView, name: &str) -> Scalar<'r> {
        table::scalar(self.columns, &self.reader, (&row.event, row.problem.as_deref()), name)
    }
}

impl Rows for EventRows<'_> {
    type Row = EventView;

    fn field(&self, row: &Self::Row, name: &str) -> Value {
        match name {
            "urls" => self.menu.of(self.reader.ctx, &row.event.tags),
            _ => self.scalar(row, name).value(),
        }
    }

    fn write(&self, row: &Self::Row, name: &str, out: &mut Vec<u8>) {
        match name {
            "urls" => crate::json::put(out, &self.field(row, name)),
            _ => self.scalar(row, name).put(out),
        }
    }

    fn group_ids(&self, object: &Object, row: &Self::Row, name: &str) -> Option<Vec<String>> {
        let hosts = &row.event.hosts;
        match name {
            "hostid" => Some(hosts.iter().map(ToString::to_string).collect()),
            "groupid" => {
                let hosts = hosts.iter().filter_map(|it| self.reader.ctx.snapshot.hosts.get(it));
                let groups: BTreeSet<GroupId> =
                    hosts.flat_map(|it| it.groups.iter().copied()).collect();
                Some(groups.iter().map(ToString::to_string).collect())
            }
            _ => object.field(name).map(|_| vec![query::text(&self.field(row, name))]),
        }
    }

    fn select(&self, row: &Self::Row, select: &Select, output: &Output) -> Result<Value, ApiError> {
        let (ctx, problem) = (self.reader.ctx, row.problem.as_deref());
        Ok(match select.param {
            "selectAcknowledges" | "select_acknowledges" => {
                event::acknowledges(ctx, problem, output)
            }
            "selectTags" => event::tags(&row.event.tags, output),
            "selectSuppressionData" => event::suppression(ctx, problem, output),
            "selectHosts" => {
                ctx.related(select, Related::Holders(event::hosts(ctx, &row.event)), output)
            }
            "selectRelatedObject" => related_object(ctx, &row.event, select, output),
            "selectAlerts" | "select_alerts" => {
                ctx.related(select, Related::Alerts(&row.alerts), output)
            }
            _ => json!([]),
        })
    }
}

fn related_object(ctx: &Ctx, event: &EventRow, select: &Select, output: &Output) -> Value {
    match event.object {
        object::TRIGGER => {
            let found = ctx.snapshot.trigger(TriggerId(event.objectid));
            ctx.related(select, Related::Triggers(found.into_iter().collect()), output)
        }
        object::ITEM | object::RULE => {
            let found = ctx.snapshot.item(ItemId(event.objectid));
            let item = Select { gives: Gives::Object("item"), ..*select };
            ctx.related(&item, Related::Items(found.into_iter().collect()), output)
        }
        // They are no objects of the API yet.
        _ => json!([]),
    }
}

fn get_problems(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &PROBLEM, params)?;
    let filter = EventFilter::parse(&get, &[0, 3, 4], &[0, 4, 5, 6])?;
    let recent = get.flag("recent");
    let events = ctx.db().events();
    let ids = get.ids("eventids")?;
    let resolved_after = ctx.now.clock() - ctx.snapshot.globals.settings.ok_period_s;
    let resolved_after = recent.then_some(resolved_after);
    let rows = EventRows::of_problems(ctx);
    let named: Vec<Arc<Problem>> = match (ids, &filter.objects) {
        (Some(ids), _) => ids.iter().filter_map(|it| events.problem(EventId(*it))).collect(),
        (None, Some(objects)) if !recent => {
            let small = |it: i64| u8::try_from(it).unwrap_or(u8::MAX);
            let kind = (small(filter.source), small(filter.object));
            let mut found: Vec<_> =
                objects.iter().flat_map(|it| events.open_of(kind, *it)).collect();
            found.sort_unstable_by_key(|it| it.eventid());
            found
        }
        _ => return get_of_all(&mut get, &filter, resolved_after, &rows),
    };
    let is_recent = |it: &Problem| resolved_after.is_some_and(|at| at < it.r_time.clock());
    let hits = named
        .into_iter()
        .filter(|it| it.is_open() || is_recent(it))
        .filter(|it| filter.admits_event(ctx, &it.event) && has_object(ctx, &it.event))
        .filter(|it| filter.admits_state(ctx, &it.event, Some(it)))
        .map(EventView::of_problem);
    query::answer(&PROBLEM, &rows, hits, &get.options)
}

/// Problems without ids in the request: those among all that the filter admits.
fn get_of_all(
    get: &mut Get<'_>,
    filter: &EventFilter,
    resolved_after: Option<i64>,
    rows: &EventRows<'_>,
) -> Result<Answer, ApiError> {
    let options = &mut get.options;
    // By id is the only order, and they come in it.
    let is_descending = options.sort.first().is_some_and(|(_, falls)| *falls);
    options.sort.clear();
    let selected = Selected::new(get.ctx, filter, resolved_after, is_descending);
    let is_narrowed = !options.filter.is_empty() || !options.search.is_empty();
    if options.count && options.group_by.is_empty() && !options.is_empty && !is_narrowed {
        return Ok(text(selected.n_left().to_string()).into());
    }
    query::answer(&PROBLEM, rows, selected.map(EventView::of_problem), options)
}

/// Events read from SQL at once while more are needed.
const PAGE: usize = 5_000;

fn get_events(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &EVENT, params)?;
    let filter = EventFilter::parse(&get, &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4, 5, 6])?;
    let span = ProblemSpan::parse(&get, &filter)?;
    let mut query = sql_query(&get, &filter)?;
    if let Some(span) = span {
        if query.values.is_empty() {
            query.values = vec![1];
        }
        if query.values == [1] {
            // None that began later was open then.
            let till = Time::from_clock(span.till, 0);
            query.time_till = Some(query.time_till.map_or(till, |it| it.min(till)));
        }
    }
    if let Some(values) = get.take_filter("value") {
        query.values = values.iter().filter_map(|it| it.parse().ok()).collect();
    }
    let options = &mut get.options;
    let first = options.sort.first().map(|(field, _)| field.clone());
    // They come in this order.
    if first.as_deref() == Some("eventid") {
        options.sort.clear();
    }
    if first.as_deref() == Some("clock") {
        query.is_by_clock = true;
        // Events of one second are ordered by id, for any limit.
        options.sort.push(("eventid".to_owned(), query.is_descending));
    }
    // A filter on other fields is applied later: then the limit is no reason to stop.
    let is_filtered = !options.filter.is_empty() || !options.search.is_empty();
    let is_enough = first.as_deref() == Some("clock") && !is_filtered && !options.count;
    let enough = options.limit.filter(|_| is_enough).unwrap_or(usize::MAX);
    // The order within one second may not be by id: all of the last one's are needed.
    let (mut n, mut last) = (0, None);
    let is_needed = |it: &EventView| {
        let clock = it.event.time.clock();
        let is_needed = n < enough || last == Some(clock);
        (n, last) = (n + 1, Some(clock));
        is_needed
    };
    let has_alerts = options.selects.iter().any(|(it, _)| it.property == "alerts");
    let is_in_order = matches!(first.as_deref(), None | Some("eventid" | "clock"));
    if has_alerts && is_in_order && !is_filtered {
        // Alerts are many and their texts long: they are read only for the events of the answer.
        query.limit = options.limit.map_or(PAGE, |it| it.clamp(1, PAGE));
    }
    let mut pages = Pages { has_alerts, ..Pages::new(ctx, (&filter, span), query) };
    let rows = EventRows::of_events(ctx);
    let answer = query::answer(&EVENT, &rows, pages.by_ref().take_while(is_needed), options)?;
    pages.failed.map_or(Ok(answer), Err)
}

/// The conditions that SQL can check.
fn sql_query(get: &Get<'_>, filter: &EventFilter) -> Result<EventQuery, ApiError> {
    let values = get.numbers("value")?.unwrap_or_default();
    Ok(EventQuery {
        eventids: get.ids("eventids")?.map(|it| it.into_iter().map(EventId).collect()),
        objectids: filter.objects.as_ref().map(|it| it.iter().copied().collect()),
        source: Some(u8::try_from(filter.source).unwrap_or(u8::MAX)),
        object: Some(u8::try_from(filter.object).unwrap_or(u8::MAX)),
        values: values.into_iter().filter_map(|it| u8::try_from(it).ok()).collect(),
        severities: Vec::new(),
        eventid_from: filter.id_from.map(EventId),
        eventid_till: filter.id_till.map(EventId),
        time_from: filter.from.map(|it| Time::from_clock(it, 0)),
        time_till: filter.till.map(|it| Time::from_clock(it, 999_999_999)),
        is_descending: get.options.sort.first().is_some_and(|(_, falls)| *falls),
        limit: PAGE,
        ..EventQuery::default()
    })
}

/// When problems were open: in seconds since 1970, both included.
#[derive(Clone, Copy)]
struct ProblemSpan {
    from: i64,
    till: i64,
}

impl ProblemSpan {
    /// Both ends have to be given, and other events than those of triggers and services have none.
    fn parse(get: &Get<'_>, filter: &EventFilter) -> Result<Option<Self>, ApiError> {
        let (from, till) =
            (get.timestamp("problem_time_from")?, get.timestamp("problem_time_till")?);
        let is_problem = matches!((filter.source, filter.object), (0, 0) | (4, 6));
        let span = from.zip(till).map(|(from, till)| Self { from, till });
        Ok(span.filter(|_| is_problem))
    }

    /// Whether a problem was open then, or the end of one comes after its begin. `ended`: the problems that
    /// an event resolved.
    fn admits(self, view: &EventView, ended: &[Arc<Problem>]) -> bool {
        let clock = view.event.time.clock();
        if view.event.value == 1 {
            let end = view.problem.as_ref().filter(|it| !it.is_open());
            return clock <= self.till && end.is_none_or(|it| self.from <= it.r_time.clock());
        }
        let mut began = ended.iter().map(|it| it.event.time.clock());
        self.from <= clock && began.any(|it| it <= self.till)
    }
}

/// Events that a filter admits, read from SQL page by page on demand.
struct Pages<'a> {
    ctx: &'a Ctx,
    filter: &'a EventFilter,
    span: Option<ProblemSpan>,
    query: EventQuery,
    page: std::vec::IntoIter<EventView>,
    /// Alerts are read with them.
    has_alerts: bool,
    is_last: bool,
    /// Why there are no more.
    failed: Option<ApiError>,
}

impl<'a> Pages<'a> {
    fn new(
        ctx: &'a Ctx,
        (filter, span): (&'a EventFilter, Option<ProblemSpan>),
        query: EventQuery,
    ) -> Self {
        Self {
            ctx,
            filter,
            span,
            query,
            page: Vec::new().into_iter(),
            has_alerts: false,
            is_last: false,
            failed: None,
        }
    }

    fn read(&mut self) -> Result<Vec<EventView>, ApiError> {
        let page = self.ctx.db().events().query(&self.query)?;
        self.is_last = page.len() < self.query.limit;
        if let Some(last) = page.last() {
            let EventId(id) = last.eventid;
            if self.query.is_by_clock {
                self.query.after = Some((last.time.clock(), last.eventid));
            } else if self.query.is_descending {
                self.query.eventid_till = Some(EventId(id.saturating_sub(1)));
            } else {
                self.query.eventid_from = Some(EventId(id + 1));
            }
        }
        let mut views = views(self.ctx, self.filter, page)?;
        if let Some(span) = self.span {
            self.keep_open_then(span, &mut views)?;
        }
        if self.has_alerts {
            let ids: Vec<EventId> = views.iter().map(|it| it.event.eventid).collect();
            let mut alerts = alerts_of(self.ctx, &ids)?;
            for view in &mut views {
                view.alerts = alerts.remove(&view.event.eventid).unwrap_or_default();
            }
        }
        Ok(views)
    }

    /// Keeps the events that the span admits.
    fn keep_open_then(
        &self,
        span: ProblemSpan,
        views: &mut Vec<EventView>,
    ) -> Result<(), ApiError> {
        let events = self.ctx.db().events();
        let ends = views.iter().filter(|it| it.event.value == 0);
        let ids: Vec<EventId> = ends.flat_map(|it| it.event.recovers.iter().copied()).collect();
        let gone: Vec<EventId> =
            ids.iter().filter(|it| events.problem(**it).is_none()).copied().collect();
        let fetched = if gone.is_empty() { Vec::new() } else { events.fetch_problems(&gone)? };
        let mut began: HashMap<EventId, Arc<Problem>> =
            fetched.into_iter().map(|it| (it.eventid(), Arc::new(it))).collect();
        began.extend(ids.iter().filter_map(|it| Some((*it, events.problem(*it)?))));
        views.retain(|it| {
            let ended = it.event.recovers.iter().filter_map(|it| began.get(it).cloned());
            span.admits(it, &ended.collect::<Vec<_>>())
        });
        Ok(())
    }
}

impl Iterator for Pages<'_> {
    type Item = EventView;

    fn next(&mut self) -> Option<EventView> {
        loop {
            if let Some(it) = self.page.next() {
                return Some(it);
            }
            if self.is_last {
                return None;
            }
            match self.read() {
                Ok(page) => self.page = page.into_iter(),
                Err(error) => {
                    self.is_last = true;
                    self.failed = Some(error);
                }
            }
        }
    }
}

/// The hits of a page, with their problems: from memory, else from SQL in one query.
fn views(ctx: &Ctx, filter: &EventFilter, page: Vec<EventRow>) -> Result<Vec<EventView>, ApiError> {
    let events = ctx.db().events();
    let mut views: Vec<EventView> = page
        .into_iter()
        .filter(|it| filter.admits_event(ctx, it))
        .map(|it| EventView {
            problem: events.problem(it.eventid),
            event: Arc::new(it),
            alerts: Vec::new(),
        })
        .collect();
    let is_old = |it: &EventView| it.event.value == 1 && it.problem.is_none();
    let old: Vec<EventId> =
        views.iter().filter(|it| is_old(it)).map(|it| it.event.eventid).collect();
    let fetched = if old.is_empty() { Vec::new() } else { events.fetch_problems(&old)? };
    let mut by_id: HashMap<EventId, Arc<Problem>> =
        fetched.into_iter().map(|it| (it.eventid(), Arc::new(it))).collect();
    for view in &mut views {
        if view.problem.is_none() {
            view.problem = by_id.remove(&view.event.eventid);
        }
    }
    views.retain(|it| filter.admits_state(ctx, &it.event, it.problem.as_deref()));
    Ok(views)
}
