//! State that all requests share, and the context of one call.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use db::{
    Act, Actor, ConfigError, Db, Editor, ErrorCode, Origin, Permission, Rights, UserIdentity,
};
use jiff::tz::TimeZone;
use model::content::{Role, RoleAction, RoleType, UiElement};
use model::networks::Networks;
use model::snapshot::{Host, Snapshot};
use model::version::Version;
use model::{Time, UserId};
use rt::task::Tasks;
use rt::worker::GroupHandle;
use rt::{Clock, Shutdown};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinError;

use serde_json::{Value, json};

use crate::answer::Out;
use crate::cors::Cors;
use crate::cross_host::{CrossCache, CrossGraphs, CrossTriggers};
use crate::describe::{Gives, Select};
use crate::error::{ApiError, ErrorClass};
use crate::memory::{self, Memory, MemorySweeper};
use crate::metrics::Metrics;
use crate::pool::{Pool, PoolSize};
use crate::ports::Ports;
use crate::query::Output;
use crate::relation::Related;
use crate::response_stream::ResponseStreams;
use crate::shares::{Shares, StreamPlaces};
use crate::task_log::TaskLog;
use crate::visibility::VisibilityCache;

/// Settings of the surface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiSettings {
    /// Bytes of a request's body at most, after decompression.
    pub body_bytes_max: usize,
    /// … of clients without a valid session or token in their header.
    pub before_login_bytes_max: usize,
    /// Bytes that bodies, what is parsed of them, and unread answers of all requests take together.
    pub memory_bytes_max: u64,
    /// A client sends its request and takes its answer at 16 KiB in this time at least.
    pub stall_max: Duration,
    /// Which other origins may use the API in browsers.
    pub cors: Cors,
    /// Calls that compute at once; more wait.
    pub calls_max: usize,
    /// Callers that wait for a turn, of each kind of work; more are refused.
    pub waiting_max: usize,
    /// How long a caller waits before it is refused.
    pub wait_max: Duration,
    /// Logins that compute at once: each takes some 20 MB and 30 ms.
    pub logins_max: usize,
    /// Reverse proxies whose word counts for where a request comes from.
    pub trusted_proxies: Networks,
    /// Open live streams at most.
    pub streams_max: usize,
    /// … of one user.
    pub streams_user_max: usize,
    /// How often changes go out to live streams.
    pub changes_period: Duration,
    /// The version of Zabbix that programs are answered as.
    pub zabbix_version: Version,
}

impl Default for ApiSettings {
    fn default() -> Self {
        // 32 MB: an import of all official templates of Zabbix is 25 MB.
        Self {
            body_bytes_max: 32 << 20,
            before_login_bytes_max: 1 << 20,
            memory_bytes_max: 192 << 20,
            stall_max: Duration::from_secs(30),
            cors: Cors::default(),
            calls_max: 8,
            waiting_max: 1_000,
            wait_max: Duration::from_secs(30),
            logins_max: 2,
            trusted_proxies: Networks::default(),
            streams_max: 1_000,
            streams_user_max: 100,
            changes_period: Duration::from_millis(250),
            zabbix_version: Version::default(),
        }
    }
}

/// The parts of the surface.
#[derive(Debug)]
pub struct ApiParts {
    pub db: Db,
    pub clock: Clock,
    pub ports: Ports,
    pub registry: rt::metrics::Registry,
    /// Where the task of the live streams runs; its shutdown ends them.
    pub tasks: Tasks,
    /// Where workers run that need memory alone.
    pub timers: GroupHandle,
    pub settings: ApiSettings,
}

/// Requests with series at once. Most of them wait for the journal, some for the items of new series.
const PUSHES_MAX: usize = 16;

/// The most calls at once that wait for another program, such as a script: each holds a thread. More wait.
const OUTSIDE_MAX: usize = 32;
/// … of one user.
const OUTSIDE_EACH: usize = 8;

/// The most requests of users that are inflated or parsed at once, and of clients without a login. More wait.
const REQUESTS_MAX: usize = 4;
const BEFORE_LOGIN_MAX: usize = 2;

/// The most live streams that read at once: more wait.
const LIVE_MAX: usize = 4;

