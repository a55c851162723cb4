//! The hosts and templates of a get method: the parameters that get methods have in common (`hostids`,
//! `groupids`, `monitored`, `tags` and so on), applied to holders before any of their items or triggers is
//! read.

use std::sync::Arc;

use model::field_path::FieldPath;

use model::map::Set;
use model::snapshot::{HolderKind, Host, Snapshot};
use model::{GroupId, HostId};
use serde_json::{Map, Value};

use crate::describe::Object;
use crate::error::{ApiError, param};
use crate::objects::common::tag_filter::{RowTagFilter, TagFilter};
use crate::query::{self, Options};
use crate::shared::Ctx;

/// A parsed get call, as far as all objects have it in common.
pub(crate) struct Get<'a> {
    pub(crate) ctx: &'a Ctx,
    params: &'a Map<String, Value>,
    object: &'a Object,
    pub(crate) options: Options,
}

static NO_PARAMS: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

impl<'a> Get<'a> {
    pub(crate) fn new(
        ctx: &'a Ctx,
        object: &'static Object,
        params: &'a Value,
    ) -> Result<Self, ApiError> {
        let params = match params {
            Value::Object(it) => it,
            Value::Array(it) if it.is_empty() => &NO_PARAMS,
            _ => return Err(ApiError::field(FieldPath::root(), "an array is expected")),
        };
        let version = ctx.version;
        let parsed = Options::parse(object.at(version), params, version)?;
        let options = Options { out: ctx.out.clone(), ..parsed };
        Ok(Self { ctx, params, object, options })
    }

    pub(crate) fn object(&self) -> &Object {
        self.object
    }

