//! The newest values of many items, as columns.

use std::sync::Arc;

use model::HostId;
use model::map::Set;
use model::snapshot::{Host, ItemRow};

use super::columns::{self, Column, Dict};
use super::request::{Params, ids, number};
use crate::error::{ApiError, param};
use crate::json::item_value;
use crate::objects::common::items;
use crate::objects::common::resolve::{self, HostMacros};
use crate::objects::common::scope::{in_groups, is_monitored, with_subgroups};
use crate::ports::ItemLive;
use crate::shared::Ctx;

const LIMIT: i64 = 1_000;
const LIMIT_MAX: i64 = 50_000;

pub(super) fn latest(ctx: &Ctx, params: &Params) -> Result<String, ApiError> {
    let limit = number(params, "limit", LIMIT, LIMIT_MAX)?;
    let limit = usize::try_from(limit).unwrap_or(0);
    let groups = ids(params, "groupids")?.map(|it| it.into_iter().collect::<Set<u64>>());
    let groups = groups.map(|it| with_subgroups(&ctx.snapshot, &it));
    let search = params.get("search").map(|it| it.to_lowercase()).unwrap_or_default();
    let show = Show::parse(params)?;
    let hosts: Vec<&Arc<Host>> = match ids(params, "hostids")? {
        Some(ids) => ids.iter().filter_map(|it| ctx.snapshot.hosts.get(&HostId(*it))).collect(),
        None => ctx.snapshot.hosts.values().filter(|it| is_monitored(it)).collect(),
    };
    let hosts = hosts.into_iter().filter(|it| {
        groups.as_ref().is_none_or(|groups| in_groups(it, groups)) && ctx.may_read(it)
    });
    let mut table = Table::default();
    let mut room = limit;
    for host in hosts {
        let macros = HostMacros::lazy(ctx, host);
        for row in host.items.iter().filter(|it| items::is_item(it.flags) && items::is_enabled(it))
        {
            if room == 0 {
                return Ok(table.finish());
            }
            if show.admits(ctx, row) && is_found(&search, host, row, &macros) {
                table.push(ctx, host, row, &macros);
                room -= 1;
            }
        }
    }
    Ok(table.finish())
}

/// A choice of items by their present state. Applied here, not by the page, which gets only the first rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Show {
    All,
    Values,
    Unsupported,
}

impl Show {
    fn parse(params: &Params) -> Result<Self, ApiError> {
        match params.get("show").map_or("", |it| it) {
            "" | "all" => Ok(Self::All),
            "values" => Ok(Self::Values),
            "unsupported" => Ok(Self::Unsupported),
            _ => {
                let what = "value must be one of all, values, unsupported";
                Err(ApiError::field(param("show"), what))
            }
        }
    }

    fn admits(self, ctx: &Ctx, row: &ItemRow) -> bool {
        match self {
            Self::All => true,
            Self::Values => ctx.ports().live.item(row.id).last.is_some(),
            Self::Unsupported => ctx.ports().live.is_unsupported(row.id),
        }
    }
}

/// Every word has to be in the name, the key, or the name of the host.
fn is_found(search: &str, host: &Host, row: &ItemRow, macros: &HostMacros<'_>) -> bool {
    if search.is_empty() {
        return true;
    }
    let text = format!("{}\n{}\n{}", macros.text(&row.name()), row.key(), host.name);
    let text = text.to_lowercase();
    search.split_whitespace().all(|it| text.contains(it))
}

#[derive(Default)]
struct Table {
    itemid: Column,
    hostid: Column,
    host: Dict,
    name: Column,
    key: Column,
    units: Dict,
    value_type: Column,
    text: Dict,
    lastclock: Column,
    lastvalue: Column,
    prevvalue: Column,
    state: Column,
    error: Dict,
    interval: Dict,
    tags: Dict,
}

impl Table {
    fn push(&mut self, ctx: &Ctx, host: &Arc<Host>, row: &ItemRow, macros: &HostMacros<'_>) {
        let live = ctx.ports().live.item(row.id);
        let cell = Cell::new(ctx, host, row, &live);
        let own = |text: &str| {
            let shown = resolve::discovered_text(ctx, text, row.discovered());
            macros.text(shown.as_deref().unwrap_or(text))
        };
        self.itemid.id(row.id);
        self.hostid.id(host.id);
        self.host.text(&host.name);
        self.name.text(&macros.text(&row.name()));
        self.key.text(&row.key());
        self.units.text(&own(&row.content.units));
        self.value_type.plain(row.content.value_type.code());
        self.text.text(&cell.text);
        self.lastclock.plain(cell.clock);
        self.lastvalue.text(&cell.value);
        self.prevvalue.text(&cell.prev);
        self.state.plain(u8::from(live.is_unsupported));
        self.error.text(live.error.as_deref().unwrap_or_default());
        self.interval.text(&own(&row.content.delay));
        self.tags.tags(&resolve::row_tags(ctx, row));
    }

    fn finish(self) -> String {
        let columns = columns::object(&[
            ("itemid", self.itemid.finish()),
            ("hostid", self.hostid.finish()),
            ("host", self.host.finish()),
            ("name", self.name.finish()),
            ("key", self.key.finish()),
            ("units", self.units.finish()),
            ("value_type", self.value_type.finish()),
            ("text", self.text.finish()),
            ("lastclock", self.lastclock.finish()),
            ("lastvalue", self.lastvalue.finish()),
            ("prevvalue", self.prevvalue.finish()),
            ("state", self.state.finish()),
            ("error", self.error.finish()),
            ("interval", self.interval.finish()),
            ("tags", self.tags.finish()),
        ]);
        format!("{{\"items\":{columns}}}")
    }
}

/// The content of an item's cell.
pub(super) struct Cell {
    pub(super) clock: i64,
    pub(super) value: String,
    pub(super) prev: String,
    /// The value's name in the item's value map.
    pub(super) text: String,
}

impl Cell {
    pub(super) fn new(ctx: &Ctx, host: &Arc<Host>, row: &ItemRow, live: &ItemLive) -> Self {
        let map = live.last.as_ref().and_then(|_| items::valuemap_of(ctx, host, row));
        let named = live.last.as_ref().zip(map);
        let text = named.and_then(|(it, map)| lang::value::mapped(&it.value, &map.mappings));
        let value = |it: &Option<model::value::Sample>| {
            it.as_ref().map_or_else(String::new, |it| item_value(&it.value))
        };
        Self {
            clock: live.last.as_ref().map_or(0, |it| it.time.clock()),
            value: value(&live.last),
            prev: value(&live.prev),
            text: text.unwrap_or_default().to_owned(),
        }
    }
}