/// The most edits at once: they run one after another anyway, while the others parse.
const EDITS_MAX: usize = 3;

/// Calls at once that read data that only the database has. A limit of their own: a database that hangs or is
/// slow delays none of the calls that are answered from memory.
const STORED_MAX: usize = 8;

/// Trials at once: each may hold a thread for a minute, and some hundred MB of values.
const TRIALS_MAX: usize = 6;
/// … of one user.
const TRIALS_EACH: usize = 4;

/// Changes of hosts that a stream may lag by before it has to read again.
const HOST_CHANGES_MAX: usize = 64;

/// Writes rows as the object of a name does. The code of objects is above this module.
pub(crate) type Relations = for<'a> fn(&'a Ctx, &str, Related<'a>, &Output) -> Value;

/// The relations between objects, by their names in methods: the registry knows them all.
#[derive(Clone, Copy)]
pub(crate) struct ObjectsByName {
    pub(crate) related: Relations,
    /// The code in the audit log.
    pub(crate) resource: fn(&str) -> i64,
    /// Fields that a version does not have.
    pub(crate) lacking: fn(&str, Version) -> Vec<&'static str>,
    /// Whether a mask (`host.*`, `*.get`) or name is of methods that users of a kind may call.
    pub(crate) methods: fn(&str, RoleType) -> bool,
}

/// Shared by all requests.
pub(crate) struct ApiState {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) ports: Ports,
    pub(crate) tasks: Tasks,
    pub(crate) shutdown: Shutdown,
    pub(crate) settings: ApiSettings,
    pub(crate) metrics: Metrics,
    pub(crate) calls: Pool,
    /// Calls that read data that only the database has.
    pub(crate) stored: Pool,
    pub(crate) edits: Pool,
    pub(crate) logins: Pool,
    /// Values that are pushed, as series or by `history.push`.
    pub(crate) pushes: Pool,
    /// Calls that wait for something outside.
    pub(crate) outside: Pool,
    /// Requests of users that are inflated or parsed.
    pub(crate) requests: Pool,
    /// Work for clients without a login.
    pub(crate) before_login: Pool,
    /// Reads of live streams.
    pub(crate) live: Pool,
    pub(crate) flows: ResponseStreams,
    pub(crate) trials: Arc<Shares<UserId>>,
    pub(crate) streams: Arc<StreamPlaces>,
    pub(crate) memory: Memory,
    pub(crate) cross: CrossCache,
    pub(crate) visibility: VisibilityCache,
    task_log: TaskLog,
    objects: ObjectsByName,
    /// The version of problems.
    pub(crate) problems: watch::Receiver<u64>,
    /// Grows when users, their groups or roles change.
    pub(crate) access: watch::Receiver<u64>,
    /// Ids of hosts that changed or went.
    pub(crate) hosts: broadcast::Sender<Arc<[u64]>>,
}

impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl ApiState {
    pub(crate) fn new(parts: ApiParts, objects: ObjectsByName) -> Arc<Self> {
        let ApiParts { db, clock, ports, registry, tasks, timers, settings } = parts;
        let (problems_tx, problems) = watch::channel(db.events().version());
        db.events().watch(Box::new(move |version| {
            problems_tx.send_replace(version);
        }));
        let (hosts, _) = broadcast::channel(HOST_CHANGES_MAX);
        let hosts_tx = hosts.clone();
        db.subscribe(Box::new(move |_snapshot, delta| {
            let changed = delta.hosts_changed.iter().chain(&delta.hosts_removed);
            let changed: Arc<[u64]> = changed.map(|it| it.0).collect();
            // An error means that there is no receiver.
            if !changed.is_empty() && hosts_tx.send(changed).is_err() {
                tracing::trace!("no stream listens for changes of hosts");
            }
        }));
        let (access_tx, access) = watch::channel(0);
        let metrics = Metrics::register(&registry);
        let memory = Memory::new(settings.memory_bytes_max, &clock, &metrics);
        let stall_max = settings.stall_max;
        timers.add(memory::ROW, |wake| MemorySweeper::new(&memory, stall_max, wake));
        // A quarter of the turns is for others, whatever one user does.
        let each = |running: usize| running - running / 4;
        let pool = |name, running| pool(&settings, &metrics, name, (running, each(running)));
        let shared = Arc::new(Self {
            calls: pool("calls", settings.calls_max),
            stored: pool("stored", STORED_MAX),
            edits: pool("edits", EDITS_MAX),
            logins: pool("logins", settings.logins_max),
            pushes: pool("pushes", PUSHES_MAX),
            outside: self::pool(&settings, &metrics, "outside", (OUTSIDE_MAX, OUTSIDE_EACH)),
            requests: pool("requests", REQUESTS_MAX),
            before_login: pool("before_login", BEFORE_LOGIN_MAX),
            live: pool("live", LIVE_MAX),
            flows: ResponseStreams::new(
                metrics.answers_cut_total.clone(),
                tasks.shutdown().clone(),
            ),
            trials: Arc::new(Shares::new(TRIALS_MAX, TRIALS_EACH)),
            cross: CrossCache::default(),
            visibility: VisibilityCache::default(),
            task_log: TaskLog::default(),
            objects,
            streams: Arc::new(StreamPlaces::new(settings.streams_max, settings.streams_user_max)),
            memory,
            metrics,
            db,
            clock,
            ports,
            shutdown: tasks.shutdown().clone(),
            tasks,
            settings,
            problems,
            access,
            hosts,
        });
        shared.db.subscribe(Box::new(move |_snapshot, delta| {
            if delta.access_changed || delta.groups_changed {
                access_tx.send_modify(|it| *it += 1);
            }
        }));
        shared
    }

    /// Turns for this number of calls at once.
    pub(crate) fn pool(&self, name: &'static str, running: usize) -> Pool {
        pool(&self.settings, &self.metrics, name, (running, running))
    }

    /// Runs work that computes or waits on a thread for that, by a turn of its pool.
    ///
    /// # Errors
    /// If there is no turn for it, or it panics.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        pool: &Pool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.permitted(pool.turn().await?, work).await
    }

    /// As [`Self::blocking`] by a turn of the user's share.
    ///
    /// # Errors
    /// If there is no turn for it, or it panics.
    pub(crate) async fn blocking_of<T: Send + 'static>(
        &self,
        (pool, user): (&Pool, UserId),
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.permitted(pool.turn_of(user).await?, work).await
    }

    /// As [`Self::blocking`] for work that has begun and has to go on, such as a live stream: it waits
    /// without a limit.
    pub(crate) async fn blocking_unrefused<T: Send + 'static>(
        &self,
        pool: &Pool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.permitted(pool.unrefused_turn().await?, work).await
    }

    /// As [`Self::blocking_unrefused`] by a turn of the user's share.
    ///
    /// # Errors
    /// If the server stops, or the work panics.
    pub(crate) async fn blocking_unrefused_of<T: Send + 'static>(
        &self,
        (pool, user): (&Pool, UserId),
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.permitted(pool.unrefused_turn_of(user).await?, work).await
    }

    /// As [`Self::blocking`], by an existing permit. The work keeps it to its end, also when no caller waits
    /// for that any more.
    pub(crate) async fn permitted<P: Send + 'static, T: Send + 'static>(
        &self,
        permit: P,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let with = move |permit: P| {
            let done = work();
            drop(permit);
            done
        };
        self.working(permit, with).await
    }

    /// As [`Self::permitted`] for work that holds its permit itself.
    pub(crate) async fn working<P: Send + 'static, T: Send + 'static>(
        &self,
        permit: P,
        work: impl FnOnce(P) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let done = tokio::task::spawn_blocking(move || work(permit));
        done.await.map_err(|error| self.panicked(&error))
    }

    /// Runs a part of a request here that neither computes nor blocks for long.
    ///
    /// # Errors
    /// If it panics.
    pub(crate) async fn contained<T>(
        &self,
        kind: &'static str,
        work: impl Future<Output = T>,
    ) -> Result<T, ApiError> {
        let done = self.tasks.contain(kind, "the API", work).await;
        done.map_err(|_logged| {
            self.metrics.panics_total.inc();
            bug()
        })
    }

    fn panicked(&self, error: &JoinError) -> ApiError {
        tracing::error!(%error, "a call of the API panicked");
        self.metrics.panics_total.inc();
        bug()
    }

    /// The version of a call's answer: the pages are written for the reference.
    pub(crate) fn version_for(&self, is_page: bool) -> Version {
        if is_page { Version::default() } else { self.settings.zabbix_version }
    }

    /// The context of calls by `identity`; `None` if the user is deleted.
    pub(crate) fn ctx(self: &Arc<Self>, caller: Caller) -> Option<Ctx> {
        let snapshot = self.db.snapshot();
        let rights = self.db.rights(caller.identity.userid, &snapshot)?;
        let (now, version) = (self.clock.wall(), self.version_for(caller.is_cookie));
        let (shared, out) = (Arc::clone(self), Out::default());
        Some(Ctx { shared, snapshot, rights, caller, now, out, version })
    }
}

