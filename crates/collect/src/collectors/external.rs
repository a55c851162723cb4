//! External checks: a script of the operator's folder is run with the key's parameters, and its
//! output is the value.
//!
//! Scripts of a second folder are started once and kept: they get the parameters as a line and
//! write the value as a line, both JSON. A failure does not count against the host's interfaces:
//! the item is not supported, with the reason.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lang::text::repair_utf8;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType};
use model::key::{ItemKey, KeyParam};
use rt::clock::nanos;
use rt::queue::Receiver;
use serde_json::Value as Json;
use tokio::time::timeout;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Finished};
use crate::ports::{CheckAnswer, not_supported};
use crate::process::{Kept, Program, ProgramError, run};
use crate::transcript::{LineKind, Transcript};

/// Zabbix's limit for an output; more is an error.
const OUTPUT_BYTES_MAX: usize = 16 << 20;
/// A kept script that is unused for this long is ended.
const IDLE_MAX: Duration = Duration::from_secs(600);
/// How often unused scripts are looked for.
const SWEEP_EACH: Duration = Duration::from_secs(60);

rt::section! {
    /// External checks.
    pub struct Settings in "collectors.external" {
        /// Folder of the scripts that external checks run; Zabbix's `ExternalScripts`. If not given, none
        /// is run.
        pub scripts: Option<PathBuf> = unset r#""/usr/lib/saker/externalscripts""#,
        /// Folder of scripts that are started once and keep running: they read parameters and write values
        /// line by line. A script in this folder is not searched in the other one.
        pub kept_scripts: Option<PathBuf> = unset r#""/usr/lib/saker/keptscripts""#,
        /// Most scripts that run at once, each a process.
        pub scripts_max: NonZeroUsize = "20",
    }
}

pub(super) struct External;

type Check = super::request::Check<ItemKey>;
type Request = super::request::Request<ItemKey>;

