//! Running scripts.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use model::map::Map;
use rquickjs::context::EvalOptions;
use rquickjs::function::Function;
use rquickjs::{Array, Context, Ctx, Error, Object, Persistent, Runtime, Value};

use super::errors;
use super::host::{Host, Limits};
use super::natives;
use super::scripts::Scripts;
use super::shared::{RunContext, TIMEOUT};
use super::source::Script;

const PRELUDE: &str = include_str!("prelude.js");
const BROWSERS: &str = include_str!("browser.js");
/// Compiled functions kept. With more, all are dropped.
const COMPILED_MAX: usize = 2_000;
/// The same for the bytes of their sources, as a part of the memory that scripts may take: a
/// function takes several times the memory of its source.
const COMPILED_PART: usize = 64;
/// Start of the error of a script that has no memory left.
const NO_MEMORY: &str = "InternalError: out of memory";
/// The engine throws null if there is no memory even for its error; a script may throw null, too.
const NO_MEMORY_OR_NULL: &str = "InternalError: out of memory, or null was thrown";
/// A run that took longer than this is followed by a garbage collection, so that one heavy script
/// does not keep its memory.
const COLLECT_AFTER_NS: u64 = 20_000_000;

/// Runs scripts one after the other. Belongs to one thread.
pub struct Engine {
    realm: Option<Realm>,
    runtime: Runtime,
    shared: Rc<RunContext>,
    limits: Limits,
}

/// A context with its functions. Fields go from top to bottom when it is dropped.
struct Realm {
    compiled: Map<u64, (Arc<str>, Persistent<Function<'static>>)>,
    compiled_bytes: usize,
    compiled_bytes_max: usize,
    compile: Persistent<Function<'static>>,
    run: Persistent<Function<'static>>,
    context: Context,
}

impl Realm {
    /// `is_shared`: serves many scripts, so everything is frozen.
    fn new(runtime: &Runtime, shared: &Rc<RunContext>, is_shared: bool) -> Result<Self, String> {
        let context = Context::full(runtime).map_err(|it| natives::error_text(&it))?;
        let made = context.with(|ctx| {
            let made = prepare(&ctx, shared, is_shared);
            made.map_err(|error| caught(&ctx, &error))
        });
        let (compile, run) = made?;
        let compiled_bytes_max = shared.limits.memory_bytes / COMPILED_PART;
        let compiled = Map::default();
        Ok(Self { compiled, compiled_bytes: 0, compiled_bytes_max, compile, run, context })
    }

    fn call(&mut self, script: &Script, value: &str) -> Result<Option<String>, Failed> {
        let context = self.context.clone();
        context.with(|ctx| {
            let known = self.compiled.get(&script.hash());
            let known = known.filter(|(source, _)| source == script.source());
            let function = match known {
                Some((_, function)) => function.clone(),
                None => self.compile(&ctx, script).map_err(Failed::Compile)?,
            };
            Self::call_compiled(&ctx, (script, function, &self.run), value).map_err(Failed::Execute)
        })
    }

    fn call_compiled(
        ctx: &Ctx<'_>,
        (script, function, run): (
            &Script,
            Persistent<Function<'static>>,
            &Persistent<Function<'static>>,
        ),
        value: &str,
    ) -> Result<Option<String>, Failure> {
        let function = function.restore(ctx).map_err(|it| Failure::of(ctx, &it))?;
        let run = run.clone().restore(ctx).map_err(|it| Failure::of(ctx, &it))?;
        let result: Value<'_> = run.call((function, value)).map_err(|it| Failure::of(ctx, &it))?;
        result_of(ctx, script, &result)
    }

    fn compile(
        &mut self,
        ctx: &Ctx<'_>,
        script: &Script,
    ) -> Result<Persistent<Function<'static>>, Failure> {
        let compile = self.compile.clone().restore(ctx).map_err(|it| Failure::of(ctx, &it))?;
        let made: Value<'_> =
            compile.call((&**script.source(),)).map_err(|it| Failure::of(ctx, &it))?;
        let Some(function) = made.as_function() else {
            return Err(Failure::Script(error_of(ctx, script, &made)?));
        };
        let kept = Persistent::save(ctx, function.clone());
        let n_bytes = script.source().len();
        let bytes = self.compiled_bytes.saturating_add(n_bytes);
        if self.compiled.len() >= COMPILED_MAX || bytes > self.compiled_bytes_max {
            self.compiled.clear();
            self.compiled_bytes = 0;
        }
        self.compiled_bytes += n_bytes;
        self.compiled.insert(script.hash(), (Arc::clone(script.source()), kept.clone()));
        Ok(kept)
    }
}