    /// The object of a parameter; empty where the version does not have it. A method that checks its
    /// parameters has refused it then.
    fn given(&self, name: &str) -> &'a Map<String, Value> {
        if self.object.lacks(name, self.ctx.version) { &NO_PARAMS } else { self.params }
    }

    /// Asserts that a parameter that a method reads is in its object's table: those that are not are ignored.
    fn uses(&self, name: &str) {
        debug_assert!(
            self.object.params.taken.contains(&name),
            "{}.get looks at {name}, and its object does not say so",
            self.object.name
        );
    }

    pub(crate) fn param(&self, name: &str) -> Option<&'a Value> {
        self.uses(name);
        self.given(name).get(name).filter(|it| !it.is_null())
    }

    pub(crate) fn ids(&self, name: &str) -> Result<Option<Vec<u64>>, ApiError> {
        self.uses(name);
        let ids = query::ids(self.given(name), name, query::is_strict(self.object))?;
        Ok(ids.map(|mut it| {
            it.sort_unstable();
            it.dedup();
            it
        }))
    }

    pub(crate) fn id_set(&self, name: &str) -> Result<Option<Set<u64>>, ApiError> {
        Ok(self.ids(name)?.map(|it| it.into_iter().collect()))
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        debug_assert!(
            self.object.params.is_strict || self.object.params.knows(name),
            "{}.get looks at {name}, and its object does not say so",
            self.object.name
        );
        query::is_true(self.given(name).get(name))
    }

    /// A parameter that asks for one side or the other; `None` if it is not given.
    pub(crate) fn side(&self, name: &str) -> Option<bool> {
        self.param(name).map(|it| query::is_true(Some(it)))
    }

    /// As [`Self::side`]; a value that is no boolean is refused.
    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, ApiError> {
        self.param(name).map_or(Ok(None), |it| match it {
            Value::Bool(it) => Ok(Some(*it)),
            _ => Err(ApiError::field(param(name), "a boolean is expected")),
        })
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let Some(given) = self.param(name) else { return Ok(None) };
        let number = if query::is_strict(self.object) {
            small_integer(given)
        } else {
            crate::validate::number(given).ok_or("an integer is expected")
        };
        number.map(Some).map_err(|what| ApiError::field(param(name), what))
    }

    /// Seconds since 1970, of a method that checks them.
    pub(crate) fn timestamp(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let time = self.param(name).map(crate::validate::timestamp).transpose();
        time.map_err(|what| ApiError::field(param(name), what))
    }

    /// One id, of a method that checks it.
    pub(crate) fn id(&self, name: &str) -> Result<Option<u64>, ApiError> {
        let id = self.param(name).map(crate::validate::id).transpose();
        id.map_err(|what| ApiError::field(param(name), what))
    }

    /// A code that has to be one of these; the first is the default.
    pub(crate) fn code(&self, name: &str, codes: &[u8]) -> Result<u8, ApiError> {
        let given = self.number(name)?.map_or(codes.first().copied(), |it| {
            u8::try_from(it).ok().filter(|it| codes.contains(it))
        });
        given.ok_or_else(|| {
            let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
            ApiError::field(param(name), &format!("value must be one of {}", codes.join(", ")))
        })
    }

    /// One number or a list of them.
    pub(crate) fn numbers(&self, name: &str) -> Result<Option<Vec<i64>>, ApiError> {
        let Some(given) = self.param(name) else { return Ok(None) };
        if query::is_strict(self.object) {
            return integers(name, given).map(Some);
        }
        let list = match given {
            Value::Array(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        let numbers: Option<Vec<i64>> = list.iter().map(crate::validate::number).collect();
        match numbers {
            Some(it) => Ok(Some(it)),
            None => Err(ApiError::field(param(name), "an array of integers is expected")),
        }
    }

    /// Takes a field out of `filter` that is not the object's own.
    pub(crate) fn take_filter(&mut self, field: &str) -> Option<Vec<String>> {
        let at = self.options.filter.iter().position(|(name, _)| name == field)?;
        Some(self.options.filter.remove(at).1)
    }

    pub(crate) fn tags(&self) -> Result<TagFilter, ApiError> {
        TagFilter::parse_as(self.given("tags"), "tags", false)
    }

    /// Conditions on tags of a method that checks them.
    pub(crate) fn conditions(&self, name: &str) -> Result<TagFilter, ApiError> {
        self.uses(name);
        TagFilter::parse_as(self.given(name), name, true)
    }

    /// As [`Self::conditions`]; one stands for a list of one, and null for none.
    pub(crate) fn conditions_or_one(&self, name: &str) -> Result<TagFilter, ApiError> {
        let list = match self.given(name).get(name) {
            Some(Value::Null) => Value::Array(Vec::new()),
            Some(one @ Value::Object(it)) if it.contains_key("tag") => {
                Value::Array(vec![one.clone()])
            }
            _ => return self.conditions(name),
        };
        let mut given = self.given(name).clone();
        given.insert(name.to_owned(), list);
        TagFilter::parse_as(&given, name, true)
    }

    /// For items and triggers.
    pub(crate) fn row_tags(&self) -> Result<RowTagFilter, ApiError> {
        self.tags().map(RowTagFilter::new)
    }
}

/// One number or a list of them, each once.
fn integers(name: &str, given: &Value) -> Result<Vec<i64>, ApiError> {
    let path = param(name);
    let list = match given {
        Value::Array(list) => list.as_slice(),
        one if small_integer(one).is_ok() => std::slice::from_ref(one),
        _ => return Err(ApiError::field(path, "an array is expected")),
    };
    let mut numbers = Vec::with_capacity(list.len());
    for (at, it) in list.iter().enumerate() {
        let wrong = |what: &str| ApiError::field(path.element(at), what);
        let number = small_integer(it).map_err(wrong)?;
        if numbers.contains(&number) {
            return Err(wrong(&format!("value ({number}) already exists")));
        }
        numbers.push(number);
    }
    Ok(numbers)
}

/// A whole number of 32 bits.
fn small_integer(given: &Value) -> Result<i64, &'static str> {
    let number = crate::validate::integer(given)?;
    if i32::try_from(number).is_ok() { Ok(number) } else { Err("a number is too large") }
}

/// Which holders to look at.
#[derive(Debug)]
pub(crate) struct Scope {
    /// `hostids` together with `templateids`, and the field of `filter`: all of them.
    ids: Vec<Set<u64>>,
    groups: Option<Set<u64>>,
    hosts: Option<Vec<String>>,
    kind: Option<HolderKind>,
    monitored: bool,
    editable: bool,
}

impl Scope {
    /// From the parameters of item-like objects.
    pub(crate) fn of_parts(get: &mut Get<'_>) -> Result<Self, ApiError> {
        debug_assert_eq!(get.object.params.owner_filters, ["host"], "{}", get.object.name);
        let mut hosts = get.take_filter("host");
        if let Some(Value::String(name)) = get.param("host") {
            hosts = Some(vec![name.clone()]);
        }
        let templated = get.side("templated");
        let kind = match templated {
            Some(true) => Some(HolderKind::Template),
            Some(false) => Some(HolderKind::Host),
            None => None,
        };
        // `hostids` takes templates as well: they are hosts to the API.
        let mut ids: Vec<Set<u64>> = get.id_set("hostids")?.into_iter().collect();
        if let Some(templates) = get.id_set("templateids")? {
            match ids.first_mut() {
                Some(hosts) => hosts.extend(templates),
                None => ids.push(templates),
            }
        }
        if let Some(given) = get.take_filter("hostid") {
            ids.push(given.iter().filter_map(|it| it.parse().ok()).collect());
        }
        let mut groups = get.id_set("groupids")?;
        if let Some(Value::String(name)) = get.param("group") {
            let named = groups_named(get.ctx, name);
            groups = Some(match groups {
                Some(given) => given.into_iter().filter(|it| named.contains(it)).collect(),
                None => named,
            });
        }
        Ok(Self {
            ids,
            groups,
            hosts,
            kind,
            monitored: get.flag("monitored"),
            editable: get.options.editable,
        })
    }

