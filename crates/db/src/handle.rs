//! The handle: open, read the snapshot, change it, hear of changes.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use jiff::tz::TimeZone;
use model::document::Body;
use model::snapshot::Snapshot;
use model::{HostId, MaintenanceId, Time, UserId};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;

use crate::actor::Actor;
use crate::auth::{
    AuthState, FailedLogins, LastUse, LoginError, PASSWORD_CHARS_MAX, Rights, Session,
    UserIdentity, identity_of, may_log_in,
};
use crate::configuration::audit::Audit;
use crate::configuration::commit::{CommittedState, Editing, Subscriber};
use crate::configuration::editor::{EditBase, Editor};
use crate::configuration::import::{ImportFile, ImportFormat, ImportReport, ImportRules};
use crate::configuration::lld::RuleErrors;
use crate::configuration::{seed, store};
use crate::error::{ConfigError, DbError};
use crate::locks::{self, Turn, Turns};
use crate::metrics::DbMetrics;
use crate::runtime::alerts::Alerts;
use crate::runtime::availability::Availability;
use crate::runtime::behind::{Behind, Stopping};
use crate::runtime::discovered::DiscoveryErrors;
use crate::runtime::escalations::EscalationStore;
use crate::runtime::events::{EventSettings, Events};
use crate::runtime::maintenance::RunningMaintenances;
use crate::runtime::parents::Topology;
use crate::runtime::services::Services;
use crate::runtime::views::UserViews;
use crate::sql::backup::PinnedTables;
use crate::sql::faults::TransactionFaults;
use crate::sql::location::Location;
use crate::sql::{Absence, Limits, Presence, Watch, Workers, schema, sqlite_damage};

/// The longest edits are imports of all templates, of some 10 s, and those that wait for a database that is
/// away.
const EDIT_WAIT_MAX: Duration = Duration::from_mins(1);

/// A row makes an object by each prototype of its rule, and a large host some 10,000 rows.
pub const DISCOVERY_ROWS_MAX: usize = 100_000;

#[derive(Clone, Debug)]
pub struct DbSettings {
    pub location: Location,
    pub events: EventSettings,
    /// How long an edit waits for those before it.
    pub edit_wait_max: Duration,
    /// Rows that a discovery rule may have; a value with more changes nothing, and the rule says so.
    pub discovery_rows_max: usize,
    /// Seconds after which an unused session ends, unless its user has another `autologout`.
    pub session_idle_s: i64,
    /// Of the server: functions of macros write times in it.
    pub zone: TimeZone,
    /// Faults of the store are reported here.
    pub health: Health,
    /// For the metrics of the store.
    pub registry: Registry,
    pub clock: Clock,
    /// Of a simulation.
    pub faults: Option<Arc<dyn TransactionFaults>>,
}

impl DbSettings {
    #[must_use]
    pub fn new(location: Location) -> Self {
        Self {
            location,
            events: EventSettings::default(),
            edit_wait_max: EDIT_WAIT_MAX,
            discovery_rows_max: DISCOVERY_ROWS_MAX,
            session_idle_s: 30 * 86_400,
            zone: TimeZone::UTC,
            health: Health::default(),
            registry: Registry::new(),
            clock: Clock::real(),
            faults: None,
        }
    }
}

/// The relational store. Clones share it.
#[derive(Clone)]
pub struct Db {
    inner: Arc<DbInner>,
}

struct DbInner {
    committed: CommittedState,
    /// Held for the whole of an edit. Taken before any other lock of this crate.
    editing: Turns<Editing>,
    edit_wait_max: Duration,
    discovery_rows_max: usize,
    /// Of deferred writes.
    _stopping: Stopping,
    workers: Arc<Workers>,
    events: Events,
    services: Services,
    alerts: Alerts,
    escalations: EscalationStore,
    availability: Availability,
    views: UserViews,
    rule_errors: RuleErrors,
    discovery_errors: DiscoveryErrors,
    maintained: ArcSwap<RunningMaintenances>,
    /// Held while it is found out: an older answer does not replace a newer one.
    maintaining: Mutex<()>,
    topology: ArcSwap<Topology>,
    /// As with maintenances.
    ranking: Mutex<()>,
    zone: TimeZone,
    location: Location,
}

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Db").field("epoch", &self.snapshot().epoch).finish_non_exhaustive()
    }
}