type Functions = (Persistent<Function<'static>>, Persistent<Function<'static>>);

fn prepare(ctx: &Ctx<'_>, shared: &Rc<RunContext>, is_shared: bool) -> rquickjs::Result<Functions> {
    let eval = |text: &str, name: &str| -> rquickjs::Result<Function<'_>> {
        let mut options = EvalOptions::default();
        options.filename = Some(name.to_owned());
        ctx.eval_with_options(text, options)
    };
    let make = eval(PRELUDE, "prelude")?;
    let browsers =
        if shared.drives_browsers { Some(eval(BROWSERS, "browser prelude")?) } else { None };
    let natives: Object<'_> = natives::object(ctx, shared)?;
    let made: Array<'_> = make.call((natives, is_shared, browsers))?;
    let (compile, run): (Function<'_>, Function<'_>) = (made.get(0)?, made.get(1)?);
    Ok((Persistent::save(ctx, compile), Persistent::save(ctx, run)))
}

/// The failure of a run.
enum Failed {
    Compile(Failure),
    Execute(Failure),
}

impl Failed {
    fn failure(&self) -> &Failure {
        match self {
            Self::Compile(it) | Self::Execute(it) => it,
        }
    }
}

/// Why a script has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    Compile(String),
    /// The error that the script threw, or the limit that it reached, with the place.
    Execute(String),
}

impl RunError {
    /// The reason, for any kind of error.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Self::Compile(it) | Self::Execute(it) => it,
        }
    }
}

/// Why a run has no result.
enum Failure {
    /// The script failed by itself: the context is fine.
    Script(String),
    /// The run was interrupted: the state of the context is unknown.
    Cut(String),
}

impl Failure {
    /// Whether the context has to be dropped. One that reached the limit of memory may hold most of
    /// it.
    fn spoils(&self) -> bool {
        match self {
            Self::Cut(_) => true,
            Self::Script(text) => text.starts_with(NO_MEMORY),
        }
    }

    fn of(ctx: &Ctx<'_>, error: &Error) -> Self {
        Self::Cut(caught(ctx, error))
    }
}

/// The text of an error that no script can catch, or that has no text.
fn caught(ctx: &Ctx<'_>, error: &Error) -> String {
    if !matches!(error, Error::Exception) {
        return natives::error_text(error);
    }
    let thrown = ctx.catch();
    if thrown.is_null() {
        return NO_MEMORY_OR_NULL.to_owned();
    }
    let Some(exception) = thrown.as_exception() else {
        return "InternalError: unknown error".to_owned();
    };
    let message = exception.message().unwrap_or_default();
    errors::with_place(&format!("InternalError: {message}"), &exception.stack().unwrap_or_default())
}

fn result_of(
    ctx: &Ctx<'_>,
    script: &Script,
    result: &Value<'_>,
) -> Result<Option<String>, Failure> {
    if result.is_null() {
        return Ok(None);
    }
    if result.is_undefined() {
        return Err(Failure::Script("undefined return value".to_owned()));
    }
    match result.as_string() {
        Some(text) => text.to_string().map(Some).map_err(|it| Failure::of(ctx, &it)),
        None => Err(Failure::Script(error_of(ctx, script, result)?)),
    }
}

/// The error in the result of the prelude's `failed`: a list of one text, or a number for a thrown
/// null.
fn error_of(ctx: &Ctx<'_>, script: &Script, failed: &Value<'_>) -> Result<String, Failure> {
    if failed.is_number() {
        let text = if script.throws_null() { "null" } else { NO_MEMORY_OR_NULL };
        return Ok(text.to_owned());
    }
    let text = failed.as_array().map(|it| it.get::<String>(0));
    match text {
        Some(Ok(text)) => Ok(text),
        Some(Err(error)) => Err(Failure::of(ctx, &error)),
        None => Ok("unknown error".to_owned()),
    }
}

