//! E-mail: one message to all addresses of a media. Gives which of them did not get it.

use std::time::Duration;

use db::objects::mediatype::{AUTH_OAUTH, AUTH_PASSWORD};
use lettre::Message;
use lettre::message::header::{ContentType, MessageId, References};
use lettre::message::{Mailbox, SinglePart};
use model::document::Body;
use model::networks::Destinations;

use super::oauth::{self, Tokens};
use super::outbound::{MessageError, Outbound, Transcript, text_of};
use super::smtp::{self, Auth, Envelope, Security, Server};

/// Parts of the server that e-mails need.
#[derive(Clone, Copy)]
pub(super) struct EmailPorts<'a> {
    pub(super) tokens: Tokens<'a>,
    pub(super) destinations: &'a Destinations,
    /// For one e-mail.
    pub(super) time: Duration,
}

pub(super) fn send(
    ports: EmailPorts<'_>,
    kind: &Body,
    message: &Outbound,
    transcript: &Transcript,
) -> Result<String, MessageError> {
    let from = text_of(kind, "smtp_email");
    let (_, sender) = lang::email::parse(from)
        .ok_or_else(|| MessageError::Hopeless(format!("\"{from}\" is no address to send from")))?;
    let mut recipients = Vec::new();
    for it in message.sendto.split(['\n', ',']).map(str::trim).filter(|it| !it.is_empty()) {
        let (_, address) = lang::email::parse(it)
            .ok_or_else(|| MessageError::Hopeless(format!("\"{it}\" is no address")))?;
        recipients.push((it, address));
    }
    if recipients.is_empty() {
        return Err(MessageError::Hopeless("there is no address to send to".to_owned()));
    }
    let domain = sender.rsplit_once('@').map_or("localhost", |(_, it)| it);
    let text = written(kind, message, (from, domain), &recipients)?;
    let user = match text_of(kind, "username") {
        "" => sender,
        it => it,
    };
    let auth = match text_of(kind, "smtp_authentication") {
        AUTH_PASSWORD => Auth::Password { user, password: text_of(kind, "passwd") },
        AUTH_OAUTH => {
            let token = oauth::access_token(ports.tokens, kind, message, transcript)?;
            Auth::Token { user, token }
        }
        _ => Auth::None,
    };
    let helo = match text_of(kind, "smtp_helo") {
        "" => domain,
        it => it,
    };
    let server = Server {
        host: text_of(kind, "smtp_server"),
        port: text_of(kind, "smtp_port").parse().unwrap_or(25),
        helo,
        security: match text_of(kind, "smtp_security") {
            "1" => Security::StartTls,
            "2" => Security::Tls,
            _ => Security::None,
        },
        verify_peer: text_of(kind, "smtp_verify_peer") == "1",
        verify_host: text_of(kind, "smtp_verify_host") == "1",
        auth,
    };
    let envelope = Envelope {
        from: sender,
        to: recipients.iter().map(|(_, it)| *it).collect(),
        text: &text,
        is_last: message.is_last,
    };
    let limits = (ports.time, ports.tokens.clock);
    smtp::send(&server, &envelope, ports.destinations, limits, transcript)
}

/// The message with its headers. Its `Message-ID` follows from the alert: one that is sent twice after
/// the process ended has the same, and clients show it once.
fn written(
    kind: &Body,
    message: &Outbound,
    (from, domain): (&str, &str),
    recipients: &[(&str, &str)],
) -> Result<Vec<u8>, MessageError> {
    let mailbox = |text: &str| -> Result<Mailbox, MessageError> {
        let wrong = || MessageError::Hopeless(format!("\"{text}\" is no address"));
        let (name, address) = lang::email::parse(text).ok_or_else(wrong)?;
        let address = address.parse().map_err(|_unusual| wrong())?;
        Ok(Mailbox::new(name.map(str::to_owned), address))
    };
    let (alert, clock, problem) = (message.alert, message.clock, message.problem);
    let seconds = Duration::from_secs(u64::try_from(clock).unwrap_or(0));
    let mut builder = Message::builder()
        .from(mailbox(from)?)
        .subject(one_line(&message.subject))
        .date(std::time::UNIX_EPOCH + seconds)
        .header(MessageId::from(format!("<saker.alert.{alert}.{clock}@{domain}>")));
    if problem != 0 {
        // Clients show all messages about a problem together.
        let thread = format!("<saker.problem.{problem}@{domain}>");
        builder = builder.header(References::from(thread));
    }
    for (it, _) in recipients {
        builder = builder.to(mailbox(it)?);
    }
    let is_html = text_of(kind, "message_format") == "1";
    let content_type = if is_html { ContentType::TEXT_HTML } else { ContentType::TEXT_PLAIN };
    let part = SinglePart::builder().header(content_type).body(message.message.clone());
    let built = builder.singlepart(part);
    built.map(|it| it.formatted()).map_err(|it| MessageError::Hopeless(it.to_string()))
}

/// A header has one line.
fn one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}