impl Db {
    /// Opens the store, brings its tables to the current version, fills an empty one with what
    /// every installation has, and loads everything.
    ///
    /// # Errors
    /// If the database cannot be reached, is of a later version, or is damaged.
    pub fn open(settings: &DbSettings) -> Result<Self, DbError> {
        let path = match &settings.location {
            Location::Sqlite(path) => Some(path),
            Location::Postgres(_) => None,
        };
        if let Some(path) = path {
            sqlite_damage::look_at_log(path, &settings.health);
        }
        Self::open_tables(settings).map_err(|error| {
            let location = settings.location.to_string();
            match path {
                Some(path) if error.is_damage_at_start() => {
                    let places = sqlite_damage::places(path);
                    DbError::DamagedFile { location, places, cause: Box::new(error) }
                }
                _ if error.names_database() => error,
                _ => DbError::Unusable { location, cause: Box::new(error) },
            }
        })
    }

    fn open_tables(settings: &DbSettings) -> Result<Self, DbError> {
        let metrics = DbMetrics::register(&settings.registry);
        let presence = Presence::of(&settings.clock, &settings.health, &metrics);
        presence.inject(&settings.faults);
        let watch = Watch { health: settings.health.clone(), metrics, presence };
        let workers = Arc::new(Workers::start(&settings.location, Limits::default(), watch)?);
        let loaded = workers.load("load", |sql| {
            schema::migrate(sql)?;
            seed::fill_if_empty(sql)?;
            let loaded = store::load(sql)?;
            sql.shrink()?;
            Ok(loaded)
        })?;
        let events = Events::open(settings.events.clone(), Arc::clone(&workers))?;
        let availability = Availability::open(Arc::clone(&workers))?;
        let rule_errors = RuleErrors::open(Arc::clone(&workers))?;
        let stopping = Behind::start(Arc::clone(&workers))?;
        let behind = stopping.0.clone();
        let audit = Audit::open(Arc::clone(&workers), behind.clone())?;
        let of_auth = (Arc::clone(&workers), behind);
        let auth = AuthState::open(loaded.secrets, settings.session_idle_s, of_auth);
        let base = EditBase {
            ids: loaded.ids,
            contents: loaded.contents,
            cross: loaded.cross,
            zone: settings.zone.clone(),
        };
        let alerts = Alerts::new(Arc::clone(&workers));
        let services = Services::new(Arc::clone(&workers));
        let escalations = EscalationStore::new(Arc::clone(&workers));
        let views = UserViews::open(Arc::clone(&workers))?;
        let inner = DbInner {
            committed: CommittedState::new(loaded.snapshot, auth, audit, Arc::clone(&workers)),
            editing: Turns::new(Editing::new(base)),
            edit_wait_max: settings.edit_wait_max,
            discovery_rows_max: settings.discovery_rows_max,
            _stopping: stopping,
            workers,
            events,
            services,
            alerts,
            escalations,
            availability,
            views,
            rule_errors,
            discovery_errors: DiscoveryErrors::default(),
            maintained: ArcSwap::default(),
            maintaining: Mutex::default(),
            topology: ArcSwap::default(),
            ranking: Mutex::default(),
            zone: settings.zone.clone(),
            location: settings.location.clone(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// See [`DbSettings::discovery_rows_max`].
    pub(crate) fn discovery_rows_max(&self) -> usize {
        self.inner.discovery_rows_max
    }

    /// That the database does not work, and since when; `None`: it works, as far as anybody has noticed.
    #[must_use]
    pub fn absence(&self) -> Option<Absence> {
        self.inner.workers.absence()
    }

    /// The time zone of the server.
    #[must_use]
    pub fn zone(&self) -> &TimeZone {
        &self.inner.zone
    }

    /// Which hosts are in maintenance, as of the last [`Self::maintain`].
    #[must_use]
    pub fn maintained(&self) -> Arc<RunningMaintenances> {
        self.inner.maintained.load_full()
    }

    /// Finds out which hosts are in maintenance at `now`, and suppresses problems accordingly. To be
    /// called at the start, at each minute, and after changes that [`RunningMaintenances::depends_on`] names.
    pub fn maintain(&self, now: Time) -> Arc<RunningMaintenances> {
        self.maintain_by(now, &mut |_| true)
    }

    /// As [`Self::maintain`], by the maintenances that `takes` takes, which is asked before each is looked at.
    pub fn maintain_by(
        &self,
        now: Time,
        takes: &mut dyn FnMut(MaintenanceId) -> bool,
    ) -> Arc<RunningMaintenances> {
        let _turn = locks::lock(&self.inner.maintaining);
        let maintained = RunningMaintenances::by(&self.snapshot(), now, &self.inner.zone, takes);
        let old = self.maintained();
        if *old == maintained {
            return old;
        }
        let maintained = Arc::new(maintained);
        // Problems first: a reader that sees a host in maintenance finds its problems suppressed.
        self.inner.events.set_maintained(Arc::clone(&maintained));
        self.inner.maintained.store(Arc::clone(&maintained));
        maintained
    }

    /// Finds parents and children of hosts in a configuration, and makes problems symptoms of those
    /// of their hosts' parents. To be called at the start, and after changes that
    /// [`Topology::depends_on`] names. An older configuration than that of the last call changes
    /// nothing.
    pub fn rank_by_parents(&self, snapshot: &Arc<Snapshot>, now: Time) {
        let _turn = locks::lock(&self.inner.ranking);
        if snapshot.epoch < self.topology().epoch() {
            return;
        }
        let topology = Arc::new(Topology::of(snapshot));
        self.inner.topology.store(Arc::clone(&topology));
        self.inner.events.set_topology(topology, now);
    }

    /// Parents and children of hosts, as of the last [`Self::rank_by_parents`].
    #[must_use]
    pub fn topology(&self) -> Arc<Topology> {
        self.inner.topology.load_full()
    }

    /// The configuration as it is now.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.inner.committed.snapshot()
    }

    /// Hears of every later change. See [`Subscriber`] for what it may do.
    pub fn subscribe(&self, subscriber: Subscriber) {
        self.inner.committed.subscribe(subscriber);
    }

    /// Makes one change, all of it or nothing. Edits run one after another; this call waits for
    /// its turn and for the database. A closure that changes nothing writes nothing and publishes
    /// nothing.
    ///
    /// # Errors
    /// What the closure returns, or a system error if the database refuses or other edits go on for
    /// [`DbSettings::edit_wait_max`].
    pub fn edit<T>(
        &self,
        actor: Actor,
        change: impl FnOnce(&mut Editor) -> Result<T, ConfigError>,
    ) -> Result<T, ConfigError> {
        self.inner.workers.check_writable("edit")?;
        // A panic in a closure leaves `Editing` as it was: it changes only after the commit.
        let mut editing = self.editing()?;
        self.inner.committed.resolve_commit(&mut editing)?;
        let base = self.snapshot();
        let mut editor = Editor::new(actor, Arc::clone(&base), &editing.base);
        let answer = change(&mut editor)?;
        editor.check_shared_keys()?;
        let outcome = editor.finish();
        if outcome.is_empty() {
            self.inner.committed.note((actor, &base), outcome);
            return Ok(answer);
        }
        self.inner.committed.commit(&mut editing, (actor, &base), outcome)?;
        Ok(answer)
    }

    /// The turn to edit.
    fn editing(&self) -> Result<Turn<'_, Editing>, DbError> {
        let time_max = self.inner.edit_wait_max;
        self.inner.editing.take(time_max).ok_or(DbError::Busy { seconds: time_max.as_secs() })
    }

    /// The permissions of a user; `None` if there is no such user.
    #[must_use]
    pub fn rights(&self, userid: UserId, snapshot: &Snapshot) -> Option<Rights> {
        Rights::of(userid, snapshot)
    }

    /// A user who may use the system, as one who came without credentials.
    #[must_use]
    pub fn identity(&self, user: UserId) -> Option<UserIdentity> {
        identity_of(user, &self.snapshot())
    }

    /// Whom a session id or a token's text stands for, if it is good at `now`. Answered from
    /// memory.
    #[must_use]
    pub fn authenticate(&self, credential: &str, now: Time) -> Option<UserIdentity> {
        self.inner.committed.auth.authenticate(credential, &self.snapshot(), now)
    }

    /// Checks name and password and opens a session. Takes some 30 ms of CPU on purpose. `ip` is
    /// where the login comes from.
    ///
    /// # Errors
    /// If they do not match, after too many failures, or if the user may not log in.
    pub fn login(
        &self,
        (username, ip): (&str, Option<IpAddr>),
        password: &str,
        now: Time,
    ) -> Result<Session, LoginError> {
        self.inner.committed.auth.login((username, ip), password, &self.snapshot(), now)
    }

    /// Ends a session; false if there was none. Saved afterwards, as logins are.
    pub fn logout(&self, sessionid: &str) -> bool {
        self.inner.committed.auth.logout(sessionid)
    }

    /// Whether `password` is the user's: for changes that ask for the current one.
    #[must_use]
    pub fn verify_password(&self, userid: UserId, password: &str) -> bool {
        self.inner.committed.auth.verify(userid, password)
    }

    #[must_use]
    pub fn events(&self) -> &Events {
        &self.inner.events
    }

    #[must_use]
    pub fn alerts(&self) -> &Alerts {
        &self.inner.alerts
    }

    /// The status of services.
    #[must_use]
    pub fn services(&self) -> &Services {
        &self.inner.services
    }

    #[must_use]
    pub fn escalations(&self) -> &EscalationStore {
        &self.inner.escalations
    }

    /// The saved views of the problem list.
    #[must_use]
    pub fn views(&self) -> &UserViews {
        &self.inner.views
    }

    #[must_use]
    pub fn availability(&self) -> &Availability {
        &self.inner.availability
    }

    #[must_use]
    pub fn rule_errors(&self) -> &RuleErrors {
        &self.inner.rule_errors
    }

    /// Of rules of network discovery.
    #[must_use]
    pub fn discovery_errors(&self) -> &DiscoveryErrors {
        &self.inner.discovery_errors
    }

    #[must_use]
    pub fn audit(&self) -> &Audit {
        &self.inner.committed.audit
    }

    /// Imports templates in Zabbix's export format (7.0 to 7.4).
    ///
    /// # Errors
    /// If the text is not such an export, holds what is not supported yet (the error names the
    /// path), or breaks a rule of the configuration. Nothing is imported then.
    pub fn import(
        &self,
        actor: Actor,
        text: &str,
        format: ImportFormat,
        rules: &ImportRules,
    ) -> Result<ImportReport, ConfigError> {
        let file = ImportFile::read(text, format)?;
        let report = self.edit(actor, |e| file.apply(e, rules))?;
        report.log();
        Ok(report)
    }

    /// Makes a change that is not published, to find out its result. Edits wait as long.
    ///
    /// # Errors
    /// As [`Db::edit`].
    pub fn try_out<T>(
        &self,
        actor: Actor,
        change: impl FnOnce(&mut Editor) -> Result<T, ConfigError>,
    ) -> Result<T, ConfigError> {
        let mut editing = self.editing()?;
        self.inner.committed.resolve_commit(&mut editing)?;
        change(&mut Editor::new(actor, self.snapshot(), &editing.base))
    }

    /// Whether no user has logged in or got a password yet: the first start.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.inner.committed.auth.is_fresh()
    }

