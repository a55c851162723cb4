//! Objects of the API, described once.
//!
//! An [`Object`] lists its fields with types, defaults, rules and who may change them where the
//! object is inherited. `api` validates and answers by it and writes the reference and the types of
//! the pages from it; `db` keeps objects by it.

mod by_version;
mod gets;

use std::borrow::Cow;

use crate::content::{RoleAction, UiElement};
use crate::version::{Version, Versions};

pub use by_version::fields_at;
pub use gets::{Gives, Params, Select};

/// The type of a field's value.
#[derive(Clone, Copy, Debug)]
pub enum FieldType {
    /// An id: decimal text; 0 counts as none where the field is not required.
    Id,
    /// A text of at most this many characters.
    Text { max: usize },
    /// The identity of an object in exports: a UUID of version 4 without dashes, or empty.
    Uuid,
    /// A whole number within bounds, both included. Answered as text.
    Int { min: i64, max: i64 },
    /// One of these codes. Answered as text.
    Code(&'static [i64]),
    /// Seconds since 1970.
    Timestamp,
    /// True or false.
    Bool,
    /// Floating point number.
    Float,
    /// One object with these fields.
    Object(&'static [Field]),
    /// The inventory of a host, which is refused in words of its own.
    Inventory(&'static [Field]),
    /// A list of objects with these fields. One object alone is taken as a list of one.
    List(&'static [Field]),
    /// A list of texts.
    Texts { max: usize },
}

/// 0 or 1.
pub const FLAG: FieldType = FieldType::Code(&[0, 1]);

/// The form of a text that is not empty, or of a number.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// One word for clients that know it.
    pub name: &'static str,
    /// For the reference, without a full stop.
    pub doc: &'static str,
    /// The bounds of what it counts, both included.
    pub range: Option<[u64; 2]>,
    pub judge: Judge,
}

/// Codes of a field with the versions of Zabbix that have them.
#[derive(Clone, Copy, Debug)]
pub struct CodesByVersion(pub &'static [(i64, Versions)]);

/// The error of a text.
pub type Judge = fn(&str) -> Result<(), Cow<'static, str>>;

impl Form {
    #[must_use]
    pub const fn new(name: &'static str, doc: &'static str, judge: Judge) -> Self {
        Self { name, doc, range: None, judge }
    }

    #[must_use]
    pub const fn within(mut self, min: u64, max: u64) -> Self {
        self.range = Some([min, max]);
        self
    }
}

/// The rule of a field when an object is created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Has to be given, and not empty.
    Required,
    /// If left out it gets this value (texts and codes as the API writes them).
    Default(&'static str),
    /// May be left out; then it has no value of its own (lists: empty).
    Optional,
    /// Set by the server only.
    ReadOnly,
    /// May be given at creation, not changed later.
    Constant(&'static str),
    /// Never answered: passwords.
    WriteOnly,
}

/// A condition: another field of the same object, listed before, has one of these values (codes as texts). A
/// field that the object does not have is one of the object that it is a part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    pub field: &'static str,
    pub one_of: &'static [&'static str],
}

impl When {
    #[must_use]
    pub const fn of(field: &'static str, one_of: &'static [&'static str]) -> Self {
        Self { field, one_of }
    }
}

/// The conditions of a field on others.
#[derive(Clone, Copy, Debug)]
pub struct Depends {
    /// It goes with these only: elsewhere it has its default, and nothing else may be given.
    pub only: &'static [When],
    /// Elsewhere not even the default may be given.
    pub is_absent_elsewhere: bool,
    /// The field is required and not empty where all of these hold.
    pub needed: &'static [When],
    /// An object that exists has to be given it only with another value of this field.
    pub needed_with: Option<&'static str>,
    /// Where all of these hold it may be left out, but not be empty.
    pub filled: &'static [When],
    /// The codes that may be given where a condition holds.
    pub codes: &'static [(When, &'static [i64])],
    /// The first and the last number that may be given where a condition holds.
    pub ranges: &'static [(When, [i64; 2])],
    /// It goes with these only, which the rules of its object check, with errors of their own.
    pub goes_with: &'static [When],
    /// The type of its value where a condition holds.
    pub kinds: &'static [(When, FieldType)],
}

impl Depends {
    pub const ON_NOTHING: Self = Self {
        only: &[],
        is_absent_elsewhere: false,
        needed: &[],
        needed_with: None,
        filled: &[],
        codes: &[],
        ranges: &[],
        goes_with: &[],
        kinds: &[],
    };

    /// Goes with these only.
    #[must_use]
    pub const fn only(when: &'static [When]) -> Self {
        Self { only: when, ..Self::ON_NOTHING }
    }

    /// Goes with these only, and is needed there.
    #[must_use]
    pub const fn needed(when: &'static [When]) -> Self {
        Self { only: when, needed: when, ..Self::ON_NOTHING }
    }

    /// As [`Self::needed`]; where the object exists, only with another value of a field.
    #[must_use]
    pub const fn needed_with(field: &'static str, when: &'static [When]) -> Self {
        Self { needed_with: Some(field), ..Self::needed(when) }
    }

    /// Goes with the first ones only; where the second ones hold, too, it is not empty.
    #[must_use]
    pub const fn filled(only: &'static [When], filled: &'static [When]) -> Self {
        Self { filled, ..Self::only(only) }
    }

    /// Goes with these only; elsewhere it is not known.
    #[must_use]
    pub const fn known(when: &'static [When]) -> Self {
        Self { only: when, is_absent_elsewhere: true, ..Self::ON_NOTHING }
    }

    /// As [`Self::known`], and needed there.
    #[must_use]
    pub const fn known_and_needed(when: &'static [When]) -> Self {
        Self { needed: when, ..Self::known(when) }
    }

    /// Where a condition holds only these of its codes are taken.
    #[must_use]
    pub const fn codes(codes: &'static [(When, &'static [i64])]) -> Self {
        Self { codes, ..Self::ON_NOTHING }
    }

