//! Users who are notified by actions.

use serde_json::{Value, json};

use super::Server;

/// A user group `on call` with one user, `duty`, whose medium is of a media type `Mail` that reaches nobody.
#[derive(Default)]
pub struct OnCall {
    texts: Vec<Value>,
    reads_hosts: bool,
}

impl OnCall {
    /// May read the hosts of all groups that there are.
    #[must_use]
    pub fn reads_hosts(mut self) -> Self {
        self.reads_hosts = true;
        self
    }

    /// The media type has texts for events of triggers: 0 for problems, 1 for recoveries, 2 for updates.
    #[must_use]
    pub fn text(mut self, recovery: u8, subject: &str) -> Self {
        self.texts.push(json!({"eventsource": "0", "recovery": recovery.to_string(),
            "subject": subject, "message": "x"}));
        self
    }

    /// Makes them; gives the user group.
    pub fn make(self, server: &Server) -> String {
        let mut group = json!({"name": "on call"});
        if self.reads_hosts {
            let found = server.call("hostgroup.get", &json!({"output": ["groupid"]}));
            let found = found.as_array().expect("a list").iter();
            let rights = found.map(|it| json!({"id": it["groupid"], "permission": 2}));
            group["hostgroup_rights"] = rights.collect();
        }
        let group = server.create("usergroup.create", &group).remove(0);
        let mail = json!({"name": "Mail", "type": "0", "smtp_server": "127.0.0.1",
            "smtp_email": "saker@example.com", "status": "0", "message_templates": self.texts});
        let mail = server.create("mediatype.create", &mail).remove(0);
        let user = json!({"username": "duty", "passwd": "for-tests-only-1", "roleid": "1",
            "usrgrps": [{"usrgrpid": group}],
            "medias": [{"mediatypeid": mail, "sendto": ["duty@example.com"]}]});
        server.create("user.create", &user);
        group
    }
}
