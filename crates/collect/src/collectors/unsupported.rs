//! Items of types that nobody checks yet: the user is told so.

use std::sync::Arc;

use model::content::ItemType;
use rt::queue::Receiver;

use super::{CheckResult, Finished, Request, Shared};

pub(super) async fn run(shared: Arc<Shared>, requests: Receiver<Request>) {
    while let Some(request) = requests.receive().await {
        let now = shared.clock.wall();
        let Request { job, checks, done: mut readings, .. } = request;
        readings.extend(
            checks
                .iter()
                .map(|it| it.reading(now, CheckResult::Refused(reason(it.kind).to_owned()))),
        );
        shared.finish(Finished { job, readings }).await;
    }
}

fn reason(kind: ItemType) -> &'static str {
    match kind {
        ItemType::Simple => "Unsupported item key.",
        ItemType::External => "External checks are not supported yet.",
        ItemType::Odbc => "Database monitors are not supported yet.",
        ItemType::Ipmi => "IPMI checks are not supported yet.",
        ItemType::Ssh => "SSH checks are not supported yet.",
        ItemType::Telnet => "Telnet checks are not supported yet.",
        ItemType::Jmx => "JMX checks are not supported yet.",
        ItemType::HttpAgent => "HTTP agent checks are not supported yet.",
        ItemType::Script => "Script items are not supported yet.",
        ItemType::Browser => "Browser items are not supported yet.",
        _ => "Items of this type are not supported yet.",
    }
}
