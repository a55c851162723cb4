//! Delivery of a message: one file for each kind of media type. A sender waits no longer than until
//! its deadline, keeps no more than a bounded part of the other side's output, and records the
//! exchange in a [`Transcript`], without secrets.

mod email;
mod oauth;
pub mod outbound;
mod script;
mod smtp;
mod webhook;

use std::sync::Arc;
use std::time::Duration;

use db::Db;
use db::objects::mediatype;
use model::document::Body;
use model::networks::Destinations;
use rt::clock::Clock;
use rt::shutdown::Shutdown;

use self::email::EmailPorts;
use self::oauth::Tokens;
use self::outbound::{MessageError, Outbound, Sent, Transcript, text_of};
pub use self::script::ScriptFolder;
pub use self::webhook::Webhooks;
use crate::ports::{HttpExchange, Mailer};

/// Parts of the server that senders need.
pub struct Senders {
    pub db: Db,
    pub clock: Clock,
    /// Ends waiting.
    pub stop: Shutdown,
    pub destinations: Destinations,
    pub webhooks: Webhooks,
    pub scripts: ScriptFolder,
    /// For tokens.
    pub http: Arc<dyn HttpExchange>,
    /// For one e-mail.
    pub smtp_time: Duration,
}

opaque_debug!(Senders);

impl Mailer for Senders {
    fn send(
        &self,
        kind: &Body,
        message: &Outbound,
        transcript: &Transcript,
    ) -> Result<Sent, MessageError> {
        let returned = |it| Sent { returned: it, note: String::new() };
        match text_of(kind, "type") {
            mediatype::EMAIL => {
                let ports = EmailPorts {
                    tokens: Tokens { db: &self.db, clock: &self.clock, http: &*self.http },
                    destinations: &self.destinations,
                    time: self.smtp_time,
                };
                let note = email::send(ports, kind, message, transcript)?;
                Ok(Sent { returned: None, note })
            }
            mediatype::SCRIPT => {
                self.scripts.send(kind, message, &self.stop, transcript).map(returned)
            }
            mediatype::WEBHOOK => {
                self.webhooks.send(kind, message, transcript).map(|it| returned(Some(it)))
            }
            _ => Err(MessageError::Hopeless(
                "SMS is not supported: there is nothing here that sends it by a modem. Use a \
                 webhook of a provider"
                    .to_owned(),
            )),
        }
    }
}