    /// From `hostids` alone, templates among them.
    pub(crate) fn of_ids(get: &Get<'_>) -> Result<Self, ApiError> {
        let ids = get.id_set("hostids")?.into_iter().collect();
        Ok(Self { ids, ..Self::readable(get) })
    }

    /// All holders that the user may see.
    pub(crate) fn readable(get: &Get<'_>) -> Self {
        let editable = get.options.editable;
        let (ids, groups, hosts, kind) = (Vec::new(), None, None, None);
        Self { ids, groups, hosts, kind, monitored: false, editable }
    }

    pub(crate) fn admits(&self, ctx: &Ctx, holder: &Host) -> bool {
        let may = if self.editable { ctx.may_write(holder) } else { ctx.may_read(holder) };
        may && self.ids.iter().all(|it| it.contains(&holder.id.0))
            && self.kind.is_none_or(|it| it == holder.kind)
            && (!self.monitored || is_monitored(holder))
            && self.groups.as_ref().is_none_or(|it| in_groups(holder, it))
            && self.hosts.as_ref().is_none_or(|it| it.iter().any(|it| **it == *holder.host))
    }

    /// Whether only some holders are asked for.
    pub(crate) fn is_narrow(&self) -> bool {
        !self.ids.is_empty() || self.groups.is_some() || self.hosts.is_some()
    }

    /// The holders by id, reading as few as possible.
    pub(crate) fn holders<'c>(&self, ctx: &'c Ctx) -> Vec<&'c Arc<Host>> {
        let snapshot = &ctx.snapshot;
        let by_name = self.hosts.as_ref().map(|names| {
            let ids = names.iter().filter_map(|name| {
                let host = snapshot.host_named(name);
                Some(host.or_else(|| snapshot.template_named(name))?.id.0)
            });
            ids.collect::<Set<u64>>()
        });
        let narrowest = self.ids.iter().chain(&by_name).min_by_key(|it| it.len());
        let mut holders: Vec<&Arc<Host>> = match narrowest {
            Some(ids) => ids.iter().filter_map(|it| snapshot.holder(HostId(*it))).collect(),
            None => snapshot.hosts.values().chain(snapshot.templates.values()).collect(),
        };
        holders.retain(|it| self.admits(ctx, it));
        holders.sort_unstable_by_key(|it| it.id);
        holders
    }
}

/// Groups of hosts and of templates by name.
fn groups_named(ctx: &Ctx, name: &str) -> Set<u64> {
    let snapshot = &ctx.snapshot;
    let of_hosts = snapshot.host_groups.iter().filter(|(_, it)| it.name == name);
    let of_templates = snapshot.template_groups.iter().filter(|(_, it)| it.name == name);
    of_hosts.map(|(id, _)| id.0).chain(of_templates.map(|(id, _)| id.0)).collect()
}

pub(crate) fn is_monitored(holder: &Host) -> bool {
    holder.is_monitored()
}

/// Host groups and template groups share one space of ids.
pub(crate) fn in_groups(holder: &Host, groups: &Set<u64>) -> bool {
    holder.groups.iter().any(|it| groups.contains(&it.0))
        || holder.template_groups.iter().any(|it| groups.contains(&it.0))
}

/// A host group includes those below it, as in Zabbix: `Linux` includes `Linux/Databases`.
pub(crate) fn with_subgroups(snapshot: &Snapshot, wanted: &Set<u64>) -> Set<u64> {
    let named = wanted.iter().filter_map(|it| snapshot.host_groups.get(&GroupId(*it)));
    let above: Vec<String> = named.map(|it| format!("{}/", it.name)).collect();
    let below = snapshot.host_groups.iter();
    let below = below.filter(|(_, it)| above.iter().any(|above| it.name.starts_with(above)));
    below.map(|(id, _)| id.0).chain(wanted.iter().copied()).collect()
}
