//! The recipient: a user with a mailbox and a webhook, both of the benchmark itself.

use serde_json::{Value, json};

use super::client::Client;
use super::sinks::Sink;
use crate::common::BenchError;

pub(super) struct Receivers {
    pub(super) user: String,
    /// Media types.
    pub(super) mail: String,
    pub(super) hook: String,
}

/// Of messages about events of triggers: the kind (0 a problem, 1 its end) and the subject.
pub(super) type Texts = &'static [(&'static str, &'static str)];

impl Receivers {
    pub(super) fn create(
        client: &Client,
        mails: &Sink,
        hooks: &Sink,
        texts: Texts,
    ) -> Result<Self, BenchError> {
        let groups = client.call("hostgroup.get", &json!({"output": ["groupid"]}))?;
        let rights: Vec<Value> = groups
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| json!({"id": it["groupid"], "permission": 2}))
            .collect();
        let group = json!({"name": "Bench", "hostgroup_rights": rights});
        let group = client.ids("usergroup.create", &group)?.remove(0);
        let text = |(recovery, subject): &(&str, &str)| {
            json!({"eventsource": "0", "recovery": recovery, "subject": subject,
                "message": "{HOST.NAME}: {EVENT.NAME} at {EVENT.TIME}"})
        };
        let texts: Vec<Value> = texts.iter().map(text).collect();
        let mail = json!({"name": "Bench mail", "type": "0", "status": "0", "maxsessions": "0",
            "smtp_server": mails.address.ip().to_string(), "smtp_port": mails.address.port(),
            "smtp_email": "saker@example.com", "message_templates": texts});
        let mail = client.ids("mediatype.create", &mail)?.remove(0);
        let script = "var r = new HttpRequest(), p = JSON.parse(value); r.addHeader('Content-Type: \
            application/json'); r.post(p.url, JSON.stringify({subject: p.subject})); return 'OK';";
        let hook = json!({"name": "Bench webhook", "type": "4", "status": "0", "maxsessions": "0",
            "script": script, "message_templates": texts, "parameters": [
                {"name": "url", "value": format!("http://{}/", hooks.address)},
                {"name": "subject", "value": "{ALERT.SUBJECT}"}]});
        let hook = client.ids("mediatype.create", &hook)?.remove(0);
        let user = json!({"username": "bench", "passwd": "only-while-it-runs-1", "roleid": "1",
            "usrgrps": [{"usrgrpid": group}], "medias": [
                {"mediatypeid": mail, "sendto": ["bench@example.com"]},
                {"mediatypeid": hook, "sendto": "bench"}]});
        let user = client.ids("user.create", &user)?.remove(0);
        Ok(Self { user, mail, hook })
    }
}

/// The server's own machine is busy, and that is a problem too.
pub(super) fn quiet_own_host(client: &Client) -> Result<(), BenchError> {
    let hosts = client.call("host.get", &json!({"output": ["hostid"]}))?;
    for host in hosts.as_array().into_iter().flatten() {
        client.call("host.update", &json!({"hostid": host["hostid"], "status": "1"}))?;
    }
    Ok(())
}
