//! The hosts that a filter admits, in the requested order.

use std::cmp::Ordering;
use std::sync::Arc;

use db::Permission;
use memchr::memmem::Finder;
use model::map::Set;
use model::{GroupId, HostId};
use serde_json::{Map, Value};

use super::index::{Index, IndexedHost};
use crate::error::{ApiError, param};
use crate::native::request::{Params, ids};
use crate::objects::common::holder;
use crate::objects::common::scope::with_subgroups;
use crate::objects::common::tag_filter::TagFilter;
use crate::query::natural;
use crate::shared::Ctx;

/// The most words of a search: bounds its time. Further ones are ignored.
const WORDS_MAX: usize = 32;

/// The parameters of the address.
#[derive(Debug, Default)]
pub(super) struct Filter {
    /// In lower case: each has to be found.
    pub(super) words: Vec<String>,
    groups: Option<Set<u64>>,
    templates: Option<Set<u64>>,
    tags: TagFilter,
    is_disabled: Option<bool>,
    availability: Option<u8>,
}

impl Filter {
    pub(super) fn parse(params: &Params) -> Result<Self, ApiError> {
        let code = |name: &str, max: u8| match params.get(name).filter(|it| !it.is_empty()) {
            None => Ok(None),
            Some(text) => match text.parse::<u8>() {
                Ok(it) if it <= max => Ok(Some(it)),
                _ => Err(ApiError::field(param(name), "a code is expected")),
            },
        };
        let set = |name: &str| -> Result<Option<Set<u64>>, ApiError> {
            Ok(ids(params, name)?.map(|it| it.into_iter().collect()))
        };
        Ok(Self {
            words: words(params),
            groups: set("groupids")?,
            templates: set("templateids")?,
            tags: tags(params)?,
            is_disabled: code("status", 1)?.map(|it| it == 1),
            availability: code("availability", 2)?,
        })
    }
}

pub(super) fn words(params: &Params) -> Vec<String> {
    let text = params.get("q").map(|it| it.to_lowercase()).unwrap_or_default();
    text.split_whitespace().take(WORDS_MAX).map(str::to_owned).collect()
}

/// Conditions as the `tags` of `host.get` has them, as JSON.
fn tags(params: &Params) -> Result<TagFilter, ApiError> {
    let Some(text) = params.get("tags").filter(|it| !it.is_empty()) else {
        return Ok(TagFilter::default());
    };
    let conditions: Value = serde_json::from_str(text)
        .map_err(|_error| ApiError::field(param("tags"), "an array is expected"))?;
    let mut given = Map::new();
    given.insert("tags".to_owned(), conditions);
    TagFilter::parse(&given)
}

/// A word of a search, looked up in the texts that hosts share.
struct Word<'w> {
    finder: Finder<'w>,
    /// Whether a name in the set has it, by position of the set.
    in_groups: Vec<bool>,
    in_templates: Vec<bool>,
}

/// Positions in the index of the hosts that the user may see and the filter admits, by name.
pub(super) fn find(ctx: &Ctx, index: &Index, filter: &Filter) -> Vec<u32> {
    let scope = ctx.rights.read_scope();
    let groups = filter.groups.as_ref().map(|it| with_subgroups(&ctx.snapshot, it));
    let by_groups = index.groups.each(|set| {
        let has_one = |wanted: &Set<u64>| set.iter().any(|it| wanted.contains(&it.0));
        scope.admits(set) && groups.as_ref().is_none_or(has_one)
    });
    let by_templates = index.templates.each(|set| {
        let has_one = |wanted: &Set<u64>| set.iter().any(|it| wanted.contains(&it.0));
        filter.templates.as_ref().is_none_or(has_one)
    });
    let words: Vec<Word<'_>> = filter.words.iter().map(|it| word(ctx, index, it)).collect();
    let is_set = |list: &[bool], at: u32| list.get(place(at)).copied().unwrap_or(false);
    let by_availability = filter.availability.map(|it| (it, availability(ctx, index)));
    let admits = |at: u32, entry: &IndexedHost| {
        is_set(&by_groups, entry.groups)
            && is_set(&by_templates, entry.templates)
            && filter.is_disabled.is_none_or(|it| it == entry.is_disabled)
            && words.iter().all(|it| {
                is_set(&it.in_groups, entry.groups)
                    || is_set(&it.in_templates, entry.templates)
                    || it.finder.find(index.text(entry).as_bytes()).is_some()
            })
            && by_availability.as_ref().is_none_or(|(it, all)| all.get(place(at)) == Some(it))
            && has_tags(ctx, filter, entry.id)
    };
    let numbered = (0..).zip(&index.entries);
    numbered.filter(|(at, it)| admits(*at, it)).map(|(at, _)| at).collect()
}

