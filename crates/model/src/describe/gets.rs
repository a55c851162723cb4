//! The parameters of get methods: their own, and the selects.

use super::Field;
use crate::version::{Version, Versions};

/// The parameters of a get method in addition to those of all of them and the selects.
///
/// All parameters that Zabbix documents are in one of the lists: an ignored filter would widen the answer,
/// and a client may delete the objects in it.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// They work as in Zabbix.
    pub taken: &'static [&'static str],
    /// Ids of objects that do not exist here yet: nothing belongs to one, and all has the id 0.
    pub foreign: &'static [&'static str],
    /// Parameters in no list are refused, as Zabbix's newer methods do; the older ones ignore them.
    pub is_strict: bool,
    /// Parameters of all get methods that a strict one does not take.
    pub untaken: &'static [&'static str],
    /// Those of `taken` that are true or false: a strict method refuses other values.
    pub booleans: &'static [&'static str],
    /// A method that passes over the rest refuses wrong values of these.
    pub checked: &'static [&'static str],
    /// Names in `filter` that are no fields of the object: those of its rows' owners. An empty list for one
    /// matches nothing, where one for a field restricts nothing.
    pub owner_filters: &'static [&'static str],
    /// The fields that `filter` of a strict method takes, if those are not all that are answered.
    pub filters: Option<&'static [&'static str]>,
    /// The fields that `output` of a strict method takes, where errors list them in another order than they
    /// are checked in.
    pub outputs: Option<&'static [&'static str]>,
    /// As `filters`, of `search`.
    pub searches: Option<&'static [&'static str]>,
    /// Rows have these fields although only others are requested.
    pub always: &'static [&'static str],
    /// Rows have the id although only other fields are asked for.
    pub adds_id: bool,
    /// As `adds_id` up to this version: it is the first one without.
    pub without_id_since: Option<Version>,
    /// Parameters that not all versions of Zabbix have.
    pub by_version: &'static [(&'static str, Versions)],
    /// As `checked`, since a version.
    pub checked_since: Option<(Version, &'static [&'static str])>,
}

impl Params {
    #[must_use]
    pub const fn of(taken: &'static [&'static str]) -> Self {
        let none: &'static [&'static str] = &[];
        Self {
            taken,
            foreign: none,
            is_strict: false,
            untaken: none,
            booleans: none,
            checked: none,
            owner_filters: none,
            filters: None,
            outputs: None,
            searches: None,
            always: none,
            adds_id: true,
            without_id_since: None,
            by_version: &[],
            checked_since: None,
        }
    }

    #[must_use]
    pub const fn foreign(mut self, names: &'static [&'static str]) -> Self {
        self.foreign = names;
        self
    }

    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    /// Does not take these, although other get methods do.
    #[must_use]
    pub const fn without(mut self, names: &'static [&'static str]) -> Self {
        self.untaken = names;
        self
    }

    /// These are true or false.
    #[must_use]
    pub const fn booleans(mut self, names: &'static [&'static str]) -> Self {
        self.booleans = names;
        self
    }

    #[must_use]
    pub const fn checked(mut self, names: &'static [&'static str]) -> Self {
        self.checked = names;
        self
    }

    /// `filter` takes these names of what rows belong to.
    #[must_use]
    pub const fn filtered_by_owner(mut self, names: &'static [&'static str]) -> Self {
        self.owner_filters = names;
        self
    }

    /// The fields that `output` takes, in this order.
    #[must_use]
    pub const fn listed_in_order(mut self, outputs: &'static [&'static str]) -> Self {
        self.outputs = Some(outputs);
        self
    }

    /// The fields that `filter` and `search` of a strict method take.
    #[must_use]
    pub const fn found_by(
        mut self,
        filters: &'static [&'static str],
        searches: &'static [&'static str],
    ) -> Self {
        self.filters = Some(filters);
        self.searches = Some(searches);
        self
    }

    #[must_use]
    pub const fn always(mut self, fields: &'static [&'static str]) -> Self {
        self.always = fields;
        self
    }

    /// Rows have only the requested fields.
    #[must_use]
    pub const fn without_id(mut self) -> Self {
        self.adds_id = false;
        self
    }

    /// Since a version rows have only the requested fields.
    #[must_use]
    pub const fn without_id_since(mut self, first: Version) -> Self {
        self.without_id_since = Some(first);
        self
    }

    /// Whether rows of a version have the id although only other fields are asked for.
    #[must_use]
    pub fn adds_id_in(&self, version: Version) -> bool {
        self.adds_id && self.without_id_since.is_none_or(|first| version < first)
    }

    /// Not all versions have these.
    #[must_use]
    pub const fn by_version(mut self, names: &'static [(&'static str, Versions)]) -> Self {
        self.by_version = names;
        self
    }

    /// Wrong values of these are refused since a version.
    #[must_use]
    pub const fn checked_since(mut self, first: Version, names: &'static [&'static str]) -> Self {
        self.checked_since = Some((first, names));
        self
    }

    /// Whether wrong values of a parameter are refused.
    #[must_use]
    pub fn checks(&self, name: &str, version: Version) -> bool {
        let newer = self.checked_since.filter(|(first, _)| *first <= version);
        self.is_strict
            || self.checked.contains(&name)
            || newer.is_some_and(|(_, names)| names.contains(&name))
    }

    /// The versions that have a parameter.
    #[must_use]
    pub fn versions_of(&self, name: &str) -> Versions {
        let found = self.by_version.iter().find(|(it, _)| *it == name);
        found.map_or(Versions::ALL, |it| it.1)
    }

    /// Whether one is in a list.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        [self.taken, self.foreign].iter().any(|it| it.contains(&name))
    }
}