fn bug() -> ApiError {
    ApiError::new(ErrorClass::Internal, "The server failed on this call; its log says more.")
}

fn pool(
    settings: &ApiSettings,
    metrics: &Metrics,
    name: &'static str,
    (running, running_each): (usize, usize),
) -> Pool {
    let (waiting, wait) = (settings.waiting_max, settings.wait_max);
    Pool::new(name, PoolSize { running, running_each, waiting, wait }, metrics)
}

/// The caller and its way in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Caller {
    pub(crate) identity: UserIdentity,
    /// Session id or token text.
    pub(crate) credential: String,
    /// The session came as the browser's cookie.
    pub(crate) is_cookie: bool,
    pub(crate) ip: String,
}

/// One call: its caller, and its configuration.
#[derive(Debug)]
pub(crate) struct Ctx {
    pub(crate) shared: Arc<ApiState>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) rights: Rights,
    pub(crate) caller: Caller,
    pub(crate) now: Time,
    /// Where rows of a long answer go.
    pub(crate) out: Out,
    /// The version of Zabbix whose rules apply.
    pub(crate) version: Version,
}

/// The inputs of expanding texts of the configuration, the same for all callers.
#[derive(Clone, Copy)]
pub(crate) struct ExpandContext<'a> {
    pub(crate) shared: &'a ApiState,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) now: Time,
}

impl<'a> ExpandContext<'a> {
    pub(crate) fn zone(&self) -> &'a TimeZone {
        self.shared.db.zone()
    }
}

impl<'a> From<&'a Ctx> for ExpandContext<'a> {
    fn from(ctx: &'a Ctx) -> Self {
        Self { shared: &ctx.shared, snapshot: &ctx.snapshot, now: ctx.now }
    }
}

impl Ctx {
    pub(crate) fn db(&self) -> &Db {
        &self.shared.db
    }

    pub(crate) fn task_log(&self) -> &TaskLog {
        &self.shared.task_log
    }

    pub(crate) fn ports(&self) -> &Ports {
        &self.shared.ports
    }

    pub(crate) fn is_super_admin(&self) -> bool {
        self.rights.is_super_admin()
    }

    /// Whether the role of the user has an action.
    pub(crate) fn may_act(&self, action: RoleAction) -> bool {
        self.role().is_some_and(|it| it.actions.has(action))
    }

    /// Whether the role of the user has a part of the pages.
    pub(crate) fn has_element(&self, element: UiElement) -> bool {
        self.role().is_some_and(|it| it.ui.has(element))
    }

    fn role(&self) -> Option<&Arc<Role>> {
        self.snapshot.access.roles.get(&self.caller.identity.roleid)
    }

    /// Whether a link whose macros are replaced may be shown as one.
    pub(crate) fn admits_link(&self, link: &str) -> bool {
        let schemes = self.snapshot.globals.settings.uri_schemes.as_deref();
        lang::link::is_admitted(link, schemes)
    }

    /// Whether the user may see a host or template.
    pub(crate) fn may_read(&self, holder: &Host) -> bool {
        self.rights.is_super_admin() || Permission::Read <= self.rights.holder(holder)
    }