fn word<'w>(ctx: &Ctx, index: &Index, word: &'w str) -> Word<'w> {
    let has_word = |name: &str| name.to_lowercase().contains(word);
    let in_group = |id: &GroupId| {
        let group = ctx.snapshot.host_groups.get(id).filter(|_| may_read_group(ctx, *id));
        group.is_some_and(|it| has_word(&it.name))
    };
    let in_template = |id: &HostId| {
        let template = ctx.snapshot.templates.get(id).filter(|it| ctx.may_read(it));
        template.is_some_and(|it| has_word(&it.name))
    };
    Word {
        finder: Finder::new(word),
        in_groups: index.groups.each(|it| it.iter().any(in_group)),
        in_templates: index.templates.each(|it| it.iter().any(in_template)),
    }
}

pub(super) fn may_read_group(ctx: &Ctx, id: GroupId) -> bool {
    Permission::Read <= ctx.rights.host_group(id)
}

fn has_tags(ctx: &Ctx, filter: &Filter, id: HostId) -> bool {
    filter.tags.is_empty()
        || ctx.snapshot.hosts.get(&id).is_some_and(|it| filter.tags.matches(&it.tags))
}

/// [`holder::availability`] by position.
fn availability(ctx: &Ctx, index: &Index) -> Arc<[u8]> {
    let states = ctx.db().availability();
    index.availability(states.version(), |entry| {
        let Some(host) = ctx.snapshot.hosts.get(&entry.id) else { return 0 };
        holder::availability(states, host)
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    Name,
    Host,
    Availability,
    Address,
    Items,
    Triggers,
    Discoveries,
    Groups,
    Status,
}

const ORDERS: [(&str, By); 9] = [
    ("name", By::Name),
    ("host", By::Host),
    ("availability", By::Availability),
    ("address", By::Address),
    ("items", By::Items),
    ("triggers", By::Triggers),
    ("discoveries", By::Discoveries),
    ("groups", By::Groups),
    ("status", By::Status),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Order {
    by: By,
    falls: bool,
}

impl Order {
    /// `sort=name`, or `sort=-name` for the other way round.
    pub(super) fn parse(params: &Params) -> Result<Self, ApiError> {
        let text = params.get("sort").filter(|it| !it.is_empty()).map_or("name", |it| it);
        let (name, falls) = text.strip_prefix('-').map_or((text, false), |it| (it, true));
        let by = ORDERS.iter().find(|(it, _)| *it == name).map(|(_, by)| *by).ok_or_else(|| {
            let known = ORDERS.map(|(it, _)| it).join(", ");
            ApiError::field(param("sort"), &format!("value must be one of {known}"))
        })?;
        Ok(Self { by, falls })
    }
}

/// The part of `found` (by name) at `offset` in the order. Equal ones stay by name.
pub(super) fn window(
    ctx: &Ctx,
    index: &Index,
    found: &[u32],
    order: Order,
    at: Window,
) -> Vec<u32> {
    let Order { by, falls } = order;
    let entries =
        || found.iter().filter_map(|at| index.entries.get(place(*at)).map(|it| (it, *at)));
    let numbers = |key: &dyn Fn(&IndexedHost) -> u32| {
        part(entries().map(|(it, at)| (key(it), at)).collect(), falls, at, u32::cmp)
    };
    match by {
        By::Name if falls => taken(found.iter().rev(), at),
        By::Name => taken(found.iter(), at),
        By::Host => {
            let keyed = entries().map(|(it, at)| (index.host(it), at)).collect();
            part(keyed, falls, at, |one, other| natural(one, other))
        }
        By::Address => {
            let keyed = entries().map(|(it, at)| (index.addresses(it), at)).collect();
            part(keyed, falls, at, |one, other| natural(one, other))
        }
        By::Groups => {
            let ranks = group_ranks(ctx, index);
            numbers(&|it| ranks.get(place(it.groups)).copied().unwrap_or(0))
        }
        // Available hosts come first, as everywhere; the other way round unavailable ones.
        By::Availability => {
            let all = availability(ctx, index);
            let rank = |at: u32| match all.get(place(at)) {
                Some(1) => 0_u32,
                Some(2) => 2,
                _ => 1,
            };
            part(found.iter().map(|at| (rank(*at), *at)).collect(), falls, at, u32::cmp)
        }
        By::Items => numbers(&|it| it.counts.items),
        By::Triggers => numbers(&|it| it.counts.triggers),
        By::Discoveries => numbers(&|it| it.counts.discoveries),
        By::Status => numbers(&|it| u32::from(it.is_disabled)),
    }
}

/// Offset and limit.
pub(super) type Window = (usize, usize);

fn place(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

fn taken<'f>(found: impl Iterator<Item = &'f u32>, (offset, limit): Window) -> Vec<u32> {
    found.skip(offset).take(limit).copied().collect()
}

/// A window of the order by keys, without sorting the rest.
fn part<K>(
    mut keyed: Vec<(K, u32)>,
    falls: bool,
    (offset, limit): Window,
    compare: impl Fn(&K, &K) -> Ordering,
) -> Vec<u32> {
    let order = |one: &(K, u32), other: &(K, u32)| {
        let by_key = compare(&one.0, &other.0);
        let by_key = if falls { by_key.reverse() } else { by_key };
        by_key.then(one.1.cmp(&other.1))
    };
    if keyed.len() <= offset || limit == 0 {
        return Vec::new();
    }
    if 0 < offset {
        keyed.select_nth_unstable_by(offset, order);
    }
    let rest = &mut keyed[offset..];
    let n = limit.min(rest.len());
    if n < rest.len() {
        rest.select_nth_unstable_by(n, order);
    }
    rest[..n].sort_unstable_by(order);
    rest[..n].iter().map(|(_, at)| *at).collect()
}

/// The rank of each set of groups by the names that the user sees of it.
fn group_ranks(ctx: &Ctx, index: &Index) -> Vec<u32> {
    let names = index.groups.each(|set| shown_groups(ctx, set).join(", ").to_lowercase());
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|one, other| natural(&names[*one], &names[*other]));
    let mut ranks = vec![0; names.len()];
    for (rank, at) in (0..).zip(order) {
        ranks[at] = rank;
    }
    ranks
}

fn shown_groups<'c>(ctx: &'c Ctx, set: &[GroupId]) -> Vec<&'c str> {
    let shown = set.iter().filter(|it| may_read_group(ctx, **it));
    shown.filter_map(|it| ctx.snapshot.host_groups.get(it)).map(|it| it.name.as_str()).collect()
}

