//! Single objects of devices that are no hosts yet, for network discovery.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use model::content::SnmpDetails;
use wire::snmp::Octets;

use super::super::context::CollectorContext;
use super::engine::Engine;
use super::get::{get_all, text_of};
use super::joined;
use super::key::Query;
use super::session::Session;
use super::usm::Usm;
use crate::mibs::Mibs;

/// Has a socket of its own, so that polling never waits for it.
#[derive(Debug)]
pub(crate) struct SnmpClient {
    engine: Engine,
    usm: Usm,
    mibs: Arc<Mibs>,
}

impl SnmpClient {
    /// # Errors
    /// If there is no socket.
    pub(crate) fn open(shared: &CollectorContext) -> io::Result<Self> {
        let secret = shared.secret.rotate_left(41);
        let engine = Engine::open((secret, joined::read), (&shared.clock, &shared.tasks))?;
        let usm = Usm::new(shared.clock.clone(), shared.tasks.clone(), secret);
        Ok(Self { engine, usm, mibs: Arc::clone(&shared.mibs) })
    }

    /// Sends requests and passes answers to their callers, for ever.
    pub(crate) async fn run(&self) {
        let mut reader = Default::default();
        loop {
            self.engine.turn(&mut reader).await;
        }
    }

    /// The text of an object; `None`: there is no such answer within the time.
    pub(crate) async fn get(
        &self,
        address: SocketAddr,
        details: &SnmpDetails,
        (oid, time): (&str, Duration),
    ) -> Option<String> {
        let Ok(Query::Get(mut object)) = Query::parse(oid, |it| self.mibs.oid(it)) else {
            return None;
        };
        object.octets = Octets::Utf8;
        let session = Session::new((&self.engine, &self.usm), address, details, time).await.ok()?;
        let mut size = 1;
        let asked = get_all(&session, std::slice::from_ref(&object), &mut size);
        let mut got = tokio::time::timeout(time.saturating_mul(2), asked).await.ok()?;
        got.pop()?.ok().map(|it| text_of(&it).into_owned())
    }
}
