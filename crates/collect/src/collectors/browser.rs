//! Browser items: JavaScript that controls a browser through a WebDriver, such as Debian's
//! chromedriver.
//!
//! They are script items whose scripts have `Browser` and its objects. The engines belong to the
//! process ([`crate::ports::CollectParts::browsers`]); without a driver there are none, and the
//! items say so. A browser takes much memory: few run at once, and one on a device.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};

use formats::regexp::Regexp;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::content::{ItemContent, ItemType};
use rt::queue::Receiver;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Request};
use super::script::{self, ScriptCheck};

const NO_DRIVER: &str =
    "Browser items need a WebDriver: the setting collectors.browser.webdriver_url names none.";

rt::section! {
    /// Browser items.
    pub struct Settings in "collectors.browser" {
        /// URL of a WebDriver such as chromedriver; Zabbix's `WebDriverURL`. If not given, no browser item
        /// is run. Users who may edit browser items have all permissions of the driver.
        pub webdriver_url: Option<String> = unset r#""http://127.0.0.1:9515""#,
        /// Most browser items that run at once. Each takes a thread of the server, and the memory of a
        /// browser where the WebDriver runs.
        pub browsers_max: NonZeroUsize = "2",
    }
}

pub(super) struct Browser;

impl Collector for Browser {
    type Settings = Settings;
    type Payload = ScriptCheck;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        (content.kind == ItemType::Browser).then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        let jobs_max = settings.browsers_max.get();
        JobLimits { jobs_max, device_jobs_max: 1, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<ScriptCheck, CheckResult> {
        let check = script::check(item);
        Ok(ScriptCheck { source: with_variables(&check.source).into_owned(), ..check })
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request<ScriptCheck>>) {
        let shared = &*shared;
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| converse(shared, it);
                        shared.contained("browser check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

async fn converse(shared: &CollectorContext, request: Request<ScriptCheck>) {
    match &shared.browsers {
        Some(browsers) => script::converse(shared, &**browsers, request).await,
        None => {
            let refused = CheckResult::Refused(NO_DRIVER.to_owned());
            shared.finish(request.finish_all(shared.clock.wall(), &refused)).await;
        }
    }
}

/// A declaration or an assignment of a name, with the word of declarations.
static ASSIGNED: LazyLock<Option<Regexp>> = LazyLock::new(|| {
    Regexp::new(r"(?<![\w$.])(?:(const|let|var)\s+)?([A-Za-z_$][\w$]*)\s*=(?![=>])").ok()
});

/// The script with variables in place of those constants that it assigns to. The engine of Zabbix
/// allows such assignments, and Zabbix's own template with a browser item has one. A script that is
/// too large for the pattern stays as it is.
fn with_variables(source: &str) -> Cow<'_, str> {
    let (mut constants, mut assigned) = (Vec::new(), BTreeSet::new());
    let mut at = 0;
    while let Some(pattern) = &*ASSIGNED
        && let Ok(Some(found)) = pattern.groups_at(source, at)
    {
        let (start, end) = found.span();
        match found.get(1) {
            "const" => constants.push((start, found.get(2))),
            "" => {
                assigned.insert(found.get(2));
            }
            _ => {}
        }
        at = end;
    }
    constants.retain(|(_, name)| assigned.contains(name));
    if constants.is_empty() {
        return source.into();
    }
    let mut out = source.to_owned();
    for (start, _) in constants {
        // Of the same length, so that places in errors stay correct.
        out.replace_range(start..start + "const".len(), "let  ");
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_are_assigned_to_become_variables() {
        let same = |source: &str| assert_eq!(with_variables(source), source);
        assert_eq!(
            with_variables("const a = '';\nconst b = 1; a = shot(); return a + b"),
            "let   a = '';\nconst b = 1; a = shot(); return a + b"
        );
        same("const a = 1; if (a == 2 || a === 3) { o.a = 4 } return (a => a)(a)");
        same("const é = 1; var a = 2; a = 3");
        same("");
    }
}