    /// Sets a user's password.
    ///
    /// # Errors
    /// If there is no such user or the database refuses.
    pub fn set_password(&self, userid: UserId, password: &str) -> Result<(), ConfigError> {
        self.edit(Actor::System, |e| e.set_password(userid, password))
    }

    /// Gives a user who lost it a new password, on behalf of the server's operator: the user's
    /// sessions end, the wait after failed logins ends as well, and the audit log records it. The
    /// answer: whether the user may log in at all.
    ///
    /// # Errors
    /// If there is no such user, the password cannot be one, or the database refuses.
    pub fn reset_password(
        &self,
        username: &str,
        password: &str,
        now: Time,
    ) -> Result<bool, ConfigError> {
        let n_chars = password.chars().count();
        if n_chars == 0 || PASSWORD_CHARS_MAX < n_chars {
            return Err(ConfigError::parameters(format_args!(
                "A password has 1 to {PASSWORD_CHARS_MAX} characters."
            )));
        }
        let userid = self.edit(Actor::System, |e| {
            e.set_time(now);
            e.reset_password(username, password)
        })?;
        self.unblock(username);
        Ok(may_log_in(userid, &self.snapshot()))
    }

    /// Forgets failed logins of a user: the wait after them ends.
    pub fn unblock(&self, username: &str) {
        self.inner.committed.auth.unblock(username, &self.snapshot());
    }