    /// Goes with these only: the rules of its object check it.
    #[must_use]
    pub const fn goes_with(when: &'static [When]) -> Self {
        Self { goes_with: when, ..Self::ON_NOTHING }
    }

    /// Where a condition holds its value is of this type.
    #[must_use]
    pub const fn kinds(kinds: &'static [(When, FieldType)]) -> Self {
        Self { kinds, ..Self::ON_NOTHING }
    }

    /// Where a condition holds only numbers from the first to the last are taken.
    #[must_use]
    pub const fn ranges(ranges: &'static [(When, [i64; 2])]) -> Self {
        Self { ranges, ..Self::ON_NOTHING }
    }
}

/// Whether a field may be changed on an object that came from a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inherited {
    ReadOnly,
    Override,
}

/// One field of an object.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldType,
    pub rule: Rule,
    pub inherited: Inherited,
    /// An empty object means none, even if it has required fields; an empty text is accepted although the
    /// field is required.
    pub may_be_empty: bool,
    /// A text that is taken as a number, too: periods, ports.
    pub takes_numbers: bool,
    /// The error if it is required and missing, where Zabbix's does not name the field.
    pub missing_message: Option<&'static str>,
    /// A list that get answers as any field; others come by select.
    pub is_answered_list: bool,
    /// Given at creation and not changed later. Another way to say [`Rule::Constant`], for fields
    /// that have to be given.
    pub is_fixed: bool,
    /// Not known when an object is created.
    pub is_update_only: bool,
    /// The id of a part that stays the same part as long as it is given by it. At creation it may be
    /// any number, by which other parts name it.
    pub is_part_id: bool,
    /// Unknown members of its parts are ignored where those of the object are.
    pub ignores_unknown: bool,
    /// A list of texts; one text is accepted in its place.
    pub takes_one: bool,
    /// A list of texts in which each may stand once.
    pub is_each_once: bool,
    /// A list; one object is not accepted in its place: its members would be taken for elements.
    pub is_list_only: bool,
    /// May be left out, but not be empty.
    pub is_never_empty: bool,
    /// The texts that may be given, if not all.
    pub words: &'static [&'static str],
    /// The form of a text or a number, if not each is good.
    pub form: Option<&'static Form>,
    /// As `form`, where the reference has no sentence for it yet.
    pub judge: Option<Judge>,
    /// The rules of its object check the value, of whatever type it is.
    pub is_judged_later: bool,
    /// The range of a number in errors, if not its bounds.
    pub range: Option<&'static str>,
    /// The codes of a number, where the rules of its object check them.
    pub accepts: &'static [i64],
    /// The value where it is left out, if the rules of its object set it.
    pub implied: Option<&'static str>,
    /// Fields that differ between any two parts of a list.
    pub unique: &'static [&'static [&'static str]],
    /// Ignored where it is given, since clients send back what they got, and returned by get.
    pub is_ignored: bool,
    /// Nobody may read it later: it is masked in the audit log and not exported.
    pub is_secret: bool,
    /// A large value: the audit log only says that it exists or changed.
    pub is_blob: bool,
    /// The field's name in exports, if another.
    pub tag: Option<&'static str>,
    /// The names of the codes in exports.
    pub constants: &'static [(&'static str, i64)],
    /// The object that the id names.
    pub refers: Option<Refers>,
    pub depends: &'static Depends,
    /// The versions of Zabbix that have it.
    pub versions: Versions,
    /// Codes that not all versions have.
    pub codes_by_version: &'static CodesByVersion,
    /// One sentence for the reference, without a full stop.
    pub doc: &'static str,
}

