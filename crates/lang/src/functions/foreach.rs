//! Functions over many items: `avg_foreach(/*/key?[tag="x"],5m)` and its like, `item_count`,
//! `bucket_percentile`.
//!
//! # For callers
//! 1. [`Foreach::parse`] with the query and the parameters of a call, macros replaced (also in the
//!    filter's texts).
//! 2. Which items: [`Foreach::hosts`] narrows the hosts, [`Foreach::groups`] the host groups, and
//!    [`Foreach::matches`] decides about one enabled item of an enabled host. This depends on
//!    configuration only, so it is done once for a snapshot, not for each evaluation.
//! 3. For each evaluation, [`Foreach::add`] with the values of each item ([`Foreach::call`] says how
//!    many it needs: [`Call::needs`], [`Call::period`]), in any order and at any place: the
//!    [`Collected`] of several shards are put together with [`Collected::extend`].
//! 4. [`Foreach::finish`] makes the function's value of what was collected: for the functions with
//!    `_foreach` a vector, the operand of the aggregate function around it.
//!
//! Items that have no value in the period, that are not supported or whose type does not fit are left
//! out, as Zabbix does; `exists_foreach` and `item_count` count all.

use model::content::GlobalRegexp;

use super::call::Call;
use super::context::FunctionContext;
use super::error::{FunctionError, ParamError};
use super::params;
use super::sample::Sample;
use super::table::{FunctionKind, find};
use crate::expression::{Filter, GroupFilter, ItemQuery, Value, bucket_quantile};
use crate::key::ItemKey;
use formats::number;

/// The hosts whose items a function reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hosts {
    /// The host of the formula's item.
    Own,
    /// The host with this technical name.
    Named(String),
    /// All hosts.
    All,
}

/// The facts about an item that a query decides by. Only enabled items of enabled hosts are checked.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    /// Technical name of its host.
    pub host: &'a str,
    /// Whether the host is that of the item whose formula is evaluated.
    pub is_own_host: bool,
    /// The item's key, macros replaced.
    pub key: &'a str,
    /// Has the item (or its host or template) this tag, given as `name` or `name:value`?
    pub has_tag: &'a dyn Fn(&str) -> bool,
    /// Is the host in this group or in one below it?
    pub in_group: &'a dyn Fn(&str) -> bool,
}

impl std::fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member").field("host", &self.host).field("key", &self.key).finish()
    }
}

/// The values of the items of one function, in the order in which they were added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Collected {
    values: Vec<Value>,
    n_items: u64,
}

impl Collected {
    /// Adds values collected elsewhere.
    pub fn extend(&mut self, other: Self) {
        self.values.extend(other.values);
        self.n_items += other.n_items;
    }
}

/// A parsed function over many items.
#[derive(Debug, Clone)]
pub struct Foreach {
    name: &'static str,
    hosts: Hosts,
    key: KeyPattern,
    filter: Option<Filter>,
    /// Evaluated over each item; `None` if items are only counted.
    call: Option<Call>,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum What {
    /// A value for each item.
    Values,
    /// 1 for each item.
    Ones,
    /// The number of items.
    Count,
    /// Bound and rate of each item.
    Buckets { parameter: usize },
    /// A percentile of the buckets.
    Percentile(f64),
}

impl Foreach {
    /// Parses a function by its name, its query and the text after the query's comma.
    ///
    /// # Errors
    /// If it is no function over many items, or which parameter does not fit. The item is parameter 0.
    pub fn parse(name: &str, query: &ItemQuery<'_>, parameters: &str) -> Result<Self, ParamError> {
        Self::parse_with(name, query, parameters, &[])
    }

