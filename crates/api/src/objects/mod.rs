//! The objects of the API: one file each, and one line in [`TABLE`].

pub(crate) mod absent;
pub(crate) mod administration;
pub(crate) mod common;
pub(crate) mod document;
pub(crate) mod history;
pub(crate) mod hosts;
pub(crate) mod items;
pub(crate) mod problems;
pub(crate) mod triggers;
pub(crate) mod users;

use std::sync::OnceLock;

use db::objects::Stored;
use model::content::RoleType;
use model::map::Map;
use serde_json::Value;

use self::document::Verb;
use crate::answer::Answer;
use crate::describe::{Field, Object};
use crate::error::ApiError;
use crate::shared::Ctx;

/// On which threads a method runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pool {
    Read,
    /// Writes: they run one after another.
    Edit,
}

/// A method that needs a session.
#[derive(Clone, Copy)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// The least kind of user that may call it.
    pub(crate) role: RoleType,
    pub(crate) pool: Pool,
    pub(crate) run: Run,
}

/// What a method is.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// Answers little.
    Small(fn(&Ctx, &Value) -> Result<Value, ApiError>),
    /// May answer with very many rows.
    Rows(fn(&Ctx, &Value) -> Result<Answer, ApiError>),
    /// Of an object that its description says everything of.
    Stored(&'static Stored, Verb),
    /// Of an object that does not exist yet.
    Absent,
}

impl Run {
    pub(crate) fn answer(self, ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
        match self {
            Self::Small(run) => run(ctx, params).map(Answer::Tree),
            Self::Rows(run) => run(ctx, params),
            Self::Stored(stored, verb) => document::run(stored, verb, ctx, params),
            Self::Absent => Ok(Answer::Tree(absent::none(params))),
        }
    }
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Method").field(&self.name).finish()
    }
}

impl Method {
    pub(crate) const fn read(
        name: &'static str,
        run: fn(&Ctx, &Value) -> Result<Value, ApiError>,
    ) -> Self {
        Self { name, role: RoleType::User, pool: Pool::Read, run: Run::Small(run) }
    }

    /// Reads rows.
    pub(crate) const fn get(
        name: &'static str,
        run: fn(&Ctx, &Value) -> Result<Answer, ApiError>,
    ) -> Self {
        Self { name, role: RoleType::User, pool: Pool::Read, run: Run::Rows(run) }
    }

    /// Changes configuration: for admins.
    pub(crate) const fn edit(
        name: &'static str,
        run: fn(&Ctx, &Value) -> Result<Value, ApiError>,
    ) -> Self {
        Self { name, role: RoleType::Admin, pool: Pool::Edit, run: Run::Small(run) }
    }

    pub(crate) const fn of(mut self, role: RoleType) -> Self {
        self.role = role;
        self
    }
}

/// An object with its methods.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) object: &'static Object,
    pub(crate) methods: &'static [Method],
}

/// Objects whose methods are written by hand. To add one: its file and a line here; most need only a
/// description (docs/adding.md).
pub(crate) const TABLE: &[Entry] = &[
    administration::auditlog::ENTRY,
    administration::configuration::ENTRY,
    items::discoveryrule::ENTRY,
    history::ENTRY,
    history::TREND_ENTRY,
    hosts::group::HOST_GROUP_ENTRY,
    hosts::group::TEMPLATE_GROUP_ENTRY,
    hosts::host::ENTRY,
    hosts::interface::ENTRY,
    items::item::ENTRY,
    items::itemprototype::ENTRY,
    problems::problem::EVENT_ENTRY,
    problems::problem::PROBLEM_ENTRY,
    administration::task::ENTRY,
    hosts::template::ENTRY,
    users::token::ENTRY,
    triggers::trigger::ENTRY,
    triggers::triggerprototype::ENTRY,
    users::user::ENTRY,
    users::usergroup::ENTRY,
    hosts::usermacro::ENTRY,
    hosts::usermacro::GLOBAL_ENTRY,
];

/// All objects of the API.
pub(crate) fn all() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().chain(document::entries())
}

/// The method of this name.
pub(crate) fn method(name: &str) -> Option<&'static Method> {
    static BY_NAME: OnceLock<Map<&'static str, &'static Method>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let methods = all().flat_map(|it| it.methods).chain(absent::methods());
        methods.map(|it| (it.name, it)).collect()
    });
    by_name.get(name).copied()
}

/// Two lists of fields as one.
pub(crate) const fn joined<const A: usize, const B: usize, const N: usize>(
    one: &[Field; A],
    two: &[Field; B],
) -> [Field; N] {
    assert!(N == A + B, "the list has room for both");
    let mut all = [one[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < A { one[at] } else { two[at - A] };
        at += 1;
    }
    all
}
