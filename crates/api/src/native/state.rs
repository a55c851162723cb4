//! State that the requests of the pages share, in addition to that of all requests.

use std::sync::Arc;

use axum::extract::FromRef;

use super::feed::Feed;
use super::hosts::index::HostIndex;
use super::queue::QueueCache;
use super::storage::LargestCache;
use crate::shared::ApiState;

/// The state of the routes of the pages.
#[derive(Clone, Debug)]
pub(crate) struct Native {
    pub(super) shared: Arc<ApiState>,
    pub(super) feed: Arc<Feed>,
    host_index: Arc<HostIndex>,
    largest: Arc<LargestCache>,
    queue: Arc<QueueCache>,
}

impl Native {
    pub(crate) fn new(shared: &Arc<ApiState>) -> Self {
        let feed = Arc::new(Feed::new(shared.pool("feed", 1)));
        let of_feed = Arc::downgrade(&feed);
        shared.db.subscribe(Box::new(move |_snapshot, delta| {
            if let Some(feed) = of_feed.upgrade() {
                feed.configured(delta);
            }
        }));
        Self {
            shared: Arc::clone(shared),
            feed,
            host_index: Arc::default(),
            largest: Arc::default(),
            queue: Arc::default(),
        }
    }
}

impl FromRef<Native> for Arc<ApiState> {
    fn from_ref(native: &Native) -> Self {
        Self::clone(&native.shared)
    }
}

impl FromRef<Native> for Arc<Feed> {
    fn from_ref(native: &Native) -> Self {
        Self::clone(&native.feed)
    }
}

impl FromRef<Native> for Arc<HostIndex> {
    fn from_ref(native: &Native) -> Self {
        Self::clone(&native.host_index)
    }
}

impl FromRef<Native> for Arc<QueueCache> {
    fn from_ref(native: &Native) -> Self {
        Self::clone(&native.queue)
    }
}

impl FromRef<Native> for Arc<LargestCache> {
    fn from_ref(native: &Native) -> Self {
        Self::clone(&native.largest)
    }
}