    /// As [`Foreach::parse`]; patterns may name one of `regexps`.
    ///
    /// # Errors
    /// As for [`Foreach::parse`].
    pub fn parse_with(
        name: &str,
        query: &ItemQuery<'_>,
        parameters: &str,
        regexps: &[GlobalRegexp],
    ) -> Result<Self, ParamError> {
        let info = find(name).ok_or_else(|| ParamError::UnknownFunction(name.to_owned()))?;
        if info.kind != FunctionKind::Foreach {
            return Err(ParamError::UnknownFunction(name.to_owned()));
        }
        let list = params::split(parameters);
        let values: Vec<String> = list.iter().map(params::Param::value).collect();
        let n_given = if values.len() == 1 && values[0].is_empty() { 0 } else { values.len() };
        if n_given < info.n_params.0 || n_given > info.n_params.1 {
            return Err(ParamError::Count);
        }
        let invalid = |position| ParamError::Invalid { position };
        // Every item of every host would be meant.
        if query.host == "*" && query.key == "*" {
            return Err(invalid(0));
        }
        let filter = match query.filter {
            "" => None,
            text => Some(Filter::parse(text).map_err(|_syntax| invalid(0))?),
        };
        let (call, what) = what(name, parameters, &values, regexps)?;
        Ok(Self {
            name: info.name,
            hosts: match query.host {
                "*" => Hosts::All,
                "" => Hosts::Own,
                host => Hosts::Named(host.to_owned()),
            },
            key: KeyPattern::new(query.key).ok_or(invalid(0))?,
            filter,
            call,
            what,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The hosts whose items it reads.
    #[must_use]
    pub fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// The condition of its filter on host groups, for a first choice of hosts.
    #[must_use]
    pub fn groups(&self) -> Option<GroupFilter> {
        self.filter.as_ref().map(Filter::groups)
    }

    /// The function that is evaluated over each item's values; `None` if items are only counted.
    #[must_use]
    pub fn call(&self) -> Option<&Call> {
        self.call.as_ref()
    }

    /// Whether it is one of the items.
    #[must_use]
    pub fn matches(&self, member: &Member<'_>) -> bool {
        let fits_host = match &self.hosts {
            Hosts::All => true,
            Hosts::Own => member.is_own_host,
            Hosts::Named(name) => name == member.host,
        };
        fits_host
            && self.key.matches(member.key)
            && self.filter.as_ref().is_none_or(|it| {
                it.matches(&mut |tag| (member.has_tag)(tag), &mut |group| (member.in_group)(group))
            })
    }

    /// Adds the value of one item. `samples`: its values, oldest first, `None` if the item is not supported
    /// at present.
    pub fn add(
        &self,
        collected: &mut Collected,
        key: &str,
        samples: Option<&[Sample<'_>]>,
        context: &FunctionContext<'_>,
    ) {
        collected.n_items += 1;
        if self.what == What::Ones {
            collected.values.push(Value::UInt(1));
            return;
        }
        let (Some(call), Some(samples)) = (&self.call, samples) else { return };
        // Items without values are left out, though their sum would be zero.
        if call.name() == "sum" && call.is_empty(samples, context) {
            return;
        }
        let Ok(value) = call.eval(samples, context) else { return };
        let parameter = match self.what {
            What::Buckets { parameter } => parameter,
            What::Percentile(_) => 1,
            _ => {
                collected.values.push(value);
                return;
            }
        };
        if let Some(bound) = bound_of(key, parameter) {
            collected.values.extend([Value::Number(bound), value]);
        }
    }

    /// The function's value.
    ///
    /// # Errors
    /// If a percentile cannot be calculated of the values.
    pub fn finish(&self, collected: Collected) -> Result<Value, FunctionError> {
        match self.what {
            What::Values | What::Ones | What::Buckets { .. } => Ok(Value::Vector(collected.values)),
            What::Count => Ok(Value::UInt(collected.n_items)),
            What::Percentile(percentage) => bucket_quantile(percentage / 100.0, &collected.values)
                .map(Value::Number)
                .map_err(FunctionError::Pattern),
        }
    }
}

/// Checks parameters as they are written, macros replaced.
pub(super) fn check(name: &str, parameters: &str) -> Result<(), ParamError> {
    let values: Vec<String> = params::split(parameters).iter().map(params::Param::value).collect();
    what(name, parameters, &values, &[]).map(|_| ())
}

/// The value that the function takes of each item.
fn what(
    name: &str,
    parameters: &str,
    values: &[String],
    regexps: &[GlobalRegexp],
) -> Result<(Option<Call>, What), ParamError> {
    let invalid = |position| ParamError::Invalid { position };
    let param = |idx: usize| values.get(idx).map_or("", String::as_str);
    let each = |function: &str, parameters: &str| {
        Call::parse_with(function, parameters, regexps).map(Some)
    };
    // Periods are times here, not numbers of values.
    if param(0).starts_with('#') {
        return Err(invalid(1));
    }
    Ok(match name {
        "exists_foreach" => (None, What::Ones),
        "item_count" => (None, What::Count),
        // The newest value, where a period is given only if it lies in there.
        "last_foreach" if param(0).is_empty() => (each("last", "")?, What::Values),
        "last_foreach" => (Some(Call::newest_within(parameters)?), What::Values),
        "bucket_rate_foreach" => {
            let parameter = match param(1) {
                "" => Some(1),
                text => number::parse_u64(text).and_then(|it| usize::try_from(it).ok()),
            };
            let parameter = parameter.filter(|it| *it > 0).ok_or(invalid(2))?;
            (each("rate", param(0))?, What::Buckets { parameter })
        }
        "bucket_percentile" => {
            let percentage = number::parse_f64(param(1)).filter(|it| (0.0..=100.0).contains(it));
            (each("rate", param(0))?, What::Percentile(percentage.ok_or(invalid(2))?))
        }
        _ => (each(name.trim_end_matches("_foreach"), parameters)?, What::Values),
    })
}

/// The upper bound in a parameter of a bucket's key: a number or `+Inf`.
fn bound_of(key: &str, parameter: usize) -> Option<f64> {
    let key = ItemKey::parse(key).ok()?;
    let text = key.params.get(parameter.checked_sub(1)?)?.as_str();
    if text.eq_ignore_ascii_case("+inf") || text.eq_ignore_ascii_case("inf") {
        return Some(f64::INFINITY);
    }
    number::parse_suffixed(text)
}

/// A key in which `*` as a parameter matches any, or `*` alone any key.
#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyPattern {
    Any,
    Exact(String),
    /// Name, and parameters of which some are `*`.
    Params {
        name: String,
        params: Vec<String>,
    },
}

impl KeyPattern {
    fn new(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::Any);
        }
        let key = ItemKey::parse(text).ok()?;
        let params: Vec<String> = key.params.iter().map(|it| it.as_str().to_owned()).collect();
        Some(if params.iter().any(|it| it == "*") {
            Self::Params { name: key.name, params }
        } else {
            Self::Exact(text.to_owned())
        })
    }

    fn matches(&self, key: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(text) => text == key,
            Self::Params { name, params } => {
                // Most keys differ in their names: no need to parse those.
                key.starts_with(name.as_str())
                    && ItemKey::parse(key).is_ok_and(|it| {
                        it.name == *name
                            && it.params.len() == params.len()
                            && params
                                .iter()
                                .zip(&it.params)
                                .all(|(wanted, it)| wanted == "*" || wanted == it.as_str())
                    })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use model::{Time, ValueType};

    use super::*;
    use crate::expression::parse_query;
    use crate::functions::SampleValue;

    fn foreach(name: &str, query: &str, parameters: &str) -> Result<Foreach, ParamError> {
        Foreach::parse(name, &parse_query(query).unwrap(), parameters)
    }

    /// The value over three items `k[1]`, `k[2]` and `k[+Inf]` that rise by 1, 2 and 3 each second.
    fn value(name: &str, parameters: &str) -> Result<Value, FunctionError> {
        let function = foreach(name, "/*/k[*]", parameters).unwrap();
        let zone = TimeZone::UTC;
        let now = Time::from_clock(1_700_000_000, 0);
        let context = FunctionContext::new(now, &zone, ValueType::Unsigned);
        let mut collected = Collected::default();
        for (key, rise) in [("k[1]", 1), ("k[2]", 2), ("k[+Inf]", 3)] {
            let samples: Vec<Sample<'_>> = (1..=10_u64)
                .map(|it| Sample {
                    time: now.plus_secs(i64::try_from(it).unwrap() - 10),
                    value: SampleValue::Unsigned(it * rise),
                })
                .collect();
            let mut one = Collected::default();
            function.add(&mut one, key, Some(&samples), &context);
            collected.extend(one);
        }
        function.add(&mut collected, "k[unsupported]", None, &context);
        function.finish(collected)
    }

    #[test]
    fn each_item_gives_a_value() {
        let numbers = |it: [u64; 3]| Ok(Value::Vector(it.map(Value::UInt).to_vec()));
        assert_eq!(value("last_foreach", ""), numbers([10, 20, 30]));
        assert_eq!(value("last_foreach", "1m:now-5s"), numbers([5, 10, 15]));
        assert_eq!(value("last_foreach", "1s:now-1h"), Ok(Value::Vector(Vec::new())));
        assert_eq!(value("sum_foreach", "2s"), numbers([19, 38, 57]));
        assert_eq!(value("count_foreach", "1h,\"gt\",\"9\""), numbers([1, 6, 7]));
        assert_eq!(value("item_count", ""), Ok(Value::UInt(4)));
        assert_eq!(value("exists_foreach", ""), Ok(Value::Vector(vec![Value::UInt(1); 4])));
    }

    #[test]
    fn buckets_are_named_by_their_keys() {
        let Ok(Value::Vector(found)) = value("bucket_rate_foreach", "10s,1") else {
            panic!("no vector")
        };
        assert_eq!(found[..2], [Value::Number(1.0), Value::Number(1.0)]);
        assert_eq!(found[4], Value::Number(f64::INFINITY));
        assert_eq!(found.len(), 6);
        assert_eq!(value("bucket_percentile", "10s,50"), Ok(Value::Number(1.5)));
    }

    #[test]
    fn items_are_chosen_by_host_key_and_filter() {
        let chosen = |query: &str, host: &str, key: &str| {
            foreach("exists_foreach", query, "").unwrap().matches(&Member {
                host,
                is_own_host: host == "own",
                key,
                has_tag: &|it| it == "a:1",
                in_group: &|it| it == "g",
            })
        };
        assert!(chosen("/*/k", "h", "k") && !chosen("/*/k", "h", "k[1]"));
        assert!(chosen("//k", "own", "k") && !chosen("//k", "h", "k"));
        assert!(chosen("/h/k[*,\"b\"]", "h", "k[a,b]") && !chosen("/h/k[*,b]", "h", "k[a,c]"));
        assert!(!chosen("/h/k[*]", "h", "k[a,b]") && !chosen("/h/k[*]", "h", "kk[a]"));
        assert!(chosen("/h/*", "h", "any[one]"));
        assert!(chosen("/*/k?[tag=\"a:1\" and group=\"g\"]", "h", "k"));
        assert!(!chosen("/*/k?[tag=\"a:1\" and group<>\"g\"]", "h", "k"));
    }

    #[test]
    fn parameters_are_checked() {
        let position = |name, parameters| foreach(name, "/*/k", parameters).unwrap_err();
        assert_eq!(position("avg_foreach", ""), ParamError::Count);
        assert_eq!(position("avg_foreach", "5q"), ParamError::Invalid { position: 1 });
        assert_eq!(position("avg_foreach", "#5"), ParamError::Invalid { position: 1 });
        assert!(foreach("item_count", "/*/*", "").is_err());
        assert_eq!(position("bucket_rate_foreach", "5m,0"), ParamError::Invalid { position: 2 });
        assert!(matches!(position("avg", "5m"), ParamError::UnknownFunction(_)));
    }
}