impl Field {
    #[must_use]
    pub const fn new(name: &'static str, kind: FieldType, rule: Rule, doc: &'static str) -> Self {
        let inherited = Inherited::ReadOnly;
        let (may_be_empty, takes_numbers, missing_message) = (false, false, None);
        let (is_answered_list, is_fixed, is_secret, is_blob) = (false, false, false, false);
        let is_part_id = false;
        Self {
            name,
            kind,
            rule,
            inherited,
            may_be_empty,
            takes_numbers,
            missing_message,
            is_answered_list,
            is_fixed,
            is_update_only: false,
            is_part_id,
            ignores_unknown: false,
            takes_one: false,
            is_each_once: false,
            is_list_only: false,
            is_never_empty: false,
            words: &[],
            is_judged_later: false,
            range: None,
            accepts: &[],
            implied: None,
            form: None,
            judge: None,
            unique: &[],
            is_ignored: false,
            is_secret,
            is_blob,
            tag: None,
            constants: &[],
            refers: None,
            depends: &Depends::ON_NOTHING,
            versions: Versions::ALL,
            codes_by_version: &CodesByVersion(&[]),
            doc,
        }
    }

    /// May be changed on inherited objects.
    #[must_use]
    pub const fn overridable(mut self) -> Self {
        self.inherited = Inherited::Override;
        self
    }

    /// An empty object means none, an empty text counts as given.
    #[must_use]
    pub const fn or_empty(mut self) -> Self {
        self.may_be_empty = true;
        self
    }

    /// A number is accepted in place of its text.
    #[must_use]
    pub const fn or_number(mut self) -> Self {
        self.takes_numbers = true;
        self
    }

    /// Required; without it this is the error.
    #[must_use]
    pub const fn or_message(mut self, what: &'static str) -> Self {
        self.missing_message = Some(what);
        self
    }

    /// A list that get answers without being asked by a select.
    #[must_use]
    pub const fn answered(mut self) -> Self {
        self.is_answered_list = true;
        self
    }

    /// Not to be changed after creation.
    #[must_use]
    pub const fn fixed(mut self) -> Self {
        self.is_fixed = true;
        self
    }

    /// Not to be given at creation.
    #[must_use]
    pub const fn update_only(mut self) -> Self {
        self.is_update_only = true;
        self
    }

    /// The id of a part.
    #[must_use]
    pub const fn of_part(mut self) -> Self {
        self.is_part_id = true;
        self
    }

    /// Parts are read as leniently as the object.
    #[must_use]
    pub const fn lenient(mut self) -> Self {
        self.ignores_unknown = true;
        self
    }

    /// One text is accepted in place of a list of texts.
    #[must_use]
    pub const fn or_one(mut self) -> Self {
        self.takes_one = true;
        self
    }

    /// No text stands twice in the list.
    #[must_use]
    pub const fn each_once(mut self) -> Self {
        self.is_each_once = true;
        self
    }

    /// One object is not accepted in place of a list of one.
    #[must_use]
    pub const fn list_only(mut self) -> Self {
        self.is_list_only = true;
        self
    }

    /// Not empty where it is given.
    #[must_use]
    pub const fn never_empty(mut self) -> Self {
        self.is_never_empty = true;
        self
    }

