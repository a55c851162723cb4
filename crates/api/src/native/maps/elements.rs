//! The drawn parts of a map's elements: groups that show their hosts are expanded to them.

use std::sync::Arc;

use db::objects::map::{HOST, HOST_GROUP, SUBMAP, TRIGGER, list, number, targets, text};
use formats::regexp::Regexp;
use lang::global_regexp::TextPattern;
use lang::text::natural_order;
use model::document::{Body, Document};
use model::map::Set;
use model::snapshot::Host;
use model::{GroupId, HostId, TriggerId};

use crate::objects::common::scope::with_subgroups;
use crate::objects::common::tag_filter::TagFilter;
use crate::objects::maps::rights;
use crate::shared::Ctx;

/// Hosts of one group element that are drawn: bounds the answer. More could not be distinguished on a map.
const HOSTS_MAX: usize = 500;
/// The deepest level of maps within maps that is searched for problems.
const DEPTH_MAX: usize = 32;

/// The problems of an element: those of these hosts or triggers that have these tags.
#[derive(Clone, Default)]
pub(super) struct Watched {
    pub(super) hosts: Set<HostId>,
    pub(super) triggers: Set<u64>,
    pub(super) tags: TagFilter,
}

/// One icon.
pub(super) struct Element<'a> {
    /// The element's id, with that of the host in a group.
    pub(super) id: String,
    pub(super) kind: i64,
    pub(super) body: &'a Body,
    pub(super) x: i64,
    pub(super) y: i64,
    /// `x` and `y` are its middle, not its corner.
    pub(super) is_centered: bool,
    /// Width and height of its cell among the hosts of its area.
    pub(super) cell: Option<(i64, i64)>,
    pub(super) is_readable: bool,
    pub(super) name: String,
    /// Ids of its objects.
    pub(super) targets: Vec<String>,
    /// The host that its label is about, if there is one.
    pub(super) host: Option<&'a Arc<Host>>,
    pub(super) mapped_icon: Option<u64>,
    pub(super) watched: Vec<Watched>,
}

/// The place of a group's hosts.
pub(super) struct Area {
    pub(super) selementid: String,
    pub(super) name: String,
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
    /// Hosts that have no place.
    pub(super) n_hidden: usize,
}

pub(super) struct Elements<'a> {
    pub(super) all: Vec<Element<'a>>,
    pub(super) areas: Vec<Area>,
}

impl<'a> Elements<'a> {
    pub(super) fn of(ctx: &'a Ctx, map: &'a Document) -> Self {
        let icons = IconMap::of(ctx, map);
        let mut elements = Self { all: Vec::new(), areas: Vec::new() };
        for body in list(&map.body, "selements") {
            let (kind, ids) = targets(body);
            let is_readable = rights::of_element(ctx, body) >= rights::READ;
            if kind == HOST_GROUP && number(body, "elementsubtype") == 1 && is_readable {
                elements.expand_group(ctx, map, body, &ids);
            } else {
                elements.all.push(single(ctx, body, (kind, &ids), is_readable, &icons));
            }
        }
        elements
    }

    /// The drawn parts of an element of the map.
    pub(super) fn of_part<'s>(
        &'s self,
        selementid: &'s str,
    ) -> impl Iterator<Item = &'s Element<'a>> {
        self.all.iter().filter(move |it| text(it.body, "selementid") == selementid)
    }

    fn expand_group(&mut self, ctx: &'a Ctx, map: &'a Document, body: &'a Body, ids: &[u64]) {
        let (left, top, width, height) = match number(body, "areatype") {
            1 => (
                number(body, "x"),
                number(body, "y"),
                number(body, "width"),
                number(body, "height"),
            ),
            _ => (0, 0, number(&map.body, "width"), number(&map.body, "height")),
        };
        let mut hosts = hosts_of_groups(ctx, ids);
        hosts.sort_unstable_by(|one, other| natural_order(&one.name, &other.name));
        let n_hidden = hosts.len().saturating_sub(HOSTS_MAX);
        hosts.truncate(HOSTS_MAX);
        let id = text(body, "selementid");
        let n = i64::try_from(hosts.len()).unwrap_or(0).max(1);
        let n_columns = columns(n, width, height);
        let n_rows = (n + n_columns - 1) / n_columns;
        for (host, at) in hosts.iter().copied().zip(0_i64..) {
            // The last row may be shorter and is centered, too.
            let row = at / n_columns;
            let n_here = (n - row * n_columns).min(n_columns);
            self.all.push(Element {
                id: format!("{id}:{}", host.id),
                kind: HOST,
                body,
                x: left + width * (2 * (at % n_columns) + 1) / (2 * n_here),
                y: top + height * (2 * row + 1) / (2 * n_rows),
                is_centered: true,
                cell: Some((width / n_here, height / n_rows)),
                is_readable: true,
                name: host.name.to_string(),
                targets: vec![host.id.to_string()],
                host: Some(host),
                mapped_icon: None,
                watched: vec![Watched {
                    hosts: [host.id].into_iter().collect(),
                    tags: tags_of(body),
                    ..Watched::default()
                }],
            });
        }
        self.areas.push(Area {
            selementid: id.to_owned(),
            name: group_names(ctx, ids),
            x: left,
            y: top,
            width,
            height,
            n_hidden,
        });
    }
}

/// As many as make cells about as wide as high.
fn columns(n: i64, width: i64, height: i64) -> i64 {
    let fits = |columns: &i64| columns * columns * height.max(1) >= n * width.max(1);
    (1..=n).find(fits).unwrap_or(n).max(1)
}