    pub(crate) fn may_write(&self, holder: &Host) -> bool {
        self.rights.is_super_admin() || Permission::Write <= self.rights.holder(holder)
    }

    /// The content of a select: rows as the named object writes them.
    pub(crate) fn related<'a>(
        &'a self,
        select: &Select,
        rows: Related<'a>,
        output: &Output,
    ) -> Value {
        let (object, is_one) = match select.gives {
            Gives::Objects(object) => (object, false),
            Gives::Object(object) => (object, true),
            Gives::Parts(_) | Gives::Part(_) | Gives::Field | Gives::Nothing => return json!([]),
        };
        let mut related = (self.shared.objects.related)(self, object, rows, output);
        self.leave_out_unknown(object, &mut related);
        match related {
            Value::Array(mut list) if is_one && !list.is_empty() => list.swap_remove(0),
            list => list,
        }
    }

    /// Removes members of related objects that the version does not have.
    fn leave_out_unknown(&self, object: &str, related: &mut Value) {
        let lacking = (self.shared.objects.lacking)(object, self.version);
        if lacking.is_empty() {
            return;
        }
        for row in related.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            row.retain(|name, _| !lacking.contains(&name.as_str()));
        }
    }

    /// The code in the audit log of an object, by its name in methods.
    pub(crate) fn resource(&self, object: &str) -> i64 {
        (self.shared.objects.resource)(object)
    }

    /// Whether a mask or name is of methods that users of a kind may call.
    pub(crate) fn knows_methods(&self, mask: &str, kind: RoleType) -> bool {
        (self.shared.objects.methods)(mask, kind)
    }

    /// Triggers by the items of other hosts that they use.
    pub(crate) fn cross_triggers(&self) -> Arc<CrossTriggers> {
        self.shared.cross.triggers(&self.snapshot)
    }

    /// Graphs by the items of other hosts that they show.
    pub(crate) fn cross_graphs(&self) -> Arc<CrossGraphs> {
        self.shared.cross.graphs(&self.snapshot)
    }

    /// Records in the audit log acts of the user that are no changes of the configuration.
    pub(crate) fn note_acts(&self, acts: Vec<Act>) {
        if self.snapshot.globals.settings.is_audited && !acts.is_empty() {
            self.with_origin(|from| self.db().audit().acted(from, acts, self.now));
        }
    }

    /// The caller, as the audit log has it.
    pub(crate) fn with_origin(&self, note: impl FnOnce(&Origin<'_>)) {
        let user = self.caller.identity.userid;
        let known = self.snapshot.access.users.get(&user);
        let username = known.map_or("", |it| it.username.as_str());
        note(&Origin { user, username, ip: &self.caller.ip });
    }

    /// Changes the configuration on behalf of the user.
    pub(crate) fn edit<T>(
        &self,
        change: impl FnOnce(&mut Editor) -> Result<T, ConfigError>,
    ) -> Result<T, ApiError> {
        let actor = Actor::User(self.caller.identity.userid);
        let done = self.db().edit(actor, |e| {
            e.set_time(self.now);
            e.set_address(&self.caller.ip);
            change(e)
        });
        done.map_err(ApiError::from)
    }
}

impl Ctx {
    /// Makes a change and rolls it back, to get its result.
    pub(crate) fn try_out<T>(
        &self,
        change: impl FnOnce(&mut Editor) -> Result<T, ConfigError>,
    ) -> Result<T, ConfigError> {
        let actor = Actor::User(self.caller.identity.userid);
        self.db().try_out(actor, |e| {
            e.set_time(self.now);
            change(e)
        })
    }
}

impl From<ConfigError> for ApiError {
    fn from(error: ConfigError) -> Self {
        let class = match error.code {
            ErrorCode::Parameters => ErrorClass::InvalidParams,
            ErrorCode::Application => ErrorClass::Application,
            ErrorCode::System => ErrorClass::System,
        };
        match error.field() {
            Some((path, what)) => Self::field(path, what).of_class(class),
            None => Self::new(class, error.text()),
        }
    }
}

impl From<db::DbError> for ApiError {
    fn from(error: db::DbError) -> Self {
        Self::from(ConfigError::from(error))
    }
}
