//! Problems as columns, and single ones as rows of the live stream.

use std::sync::Arc;

use db::Problem;
use db::events::object;
use model::content::Tag;
use model::snapshot::{Host, Snapshot};
use model::{HostId, ItemId, Time, TriggerId};
use serde_json::{Value, json};

use super::columns::{self, Column, Dict};
use crate::objects::event;
use crate::shared::Ctx;

/// A problem as the pages show it; `None` if the user may not see it.
struct View<'a> {
    hostid: HostId,
    host: &'a str,
    manual_close: bool,
}

fn view<'a>(ctx: &'a Ctx, problem: &Problem) -> Option<View<'a>> {
    let event = &problem.event;
    let (holder, manual_close): (&Arc<Host>, bool) = match event.object {
        object::TRIGGER => {
            let (holder, row) = event::visible_trigger(ctx, event)?;
            (holder, row.content.manual_close)
        }
        // Internal events have pages of their own later.
        _ => {
            let holder = ctx.snapshot.item_holder(ItemId(event.objectid))?;
            (Some(holder).filter(|it| ctx.may_read(it))?, false)
        }
    };
    Some(View { hostid: holder.id, host: &holder.name, manual_close })
}

/// Problems of triggers; internal ones are not shown here.
fn is_shown(problem: &Problem) -> bool {
    problem.event.object == object::TRIGGER
}

/// All open and recently resolved problems.
pub(super) fn snapshot(ctx: &Ctx) -> String {
    let changes = ctx.db().events().changes_since(0);
    let mut table = Table::default();
    for problem in changes.changed.iter().filter(|it| is_shown(it)) {
        if let Some(view) = view(ctx, problem) {
            table.push(ctx, problem, &view);
        }
    }
    format!("{{\"version\":{},\"columns\":{}}}", changes.version, table.finish())
}

#[derive(Default)]
struct Table {
    eventid: Column,
    objectid: Column,
    clock: Column,
    severity: Column,
    name: Dict,
    hostid: Column,
    host: Dict,
    acknowledged: Column,
    suppressed: Column,
    r_clock: Column,
    opdata: Column,
    tags: Dict,
    manual_close: Column,
}

impl Table {
    fn push(&mut self, ctx: &Ctx, problem: &Problem, view: &View<'_>) {
        let event = &problem.event;
        self.eventid.id(event.eventid);
        self.objectid.id(event.objectid);
        self.clock.plain(event.time.clock());
        self.severity.plain(problem.severity.code());
        self.name.text(&event.name);
        self.hostid.id(view.hostid);
        self.host.text(view.host);
        self.acknowledged.plain(problem.acknowledged);
        self.suppressed.plain(problem.is_suppressed(ctx.now));
        self.r_clock.plain(problem.r_time.clock());
        self.opdata.text(&event.opdata);
        self.tags.tags(&event.tags);
        self.manual_close.plain(view.manual_close);
    }

    fn finish(self) -> String {
        columns::object(&[
            ("eventid", self.eventid.finish()),
            ("objectid", self.objectid.finish()),
            ("clock", self.clock.finish()),
            ("severity", self.severity.finish()),
            ("name", self.name.finish()),
            ("hostid", self.hostid.finish()),
            ("host", self.host.finish()),
            ("acknowledged", self.acknowledged.finish()),
            ("suppressed", self.suppressed.finish()),
            ("r_clock", self.r_clock.finish()),
            ("opdata", self.opdata.finish()),
            ("tags", self.tags.finish()),
            ("manual_close", self.manual_close.finish()),
        ])
    }
}

/// A row of the live stream; `None` if its trigger is gone.
pub(super) fn row(snapshot: &Snapshot, problem: &Problem, now: Time) -> Option<Value> {
    let event = &problem.event;
    let found = snapshot.trigger(TriggerId(event.objectid)).filter(|_| is_shown(problem));
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
        "suppressed": problem.is_suppressed(now),
        "r_clock": problem.r_time.clock(),
        "opdata": event.opdata,
        "tags": tags,
        "manual_close": trigger.content.manual_close,
    }))
}