fn single<'a>(
    ctx: &'a Ctx,
    body: &'a Body,
    (kind, ids): (i64, &[u64]),
    is_readable: bool,
    icons: &IconMap,
) -> Element<'a> {
    let host = match kind {
        HOST => ids.first().and_then(|it| ctx.snapshot.hosts.get(&HostId(*it))),
        TRIGGER => ids.first().and_then(|it| Some(ctx.snapshot.trigger(TriggerId(*it))?.0)),
        _ => None,
    };
    let host = host.filter(|_| is_readable);
    let has_map = kind == HOST && number(body, "use_iconmap") == 1;
    let mut watched = Vec::new();
    if is_readable {
        watch(ctx, body, &mut watched, 0);
    }
    Element {
        id: text(body, "selementid").to_owned(),
        kind,
        body,
        x: number(body, "x"),
        y: number(body, "y"),
        is_centered: false,
        cell: None,
        is_readable,
        name: name(ctx, kind, ids, host),
        targets: ids.iter().map(ToString::to_string).collect(),
        host,
        mapped_icon: host.filter(|_| has_map).and_then(|it| icons.icon(ctx, it)),
        watched,
    }
}

fn name(ctx: &Ctx, kind: i64, ids: &[u64], host: Option<&Arc<Host>>) -> String {
    let first = ids.first().copied().unwrap_or_default();
    match kind {
        HOST => host.map_or_else(String::new, |it| it.name.to_string()),
        SUBMAP => {
            let map = ctx.snapshot.documents.get("map", first);
            map.map_or_else(String::new, |it| it.text("name").to_owned())
        }
        TRIGGER => super::names::trigger_name(ctx, TriggerId(first)),
        HOST_GROUP => group_names(ctx, ids),
        _ => String::new(),
    }
}

fn group_names(ctx: &Ctx, ids: &[u64]) -> String {
    let names = ids.iter().filter_map(|it| ctx.snapshot.host_groups.get(&GroupId(*it)));
    names.map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn hosts_of_groups<'a>(ctx: &'a Ctx, ids: &[u64]) -> Vec<&'a Arc<Host>> {
    let groups = with_subgroups(&ctx.snapshot, &ids.iter().copied().collect());
    let is_in =
        |it: &&Arc<Host>| it.groups.iter().any(|it| groups.contains(&it.0)) && ctx.may_read(it);
    ctx.snapshot.hosts.values().filter(is_in).collect()
}

fn tags_of(body: &Body) -> TagFilter {
    TagFilter::parse(body).unwrap_or_default()
}

/// The problems that an element shows; of a map those of all its elements.
fn watch(ctx: &Ctx, body: &Body, watched: &mut Vec<Watched>, depth: usize) {
    let (kind, ids) = targets(body);
    let mut own = Watched { tags: tags_of(body), ..Watched::default() };
    match kind {
        HOST => own.hosts.extend(ids.iter().map(|it| HostId(*it))),
        TRIGGER => own.triggers.extend(ids),
        HOST_GROUP => own.hosts.extend(hosts_of_groups(ctx, &ids).iter().map(|it| it.id)),
        SUBMAP if depth < DEPTH_MAX => {
            let maps = ids.iter().filter_map(|it| ctx.snapshot.documents.get("map", *it));
            for map in maps {
                let elements = list(&map.body, "selements");
                for it in elements.filter(|it| rights::of_element(ctx, it) >= rights::READ) {
                    watch(ctx, it, watched, depth + 1);
                }
            }
            return;
        }
        _ => return,
    }
    watched.push(own);
}

/// The icons of hosts, by their inventory.
struct IconMap {
    default: Option<u64>,
    mappings: Vec<(u8, Pattern, u64)>,
}

enum Pattern {
    Own(Regexp),
    Global(TextPattern),
}

impl IconMap {
    fn of(ctx: &Ctx, map: &Document) -> Self {
        let id = map.text("iconmapid").parse().unwrap_or_default();
        let found = ctx.snapshot.documents.get("iconmap", id);
        let default = found.and_then(|it| it.text("default_iconid").parse().ok());
        let mappings = found.into_iter().flat_map(|it| list(&it.body, "mappings"));
        let mappings = mappings.filter_map(|it| {
            let written = text(it, "expression");
            let pattern = if written.starts_with('@') {
                Pattern::Global(TextPattern::new(written, &ctx.snapshot.globals.regexps).ok()?)
            } else {
                Pattern::Own(Regexp::new(written).ok()?)
            };
            let link = text(it, "inventory_link").parse().ok()?;
            Some((link, pattern, text(it, "iconid").parse().ok()?))
        });
        Self { default, mappings: mappings.collect() }
    }

    fn icon(&self, ctx: &Ctx, host: &Host) -> Option<u64> {
        let default = self.default?;
        let inventory = ctx.snapshot.inventories.get(&host.id);
        let matches = |(link, pattern, _): &&(u8, Pattern, u64)| {
            let value = inventory.map_or("", |it| it.get(*link));
            match pattern {
                Pattern::Own(it) => it.is_match(value).unwrap_or(false),
                Pattern::Global(it) => it.is_match(value).unwrap_or(false),
            }
        };
        Some(self.mappings.iter().find(matches).map_or(default, |it| it.2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_about_as_wide_as_high() {
        for (n, width, height, expected) in [
            (1, 800, 600, 1),
            (4, 400, 400, 2),
            (12, 800, 600, 4),
            (3, 900, 100, 3),
            (5, 100, 900, 1),
        ] {
            assert_eq!(columns(n, width, height), expected, "{n} in {width}×{height}");
        }
        assert_eq!(columns(1, 0, 0), 1);
    }
}