impl Engine {
    /// An engine without a context yet: the first run makes one, which takes some milliseconds.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new(limits: Limits, host: Box<dyn Host>) -> Result<Self, String> {
        let shared = Rc::new(RunContext::new(limits, host));
        Ok(Self { realm: None, runtime: runtime(&shared)?, shared, limits })
    }

    /// From now on a run may take this long, instead of the time of the limits.
    pub fn set_time(&self, time: Duration) {
        self.shared.time.set(time);
    }

    /// Checks that the script compiles.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&mut self, script: &Script) -> Result<(), String> {
        self.shared.begin();
        let mut realm = self.take_realm(script)?;
        let context = realm.context.clone();
        let made = context.with(|ctx| realm.compile(&ctx, script).map(drop));
        self.keep(realm, script, made.as_ref().is_err_and(Failure::spoils));
        made.map_err(|it| self.message_of(it))
    }

    /// Making a context counts as time of the run.
    fn take_realm(&mut self, script: &Script) -> Result<Realm, String> {
        let is_shared = !script.changes_builtins();
        if let Some(realm) = self.realm.take_if(|_| is_shared) {
            return Ok(realm);
        }
        let made = Realm::new(&self.runtime, &self.shared, is_shared);
        made.map_err(|it| if self.shared.is_late.get() { TIMEOUT.to_owned() } else { it })
    }

    /// Keeps the context for the next script, if it is unchanged.
    fn keep(&mut self, realm: Realm, script: &Script, is_cut: bool) {
        let is_dirty = is_cut || self.shared.is_spoiled.get() || self.runtime.is_job_pending();
        if script.changes_builtins() {
            drop(realm);
        } else if is_dirty {
            drop(realm);
            self.runtime.run_gc();
        } else {
            self.realm = Some(realm);
            return;
        }
        if self.runtime.is_job_pending() {
            // Jobs hold their context: it is dropped with its runtime.
            self.realm = None;
            if let Ok(fresh) = runtime(&self.shared) {
                self.runtime = fresh;
            }
        }
    }

    fn message_of(&self, failure: Failure) -> String {
        match failure {
            Failure::Script(text) => text,
            Failure::Cut(text) if self.shared.is_late.get() => match text.split_once('\n') {
                Some((_, places)) => format!("{TIMEOUT}\n{places}"),
                None => TIMEOUT.to_owned(),
            },
            Failure::Cut(text) => text,
        }
    }
}

fn runtime(shared: &Rc<RunContext>) -> Result<Runtime, String> {
    let runtime = Runtime::new().map_err(|it| natives::error_text(&it))?;
    runtime.set_memory_limit(shared.limits.memory_bytes);
    runtime.set_max_stack_size(shared.limits.stack_bytes);
    let of = Rc::clone(shared);
    runtime.set_interrupt_handler(Some(Box::new(move || of.is_over())));
    Ok(runtime)
}

impl Engine {
    /// As [`Scripts::run`]; a script that was compiled before is not compiled again.
    ///
    /// # Errors
    /// The mistake in the script, the error that it threw, or the limit that it reached.
    pub fn execute(&mut self, script: &Script, value: &str) -> Result<Option<String>, RunError> {
        let started_ns = self.shared.begin();
        let mut realm = self.take_realm(script).map_err(RunError::Execute)?;
        let result = realm.call(script, value);
        self.shared.close_browsers();
        self.keep(realm, script, result.as_ref().is_err_and(|it| it.failure().spoils()));
        let spent_ns = self.shared.host.borrow().now_ns().saturating_sub(started_ns);
        if spent_ns > COLLECT_AFTER_NS {
            self.runtime.run_gc();
        }
        let result = result.map_err(|it| match it {
            Failed::Compile(it) => RunError::Compile(self.message_of(it)),
            Failed::Execute(it) => RunError::Execute(self.message_of(it)),
        })?;
        let max = self.limits.result_bytes;
        if result.as_ref().is_some_and(|it| it.len() > max) {
            let reason = format!("the result is longer than {max} bytes");
            return Err(RunError::Execute(reason));
        }
        Ok(result)
    }
}

impl Scripts for Engine {
    fn run(&mut self, script: &Script, value: &str) -> Result<Option<String>, String> {
        self.execute(script, value).map_err(RunError::into_text)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("limits", &self.limits).finish_non_exhaustive()
    }
}