impl Collector for External {
    type Settings = Settings;
    type Payload = ItemKey;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        (content.kind == ItemType::External).then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        JobLimits { jobs_max: settings.scripts_max.get(), device_jobs_max: 4, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<ItemKey, CheckResult> {
        let refused = |why: &str| CheckResult::Refused(why.to_owned());
        let key = ItemKey::parse(&item.key()?);
        let key = key.map_err(|_position| refused("Invalid item key format."))?;
        // These name folders.
        if matches!(&*key.name, "." | "..") {
            return Err(refused("Invalid name of a script."));
        }
        Ok(key)
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let scripts = Scripts { shared: &shared, idle: Mutex::default() };
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                // During pauses only: other tasks sweep, too.
                () = shared.clock.sleep(SWEEP_EACH) => scripts.sweep(),
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| scripts.converse(it);
                        shared.contained("external check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

struct Scripts<'a> {
    shared: &'a CollectorContext,
    /// Kept scripts that are idle, with their file, and since when.
    idle: Mutex<Vec<(PathBuf, Kept, u64)>>,
}

impl Scripts<'_> {
    async fn converse(&self, request: Request) {
        let mut readings = request.done;
        for check in &request.checks {
            let result = match self.ask(check).await {
                Ok(answer) => CheckResult::Answer(answer),
                Err(error) if error.is_shortage() => CheckResult::NotMade,
                Err(error) => CheckResult::Answer(not_supported(error.to_string())),
            };
            readings.push(check.reading(self.shared.clock.wall(), result));
        }
        self.shared.finish(Finished { job: request.job, readings }).await;
    }

    async fn ask(&self, check: &Check) -> Result<CheckAnswer, ProgramError> {
        let (scripts, kept_scripts) = &self.shared.external_scripts;
        let name = &check.payload.name;
        if let Some(folder) = kept_scripts {
            let file = folder.join(name);
            if tokio::fs::try_exists(&file).await.unwrap_or(false) {
                return self.ask_kept(file, check).await;
            }
        }
        let Some(folder) = scripts else {
            return Ok(not_supported(
                "External checks are not made: the setting collectors.external.scripts names no folder.",
            ));
        };
        let program = Program {
            path: folder.join(name),
            arguments: parameters(&check.payload),
            folder: Some(folder.clone()),
            ..Program::default()
        };
        let transcript = self.shared.transcript.as_ref();
        if let Some(it) = transcript {
            // Quoted, so that the end of each parameter is visible.
            let arguments = Json::from(program.arguments.as_slice());
            it.push(LineKind::Sent, &format!("{name} {arguments}"), b"");
        }
        let limits = (check.timeout, OUTPUT_BYTES_MAX);
        let mut reading = self.shared.readings.begin(&check.payload.name);
        let ended = run(&self.shared.tasks, program, limits, &mut reading).await;
        if let Some(it) = transcript {
            match &ended {
                Ok((printed, status)) => {
                    it.push(LineKind::Received, "", printed);
                    let ended = match status.code() {
                        Some(code) => format!("exit code {code}"),
                        None => status.to_string(),
                    };
                    it.push(LineKind::Note, &ended, b"");
                }
                Err(error) => it.push(LineKind::Note, &format!("no output: {error}"), b""),
            }
        }
        let (printed, _status) = ended?;
        let text = repair_utf8(&printed);
        Ok(OwnedRaw::Text(text.trim_end().to_owned()))
    }

    /// Asks a script that keeps running; one that had ended by itself is started again.
    async fn ask_kept(&self, file: PathBuf, check: &Check) -> Result<CheckAnswer, ProgramError> {
        let line = Json::from(parameters(&check.payload)).to_string();
        let transcript = self.shared.transcript.as_ref();
        if let Some(it) = transcript {
            it.push(
                LineKind::Note,
                &format!("{} is kept running: a line each way", check.payload.name),
                b"",
            );
            it.push(LineKind::Sent, &line, b"");
        }
        let mut reading = self.shared.readings.begin(&check.payload.name);
        let asked = async {
            if let Some(mut kept) = self.take_idle(&file) {
                match kept.ask(&line, OUTPUT_BYTES_MAX, &mut reading).await {
                    Err(ProgramError::Ended) => {}
                    answer => return answer.map(|it| (kept, it)),
                }
            }
            let folder = file.parent().map(PathBuf::from);
            let program = Program { path: file.clone(), folder, ..Program::default() };
            let mut kept = Kept::start(&self.shared.tasks, program).await?;
            let answer = kept.ask(&line, OUTPUT_BYTES_MAX, &mut reading).await?;
            Ok((kept, answer))
        };
        let asked = timeout(check.timeout, asked).await.unwrap_or(Err(ProgramError::Late));
        record_answer(transcript, asked.as_ref().map(|it| it.1.as_slice()));
        let (kept, answer) = asked?;
        // A script out of step is ended: it is unknown which request its next line answers.
        Ok(match value(&answer) {
            Some(answer) => {
                self.sweep();
                self.lock().push((file, kept, self.shared.clock.mono_ns()));
                answer
            }
            None => not_supported(
                "Invalid answer of the script: no object with \"value\" or \"error\".",
            ),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(PathBuf, Kept, u64)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last used one, so that the others become superfluous.
    fn take_idle(&self, file: &PathBuf) -> Option<Kept> {
        let mut idle = self.lock();
        let at = idle.iter().rposition(|it| it.0 == *file)?;
        Some(idle.remove(at).1)
    }

    fn sweep(&self) {
        let now_ns = self.shared.clock.mono_ns();
        self.lock().retain(|it| now_ns.saturating_sub(it.2) < nanos(IDLE_MAX));
    }
}

/// The line that a kept script has written, or the reason why there is none.
fn record_answer(transcript: Option<&Transcript>, answer: Result<&[u8], &ProgramError>) {
    let Some(transcript) = transcript else { return };
    match answer {
        Ok(line) => transcript.push(LineKind::Received, "", line),
        Err(error) => transcript.push(LineKind::Note, &format!("no answer: {error}"), b""),
    }
}

/// The parameters of a script; `script[]` means the same as `script`.
fn parameters(key: &ItemKey) -> Vec<String> {
    let texts = key.params.iter().map(KeyParam::as_str);
    match texts.clone().collect::<Vec<_>>().as_slice() {
        [""] => Vec::new(),
        _ => texts.map(str::to_owned).collect(),
    }
}

/// The value of a line that a kept script wrote: `{"value": …}`, where null is no value, or
/// `{"error": "…"}`.
fn value(line: &[u8]) -> Option<CheckAnswer> {
    let answer: Json = serde_json::from_slice(line).ok()?;
    if let Some(error) = answer.get("error") {
        return Some(not_supported(error.as_str()?));
    }
    Some(match answer.get("value")? {
        Json::Null => OwnedRaw::Nothing,
        Json::String(it) => OwnedRaw::Text(it.clone()),
        // Numbers and documents as JSON writes them.
        other => OwnedRaw::Text(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_kept_scripts_are_values_or_errors() {
        let text = |it: &str| Some(OwnedRaw::Text(it.to_owned()));
        for (line, expected) in [
            (r#"{"value":"a\nb"}"#, text("a\nb")),
            (r#" {"value": 1.50} "#, text("1.5")),
            (r#"{"value":{"a":[1]}}"#, text(r#"{"a":[1]}"#)),
            (r#"{"value":null}"#, Some(OwnedRaw::Nothing)),
            (r#"{"error":"no","value":"1"}"#, Some(not_supported("no"))),
            (r#"{"error":1}"#, None),
            (r#"{"values":"1"}"#, None),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(value(line.as_bytes()), expected, "{line}");
        }
    }
}
