//! Permissions on maps and on their objects.

use db::Permission;
use db::objects::map::{HOST, HOST_GROUP, OF_ITEM, SUBMAP, TRIGGER, list, targets};
use model::document::{Body, Document};
use model::{GroupId, HostId, ItemId, TriggerId};

use crate::json::{id_of, str_of};
use crate::objects::common::triggers;
use crate::shared::Ctx;

/// The codes of `permission` of elements and links.
pub(crate) const NONE: i64 = -1;
pub(crate) const READ: i64 = 2;
pub(crate) const WRITE: i64 = 3;

/// The deepest level of maps within maps that is checked: bounds the time. A circle is refused when it is
/// made.
const DEPTH_MAX: usize = 32;

/// The caller's permission on a map. Only super admins see a map of which all elements are hidden from them,
/// or change one with hidden elements.
pub(crate) fn permission(ctx: &Ctx, row: &Document) -> i64 {
    within(ctx, row, 0)
}

fn within(ctx: &Ctx, row: &Document, depth: usize) -> i64 {
    if ctx.is_super_admin() {
        return WRITE;
    }
    let shared = shared(ctx, row);
    if shared == NONE || DEPTH_MAX < depth {
        return NONE;
    }
    let mut all = list(&row.body, "selements").map(|it| of_element_within(ctx, it, depth));
    let Some(first) = all.next() else { return shared };
    let (worst, best) = all.fold((first, first), |(worst, best), it| (worst.min(it), best.max(it)));
    match (worst, best) {
        (_, NONE) => NONE,
        (NONE, _) => shared.min(READ),
        _ => shared,
    }
}

/// Whether the caller sees a map and all of its objects.
pub(crate) fn is_whole(ctx: &Ctx, id: u64) -> bool {
    let Some(row) = ctx.snapshot.documents.get("map", id) else { return false };
    READ <= permission(ctx, row)
        && list(&row.body, "selements").all(|it| READ <= of_element(ctx, it))
        && list(&row.body, "links").all(|it| READ <= of_link(ctx, &row.body, it))
}

/// The permission by its sharing, regardless of its objects.
fn shared(ctx: &Ctx, row: &Document) -> i64 {
    let user = ctx.rights.userid;
    if row.text("userid") == user.to_string() {
        return WRITE;
    }
    let groups = ctx.snapshot.access.users.get(&user).map(|it| it.groups.as_slice());
    let groups = groups.unwrap_or_default();
    let of_user = list(&row.body, "users").filter(|it| id_of(it, "userid") == Some(user.0));
    let of_groups = list(&row.body, "userGroups")
        .filter(|it| groups.iter().any(|group| id_of(it, "usrgrpid") == Some(group.0)));
    let shared = of_user.chain(of_groups).filter_map(|it| str_of(it, "permission").parse().ok());
    let public = if row.text("private") == "0" { READ } else { NONE };
    shared.max().unwrap_or(NONE).max(public)
}

/// The caller's permission on the objects of an element.
pub(crate) fn of_element(ctx: &Ctx, element: &Body) -> i64 {
    of_element_within(ctx, element, 0)
}

fn of_element_within(ctx: &Ctx, element: &Body, depth: usize) -> i64 {
    let (kind, ids) = targets(element);
    let each = ids.iter().map(|id| match kind {
        HOST => {
            let host = ctx.snapshot.hosts.get(&HostId(*id));
            code(host.is_some_and(|it| ctx.may_read(it)), host.is_some_and(|it| ctx.may_write(it)))
        }
        SUBMAP => {
            let map = ctx.snapshot.documents.get("map", *id);
            map.map_or(NONE, |it| within(ctx, it, depth + 1))
        }
        TRIGGER => of_trigger(ctx, TriggerId(*id)),
        HOST_GROUP => {
            let rights = ctx.rights.host_group(GroupId(*id));
            let is_there = ctx.snapshot.host_groups.contains_key(&GroupId(*id));
            code(is_there && Permission::Read <= rights, is_there && Permission::Write <= rights)
        }
        _ => WRITE,
    });
    // Images have no object.
    each.min().unwrap_or(WRITE)
}

fn of_trigger(ctx: &Ctx, id: TriggerId) -> i64 {
    let Some((holder, row)) = ctx.snapshot.trigger(id) else { return NONE };
    let hosts = triggers::hosts(ctx, holder, row);
    let all = |may: &dyn Fn(&model::snapshot::Host) -> bool| hosts.iter().all(|it| may(it));
    code(all(&|it| ctx.may_read(it)), all(&|it| ctx.may_write(it)))
}

/// The caller's permission on the ends of a link and on the objects that decide its look.
pub(crate) fn of_link(ctx: &Ctx, body: &Body, link: &Body) -> i64 {
    let ends = [str_of(link, "selementid1"), str_of(link, "selementid2")];
    let elements = list(body, "selements").filter(|it| ends.contains(&str_of(it, "selementid")));
    let triggers = list(link, "linktriggers").filter_map(|it| id_of(it, "triggerid"));
    let of_triggers = triggers.map(|it| of_trigger(ctx, TriggerId(it)));
    let item = id_of(link, "itemid").filter(|_| str_of(link, "indicator_type") == OF_ITEM);
    let of_item = item.map(|it| {
        let holder = ctx.snapshot.item(ItemId(it)).map(|(holder, _)| holder);
        let may = |what: &dyn Fn(&model::snapshot::Host) -> bool| holder.is_some_and(|it| what(it));
        code(may(&|it| ctx.may_read(it)), may(&|it| ctx.may_write(it)))
    });
    let all = elements.map(|it| of_element(ctx, it)).chain(of_triggers).chain(of_item);
    all.min().unwrap_or(WRITE)
}

fn code(reads: bool, writes: bool) -> i64 {
    match (reads, writes) {
        (_, true) => WRITE,
        (true, false) => READ,
        (false, false) => NONE,
    }
}
