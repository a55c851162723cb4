//! Methods, and their objects.

use db::objects::Stored;
use model::content::RoleType;
use model::version::Versions;
use serde_json::Value;
use tokio::runtime::Handle;

use crate::answer::{Answer, Text};
use crate::describe::Object;
use crate::error::ApiError;
use crate::ports::Pushing;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;

/// On which threads a method runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pool {
    Read,
    /// Reads data that only the database has, and waits for it.
    Stored,
    /// Writes: they run one after another.
    Edit,
    /// Pushes values, and waits until they are written.
    Push,
    /// Waits for something outside of the server.
    Outside,
}

/// Parameters that name or ask for rows which only the database has.
const BY_STORED_ROWS: &[&str] = &["dhostids", "dserviceids", "selectLastEvent"];

/// A method that needs a session.
#[derive(Clone, Copy)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// The least kind of user that may call it.
    pub(crate) role: RoleType,
    pub(crate) pool: Pool,
    pub(crate) run: Run,
    /// The versions of Zabbix that have it.
    pub(crate) versions: Versions,
}

/// The kind of a method.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// Answers little.
    Small(fn(&Ctx, &Value) -> Result<Value, ApiError>),
    /// May answer with very many rows.
    Rows(fn(&Ctx, &Value) -> Result<Answer, ApiError>),
    /// Waits for the journal alone, and may do so where requests are read.
    Pushed(Pushed),
    /// Of an object that its description says everything of.
    Stored(&'static Stored, Verb, RunStored),
}

/// A method that waits for the journal alone.
#[derive(Clone, Copy)]
pub(crate) struct Pushed {
    /// Whether parameters are so few that no thread is needed to read them.
    pub(crate) is_small: fn(&Value) -> bool,
    pub(crate) run: for<'a> fn(&'a Ctx, &'a Value) -> Pushing<'a, Result<Text, ApiError>>,
}

/// Runs a method of an object by its description.
pub(crate) type RunStored = fn(&'static Stored, Verb, &Ctx, &Value) -> Result<Answer, ApiError>;

/// The effect of a method on an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verb {
    Get,
    Create,
    Update,
    Delete,
}

impl Run {
    /// On a thread that may wait.
    pub(crate) fn answer(self, ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
        match self {
            Self::Small(run) => run(ctx, params).map(Answer::Tree),
            Self::Pushed(it) => Handle::current().block_on((it.run)(ctx, params)).map(Answer::Text),
            Self::Rows(run) => run(ctx, params),
            Self::Stored(stored, verb, run) => run(stored, verb, ctx, params),
        }
    }
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Method").field(&self.name).finish()
    }
}

impl Method {
    pub(crate) const fn new(name: &'static str, role: RoleType, pool: Pool, run: Run) -> Self {
        Self { name, role, pool, run, versions: Versions::ALL }
    }

    pub(crate) const fn read(
        name: &'static str,
        run: fn(&Ctx, &Value) -> Result<Value, ApiError>,
    ) -> Self {
        Self::new(name, RoleType::User, Pool::Read, Run::Small(run))
    }

    /// Reads rows.
    pub(crate) const fn get(
        name: &'static str,
        run: fn(&Ctx, &Value) -> Result<Answer, ApiError>,
    ) -> Self {
        Self::new(name, RoleType::User, Pool::Read, Run::Rows(run))
    }

    /// Pushes values.
    pub(crate) const fn push(name: &'static str, pushed: Pushed) -> Self {
        Self::new(name, RoleType::User, Pool::Push, Run::Pushed(pushed))
    }

    /// Changes configuration: for admins.
    pub(crate) const fn edit(
        name: &'static str,
        run: fn(&Ctx, &Value) -> Result<Value, ApiError>,
    ) -> Self {
        Self::new(name, RoleType::Admin, Pool::Edit, Run::Small(run))
    }

    /// Waits for something else than this server's memory.
    pub(crate) const fn slow(mut self, pool: Pool) -> Self {
        self.pool = pool;
        self
    }

    /// Where a call runs: with parameters by which memory finds nothing it waits for the database.
    pub(crate) fn pool_of(&self, params: &Value) -> Pool {
        let asks_database = |it: &&str| params.get(it).is_some_and(|it| !it.is_null());
        if self.pool == Pool::Read && BY_STORED_ROWS.iter().any(asks_database) {
            return Pool::Stored;
        }
        self.pool
    }

    pub(crate) const fn of(mut self, role: RoleType) -> Self {
        self.role = role;
        self
    }
}

/// The writer of rows of an object that others are related to.
pub(crate) type Relate = for<'a> fn(&'a Ctx, Related<'a>, &Output) -> Value;

/// An object with its methods.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectEntry {
    pub(crate) object: &'static Object,
    own: &'static [Method],
    more: &'static [Method],
    pub(crate) relate: Option<Relate>,
}

impl ObjectEntry {
    pub(crate) const fn new(object: &'static Object, own: &'static [Method]) -> Self {
        Self { object, own, more: &[], relate: None }
    }

    /// Methods of the object in another file.
    pub(crate) const fn with(mut self, more: &'static [Method]) -> Self {
        self.more = more;
        self
    }

    /// Other objects have selects that give this one.
    pub(crate) const fn related(mut self, relate: Relate) -> Self {
        self.relate = Some(relate);
        self
    }

    pub(crate) fn methods(&self) -> impl Iterator<Item = &'static Method> {
        self.own.iter().chain(self.more)
    }
}