    /// One of these texts.
    #[must_use]
    pub const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }

    /// Of this form, unless it is empty.
    #[must_use]
    pub const fn shaped(mut self, form: &'static Form) -> Self {
        self.form = Some(form);
        self
    }

    /// As [`Self::shaped`], of a form without a name: the reference has no description of it.
    #[must_use]
    pub const fn formed(mut self, judge: Judge) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Read as it is given.
    #[must_use]
    pub const fn judged_later(mut self) -> Self {
        self.is_judged_later = true;
        self
    }

    /// Its bounds as errors show them.
    #[must_use]
    pub const fn shown_as(mut self, range: &'static str) -> Self {
        self.range = Some(range);
        self
    }

    /// These codes, which the rules of its object check.
    #[must_use]
    pub const fn accepting(mut self, codes: &'static [i64]) -> Self {
        self.accepts = codes;
        self
    }

    /// This value where it is left out: the rules of its object set it.
    #[must_use]
    pub const fn implied(mut self, value: &'static str) -> Self {
        self.implied = Some(value);
        self
    }

    /// Any two parts differ in at least one field of each of these sets.
    #[must_use]
    pub const fn unique(mut self, sets: &'static [&'static [&'static str]]) -> Self {
        self.unique = sets;
        self
    }

    /// Ignored where it is given, and returned by get.
    #[must_use]
    pub const fn ignored(mut self) -> Self {
        self.is_ignored = true;
        self
    }

    /// Masked in the audit log, and not exported.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    /// The audit log only says that it exists.
    #[must_use]
    pub const fn blob(mut self) -> Self {
        self.is_blob = true;
        self
    }

    /// The names of the codes in exports.
    #[must_use]
    pub const fn named(mut self, constants: &'static [(&'static str, i64)]) -> Self {
        self.constants = constants;
        self
    }

    /// The field's name in exports.
    #[must_use]
    pub const fn tagged(mut self, tag: &'static str) -> Self {
        self.tag = Some(tag);
        self
    }

    /// An id of another object, which stays as long as it is used.
    #[must_use]
    pub const fn of(mut self, refers: Refers) -> Self {
        self.refers = Some(refers);
        self
    }

    /// Has to do with other fields.
    #[must_use]
    pub const fn depends(mut self, on: &'static Depends) -> Self {
        self.depends = on;
        self
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

    /// Not all versions have these of its codes.
    #[must_use]
    pub const fn codes_of(mut self, codes: &'static CodesByVersion) -> Self {
        self.codes_by_version = codes;
        self
    }

    /// Whether a version has a code of it.
    #[must_use]
    pub fn has_code(&self, code: i64, version: Version) -> bool {
        self.codes_by_version.0.iter().all(|(it, versions)| *it != code || versions.has(version))
    }

    /// The value where nothing is given, as the API writes it: empty if there is none.
    #[must_use]
    pub const fn default_text(&self) -> &'static str {
        match self.rule {
            Rule::Default(it) | Rule::Constant(it) => it,
            _ => "",
        }
    }

    /// Whether it is given at creation only.
    #[must_use]
    pub const fn is_constant(&self) -> bool {
        self.is_fixed || matches!(self.rule, Rule::Constant(_))
    }

    /// Whether get answers it.
    #[must_use]
    pub fn is_output(&self) -> bool {
        self.rule != Rule::WriteOnly
    }
}

/// A field that holds the id of an object, with the errors where that object does not exist or is to be
/// deleted.
#[derive(Clone, Copy, Debug)]
pub struct Refers {
    /// The object's name in methods.
    pub to: &'static str,
    /// Where there is no such object: a text with `{}` for the id.
    pub missing_message: &'static str,
    /// Where it is to be deleted: texts with `{}` for the names of one or of several that use it, and `{name}` for its
    /// own.
    pub used_messages: [&'static str; 2],
}

/// An object of the API: `name.get`, `name.create` and so on.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// As in method names.
    pub name: &'static str,
    /// As types and headings call it.
    pub type_name: &'static str,
    /// As sentences call it.
    pub nouns: Nouns,
    /// Its code in the audit log, if changes of it are recorded.
    pub resource: Option<i64>,
    /// The permissions that a role needs for its methods.
    pub role: RoleRule,
    /// How create and update read their parameters; `None` where their fields come from elsewhere.
    pub writes: Option<Writes>,
    /// The field of its id.
    pub id: &'static str,
    /// The list of ids in answers and parameters.
    pub ids: &'static str,
    pub fields: &'static [Field],
    /// `select…` parameters that get takes for it, with the property they fill.
    pub selects: &'static [Select],
    /// Parameters that only this get takes.
    pub params: Params,
    /// Fields that `sortfield` may name.
    pub sort: &'static [&'static str],
    pub doc: &'static str,
}

