//! The objects of the API: one file each, and one line in [`TABLE`].

pub(crate) mod absent;
pub(crate) mod auditlog;
mod checks;
pub(crate) mod configuration;
pub(crate) mod cross;
pub(crate) mod crud;
pub(crate) mod discoveryrule;
pub(crate) mod event;
pub(crate) mod group;
pub(crate) mod history;
pub(crate) mod holder;
pub(crate) mod host;
pub(crate) mod interface;
pub(crate) mod interval;
pub(crate) mod inventory;
pub(crate) mod item;
pub(crate) mod item_fields;
pub(crate) mod item_rules;
pub(crate) mod itemprototype;
pub(crate) mod mass;
mod masters;
pub(crate) mod opdata;
pub(crate) mod overrides;
pub(crate) mod parts;
pub(crate) mod problem;
pub(crate) mod refs;
pub(crate) mod regexp;
pub(crate) mod resolve;
pub(crate) mod role;
pub(crate) mod scope;
pub(crate) mod tag_filter;
pub(crate) mod task;
pub(crate) mod template;
pub(crate) mod token;
pub(crate) mod trigger;
pub(crate) mod trigger_fields;
pub(crate) mod triggerprototype;
pub(crate) mod user;
pub(crate) mod usergroup;
pub(crate) mod usermacro;
pub(crate) mod valuemap;

use std::sync::OnceLock;

use model::content::RoleType;
use model::map::Map;
use serde_json::Value;

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
}

impl Run {
    pub(crate) fn answer(self, ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
        match self {
            Self::Small(run) => run(ctx, params).map(Answer::Tree),
            Self::Rows(run) => run(ctx, params),
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

/// All objects of the API. To add one: its file and a line here.
pub(crate) const TABLE: &[Entry] = &[
    auditlog::ENTRY,
    configuration::ENTRY,
    discoveryrule::ENTRY,
    history::ENTRY,
    history::TREND_ENTRY,
    group::HOST_GROUP_ENTRY,
    group::TEMPLATE_GROUP_ENTRY,
    host::ENTRY,
    interface::ENTRY,
    item::ENTRY,
    itemprototype::ENTRY,
    problem::EVENT_ENTRY,
    problem::PROBLEM_ENTRY,
    regexp::ENTRY,
    role::ENTRY,
    task::ENTRY,
    template::ENTRY,
    token::ENTRY,
    trigger::ENTRY,
    triggerprototype::ENTRY,
    user::ENTRY,
    usergroup::ENTRY,
    usermacro::ENTRY,
    usermacro::GLOBAL_ENTRY,
    valuemap::ENTRY,
];

/// The method of this name.
pub(crate) fn method(name: &str) -> Option<&'static Method> {
    static BY_NAME: OnceLock<Map<&'static str, &'static Method>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let methods = TABLE.iter().flat_map(|it| it.methods).chain(absent::METHODS);
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