/// Hosts whose names have all words: exact names first, then those that begin with the words.
pub(super) fn by_name(ctx: &Ctx, index: &Index, words: &[String], limit: usize) -> Vec<u32> {
    let scope = ctx.rights.read_scope();
    let by_groups = index.groups.each(|it| scope.admits(it));
    let whole = words.join(" ");
    let finders: Vec<Finder<'_>> = words.iter().map(Finder::new).collect();
    let rank = |entry: &IndexedHost| {
        let names = index.names(entry);
        let is_found = by_groups.get(place(entry.groups)).copied().unwrap_or(false)
            && finders.iter().all(|it| it.find(names.as_bytes()).is_some());
        is_found.then(|| {
            let mut names = [index.name(entry), index.host(entry)].into_iter();
            if names.clone().any(|it| it == whole) {
                0
            } else if names.any(|it| it.starts_with(&whole)) {
                1
            } else {
                2
            }
        })
    };
    let ranked = (0..).zip(&index.entries).filter_map(|(at, it)| Some((rank(it)?, at)));
    part(ranked.collect(), false, (0, limit), u8::cmp)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn windows_are_parts_of_the_whole_order(
            keys in prop::collection::vec(0..9_u32, 0..60),
            at in (0..70_usize, 0..20_usize),
            falls in any::<bool>(),
        ) {
            let keyed: Vec<(u32, u32)> = keys.into_iter().zip(0..).collect();
            let mut whole = keyed.clone();
            whole.sort_by_key(|(key, _)| if falls { 9 - *key } else { *key });
            let expected: Vec<u32> = whole.iter().skip(at.0).take(at.1).map(|it| it.1).collect();
            prop_assert_eq!(part(keyed, falls, at, u32::cmp), expected);
        }
    }
}