/// The names of one object and of several in sentences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nouns {
    /// With its article.
    pub one: &'static str,
    pub several: &'static str,
}

/// The permissions that a role needs for the methods of an object, in addition to the type of user that each
/// method requires.
///
/// Each object has its own: there is no default that a new object could get by mistake.
#[derive(Clone, Copy, Debug)]
pub struct RoleRule {
    /// Where its methods change something.
    pub changed_from: ChangedFrom,
    /// Methods for which it is otherwise, by their verb.
    pub exceptions: &'static [(&'static str, ChangedFrom)],
    pub action: NeededAction,
}

/// From which parts of the pages an object is changed. Programs are not asked for parts of pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangedFrom {
    /// No method changes it: a method added later is refused to pages.
    Nowhere,
    /// All of them: the changes are to the user's own data, or permissions on related objects decide.
    AnyPage,
    /// One of these is enough.
    OneOf(&'static [UiElement]),
}

/// The action of a role that methods are, for pages and programs alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NeededAction {
    None,
    /// Create, update and delete.
    ForChanges(RoleAction),
    /// The method of this verb.
    For(&'static str, RoleAction),
    Always(RoleAction),
}

impl RoleRule {
    /// Nothing changes it.
    pub const READ_ONLY: Self = Self::of(ChangedFrom::Nowhere);
    pub const ANY_PAGE: Self = Self::of(ChangedFrom::AnyPage);

    /// Changed by users whose role has one of these parts of the pages.
    #[must_use]
    pub const fn one_of(elements: &'static [UiElement]) -> Self {
        Self::of(ChangedFrom::OneOf(elements))
    }

    const fn of(changed_from: ChangedFrom) -> Self {
        Self { changed_from, exceptions: &[], action: NeededAction::None }
    }

    #[must_use]
    pub const fn except(mut self, methods: &'static [(&'static str, ChangedFrom)]) -> Self {
        self.exceptions = methods;
        self
    }

    #[must_use]
    pub const fn needs(mut self, action: NeededAction) -> Self {
        self.action = action;
        self
    }

    /// The pages that may call the method of this verb. Methods that only read are open to all: other parts
    /// of the pages show the same objects.
    #[must_use]
    pub fn pages_of(&self, verb: &str) -> ChangedFrom {
        if verb.starts_with("get") {
            return ChangedFrom::AnyPage;
        }
        let exception = self.exceptions.iter().find(|(it, _)| *it == verb);
        exception.map_or(self.changed_from, |it| it.1)
    }

    /// The action that the method of this verb requires.
    #[must_use]
    pub fn action_of(&self, verb: &str) -> Option<RoleAction> {
        match self.action {
            NeededAction::None => None,
            NeededAction::Always(action) => Some(action),
            NeededAction::For(method, action) => (verb == method).then_some(action),
            NeededAction::ForChanges(action) => {
                matches!(verb, "create" | "update" | "delete").then_some(action)
            }
        }
    }
}

/// How create and update read their parameters.
#[derive(Clone, Copy, Debug)]
pub struct Writes {
    pub unknown: Unknown,
    pub rules_see: RulesSee,
    /// Sets of fields that no two objects of one request may have in common.
    pub unique: &'static [&'static [&'static str]],
}

/// The handling of unknown members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    Refused,
    /// As Zabbix's older methods do.
    PassedOver,
}

/// The fields of a new object that rules over several fields get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulesSee {
    /// All fields: those that were left out have their defaults.
    Filled,
    /// Only given fields: a field that is left out may be wrong where its default is not, or the other way
    /// round.
    Given,
}

impl Object {
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|it| it.name == name)
    }

    #[must_use]
    pub fn select(&self, param: &str) -> Option<&'static Select> {
        self.selects.iter().find(|it| it.param == param)
    }

    /// A top-level field that get answers with `output: extend`: few lists and objects, most come by
    /// select.
    pub fn output_fields(&self) -> impl Iterator<Item = &'static Field> {
        let is_part = |name: &str| {
            self.selects.iter().any(|it| it.property == name && matches!(it.gives, Gives::Part(_)))
        };
        let is_by_select = move |it: &Field| match it.kind {
            FieldType::List(_) => !it.is_answered_list,
            FieldType::Object(_) => is_part(it.name),
            _ => false,
        };
        self.fields.iter().filter(move |it| it.is_output() && !is_by_select(it))
    }
}