    /// When users were last active; users who never were are left out.
    #[must_use]
    pub fn last_uses(&self) -> BTreeMap<UserId, LastUse> {
        self.inner.committed.auth.last_uses()
    }

    /// Failed logins of a user since the last that succeeded.
    #[must_use]
    pub fn failed_logins(&self, user: UserId) -> FailedLogins {
        self.inner.committed.auth.failed(user)
    }

    /// Makes the host that stands for the server itself, linked to templates by name, if there is
    /// no host of that name. Templates that are not there are left out.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn ensure_own_host(&self, host: &str, templates: &[&str]) -> Result<HostId, ConfigError> {
        self.edit(Actor::System, |e| seed::own_host(e, host, templates))
    }

    /// Makes the action that notifies the group of administrators of all problems, disabled, if
    /// there is none of that name.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn ensure_first_action(&self, name: &str) -> Result<(), ConfigError> {
        self.edit(Actor::System, |e| seed::first_action(e, name))
    }

    /// The public dashboard of a new installation, unless there is one of that name; `fields` as
    /// `dashboard.create` takes them.
    ///
    /// # Errors
    /// If a field is refused or the database is away.
    pub fn ensure_first_dashboard(&self, fields: &Body) -> Result<(), ConfigError> {
        self.edit(Actor::System, |e| seed::first_dashboard(e, fields.clone()))
    }

    pub(crate) fn workers(&self) -> &Workers {
        &self.inner.workers
    }

    /// Ends sessions that were not used for `kept_s` seconds, or for so long that they are dead;
    /// at most so many. Gives how many.
    pub(crate) fn expire_sessions(
        &self,
        kept_s: i64,
        n_max: u32,
        now: Time,
    ) -> Result<u64, DbError> {
        self.inner.committed.auth.expire(kept_s, n_max, (&self.snapshot(), now))
    }

    /// Up to which journal position a consumer has got; 0 if it has none.
    ///
    /// # Errors
    /// If the database is away.
    pub fn cursor(&self, name: &str) -> Result<u64, DbError> {
        let name = name.to_owned();
        self.inner.workers.read("read cursor", move |sql| store::cursor(sql, &name))
    }

    /// # Errors
    /// If the database refuses.
    pub fn set_cursor(&self, name: &str, lsn: u64) -> Result<(), DbError> {
        let name = name.to_owned();
        self.inner.workers.write("save cursor", move |sql| store::set_cursor(sql, &name, lsn))
    }

    /// Which journal a consumer's position is of; 0 if none was saved.
    ///
    /// # Errors
    /// If the database is away.
    pub fn journal_of(&self, name: &str) -> Result<u32, DbError> {
        let identity = self.cursor(&format!("{name} journal"))?;
        Ok(u32::try_from(identity).unwrap_or(0))
    }

    /// # Errors
    /// If the database refuses.
    pub fn set_journal_of(&self, name: &str, identity: u32) -> Result<(), DbError> {
        self.set_cursor(&format!("{name} journal"), identity.into())
    }

    /// Pins the tables as they are, for a copy of them, and calls `pinned` before anybody can edit the
    /// configuration again. `None` of tables in PostgreSQL, which has programs of its own for that.
    ///
    /// # Errors
    /// If the database refuses, or other edits go on for [`DbSettings::edit_wait_max`].
    pub fn pin(&self, pinned: impl FnOnce()) -> Result<Option<PinnedTables>, DbError> {
        self.flush()?;
        let _no_edit = self.editing()?;
        let tables = match &self.inner.location {
            Location::Sqlite(path) => Some(PinnedTables::of(path)?),
            Location::Postgres(_) => None,
        };
        pinned();
        Ok(tables)
    }

    /// The consumer is gone for good, and so is what is known of its position.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn forget_cursor(&self, name: &str) -> Result<(), DbError> {
        let name = name.to_owned();
        self.inner.workers.write("forget cursor", move |sql| store::forget_cursor(sql, &name))
    }

    /// Saves what is saved only now and then (availability, errors of rules, use of sessions), and
    /// finds out about an edit whose commit had no answer. Call it each minute and before the end.
    ///
    /// # Errors
    /// If the database refuses; unsaved data stays for the next call.
    pub fn flush(&self) -> Result<(), DbError> {
        self.inner.committed.resolve_commit(&mut *self.editing()?)?;
        self.inner.availability.flush()?;
        self.inner.rule_errors.flush(&self.snapshot())?;
        self.inner.committed.auth.flush();
        self.inner.events.flush()
    }
}
