//! Values that users push through the API: they go the way of those that senders send.

use std::fmt;
use std::sync::Arc;

use api::ports::{Push, PushVerdict, Pusher, Pushing};
use collect::trapper::Trapper;
use collect::trapper::push::Judge;
use model::push::PushedValue;
use model::snapshot::Host;
use model::{HostId, Time};

/// Hands them to the port of senders.
pub struct PushPort {
    trapper: Arc<Trapper>,
}

impl fmt::Debug for PushPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PushPort")
    }
}

impl PushPort {
    #[must_use]
    pub fn new(trapper: Arc<Trapper>) -> Self {
        Self { trapper }
    }
}

struct ByPusher<'a>(&'a Pusher<'a>);

impl Judge for ByPusher<'_> {
    fn may_read(&self, host: &Host) -> bool {
        (self.0.may_read)(host)
    }

    fn is_without_data(&self, host: HostId, time: Time) -> bool {
        (self.0.is_without_data)(host, time)
    }
}

impl Push for PushPort {
    fn push<'a>(
        &'a self,
        values: &'a [PushedValue<'a>],
        pusher: &'a Pusher<'a>,
    ) -> Pushing<'a, Result<Vec<PushVerdict>, String>> {
        Box::pin(async move {
            let judge = ByPusher(pusher);
            let pushed = self.trapper.push(values, (pusher.peer, &judge)).await;
            let replies = pushed.map_err(|error| error.to_string())?.into_iter().map(|it| {
                PushVerdict { item: it.item, error: it.refusal.map(|it| it.to_string()) }
            });
            Ok(replies.collect())
        })
    }
}