/// A `select…` parameter.
#[derive(Clone, Copy, Debug)]
pub struct Select {
    pub param: &'static str,
    /// The property of the answer.
    pub property: &'static str,
    pub gives: Gives,
    /// The fields of other objects that a strict method takes, if those are checked.
    pub names: &'static [&'static str],
    /// May be `"count"`.
    pub countable: bool,
    /// Takes any text and true as well: Zabbix does not check it.
    pub is_lenient: bool,
    /// `limitSelects` applies to it: the field of the related objects whose first ones are returned.
    pub limited_by: Option<&'static str>,
    /// The versions of Zabbix that have it.
    pub versions: Versions,
}

/// The content of the property of a `select…` parameter.
#[derive(Clone, Copy, Debug)]
pub enum Gives {
    /// A list of objects of the API, by the object's name.
    Objects(&'static str),
    /// One object of the API; an empty list where there is none.
    Object(&'static str),
    /// A list of parts.
    Parts(&'static [Field]),
    /// One part; an empty list where there is none.
    Part(&'static [Field]),
    /// The field of that name, which is long and returned only on request: the parameter is a flag.
    Field,
    /// An empty list: there are no such objects yet.
    Nothing,
}

impl Select {
    #[must_use]
    pub const fn new(param: &'static str, property: &'static str, gives: Gives) -> Self {
        Self {
            param,
            property,
            gives,
            names: &[],
            countable: false,
            is_lenient: false,
            limited_by: None,
            versions: Versions::ALL,
        }
    }

    /// Older versions do not know it.
    #[must_use]
    pub const fn since(mut self, first: Version) -> Self {
        self.versions.since = first;
        self
    }

    /// Newer versions do not know it.
    #[must_use]
    pub const fn until(mut self, last: Version) -> Self {
        self.versions.until = Some(last);
        self
    }

    /// The fields that may be asked for.
    #[must_use]
    pub const fn of_fields(mut self, names: &'static [&'static str]) -> Self {
        self.names = names;
        self
    }

    /// `"count"` gives the number of related objects.
    #[must_use]
    pub const fn countable(mut self) -> Self {
        self.countable = true;
        self
    }

    #[must_use]
    pub const fn lenient(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// With `limitSelects` it gives the first ones by this field.
    #[must_use]
    pub const fn limited(mut self, by: &'static str) -> Self {
        self.limited_by = Some(by);
        self
    }
}
