//! Users, user groups, tokens.

use std::fmt::Display;
use std::sync::Arc;

use model::content::{Media, Token, User, UserGroup};
use model::document::Document;
use model::{GroupId, RoleId, TemplateGroupId, TokenId, UserGroupId, UserId};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::{ids_field, merge, text_field};
use crate::auth::{SecretChange, hash_password, hash_secret, random_secret};
use crate::configuration::objects::authentication::AUTHENTICATION;
use crate::configuration::objects::dashboard::DASHBOARD;
use crate::configuration::objects::map::MAP;
use crate::configuration::objects::mediatype::MEDIATYPE;
use crate::configuration::objects::script::SCRIPT;
use crate::configuration::objects::settings::SETTINGS;
use crate::configuration::objects::{ObjectKind, oncall};
use crate::error::{ConfigError, edited};

type Fields = JsonMap<String, Json>;

fn exists(kind: &str, name: &str) -> ConfigError {
    ConfigError::parameters(format_args!("{kind} \"{name}\" already exists."))
}

fn new_user() -> User {
    User {
        userid: UserId::NONE,
        username: String::new(),
        name: String::new(),
        surname: String::new(),
        roleid: RoleId::NONE,
        groups: Vec::new(),
        lang: "default".to_owned(),
        theme: "default".to_owned(),
        timezone: "default".to_owned(),
        url: String::new(),
        autologin: "0".to_owned(),
        autologout: "0".to_owned(),
        refresh: "30s".to_owned(),
        rows_per_page: "50".to_owned(),
        medias: Vec::new(),
    }
}

fn new_media() -> Media {
    Media {
        mediaid: 0,
        mediatypeid: 0,
        sendto: Vec::new(),
        is_disabled: false,
        severity: 63,
        period: ALWAYS.to_owned(),
        quiet_period: String::new(),
        quiet_severity: 4,
    }
}

/// A media of fields that the API has checked, over its old values; the id is still to be given.
fn media_of(before: &Media, fields: &Fields) -> Media {
    let number = |name: &str| text_field(fields, name).and_then(|it| it.parse::<u64>().ok());
    let text = |name: &str, before: &str| text_field(fields, name).unwrap_or(before).to_owned();
    let small = |name: &str, before: u8| {
        number(name).and_then(|it| u8::try_from(it).ok()).unwrap_or(before)
    };
    let addresses = |it: &Vec<Json>| -> Vec<String> {
        it.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
    };
    Media {
        mediaid: 0,
        mediatypeid: number("mediatypeid").unwrap_or(before.mediatypeid),
        sendto: fields
            .get("sendto")
            .and_then(Json::as_array)
            .map_or_else(|| before.sendto.clone(), addresses),
        is_disabled: number("active").map_or(before.is_disabled, |it| it == 1),
        severity: small("severity", before.severity),
        period: text("period", &before.period),
        quiet_period: text("quiet_period", &before.quiet_period),
        quiet_severity: small("quiet_severity", before.quiet_severity),
    }
}

/// The period of a media that has none of its own.
const ALWAYS: &str = "1-7,00:00-24:00";

impl Editor {
    pub(super) fn create_user(&mut self, fields: Fields) -> Result<u64, ConfigError> {
        let mut user = self.merge_user(&new_user(), &fields)?;
        user.userid = UserId(self.ids.take());
        let id = user.userid;
        self.access_mut().users.insert(id, Arc::new(user));
        if let Some(password) = text_field(&fields, "passwd") {
            self.set_password(id, password)?;
        }
        Ok(id.0)
    }

    fn merge_user(&mut self, base: &User, fields: &Fields) -> Result<User, ConfigError> {
        let groups = ids_field(fields, "usrgrps", "usrgrpid");
        let mut own = fields.clone();
        let medias = own.remove("medias");
        let mut user: User = merge(base, &own)?;
        user.userid = base.userid;
        if let Some(medias) = medias {
            user.medias = self.merge_medias(&base.medias, &medias)?;
        }
        user.groups = match groups {
            Some(ids) => ids.into_iter().map(UserGroupId).collect(),
            None => base.groups.clone(),
        };
        let access = &self.next.access;
        let mut others = access.users.values().filter(|it| it.userid != user.userid);
        if others.any(|it| it.username == user.username) {
            return Err(ConfigError::parameters(format_args!(
                "User with username \"{}\" already exists.",
                user.username
            )));
        }
        if user.roleid.is_some() && !access.roles.contains_key(&user.roleid) {
            return Err(ConfigError::invalid(edited("roleid"), "object does not exist"));
        }
        if let Some(at) = user.groups.iter().position(|it| !access.groups.contains_key(it)) {
            let path = edited("usrgrps").element(at);
            return Err(ConfigError::invalid(path, "object does not exist"));
        }
        Ok(user)
    }

    /// The whole list of a user's medias. One for the same address keeps its id.
    fn merge_medias(&mut self, old: &[Media], given: &Json) -> Result<Vec<Media>, ConfigError> {
        let mut left: Vec<&Media> = old.iter().collect();
        let mut medias = Vec::new();
        let given = given.as_array().into_iter().flatten().filter_map(Json::as_object);
        for (at, it) in given.enumerate() {
            let path = edited("medias").element(at);
            let named = text_field(it, "mediaid").and_then(|it| it.parse::<u64>().ok());
            let known = named.and_then(|id| left.iter().position(|it| it.mediaid == id));
            if named.is_some() && known.is_none() {
                let what = "object does not exist or belongs to another object";
                return Err(ConfigError::invalid(path.member("mediaid"), what));
            }
            let before = known.and_then(|at| left.get(at).copied());
            let mut media = media_of(before.unwrap_or(&new_media()), it);
            let kind = self.next.documents.get(MEDIATYPE.object.name, media.mediatypeid);
            if kind.is_none() {
                let path = path.member("mediatypeid");
                return Err(ConfigError::invalid(path, "object does not exist"));
            }
            let same = known.or_else(|| {
                left.iter()
                    .position(|it| it.mediatypeid == media.mediatypeid && it.sendto == media.sendto)
            });
            media.mediaid = match same {
                Some(at) => left.swap_remove(at).mediaid,
                None => self.ids.take(),
            };
            medias.push(media);
        }
        Ok(medias)
    }

    /// Users have no medias of media types that are gone.
    pub(super) fn leave_medias(&mut self, gone: &[u64]) {
        let is_of_gone = |it: &Media| gone.contains(&it.mediatypeid);
        let users = self.next.access.users.values();
        let changed: Vec<Arc<User>> =
            users.filter(|it| it.medias.iter().any(is_of_gone)).cloned().collect();
        for user in changed {
            let mut user = User::clone(&user);
            user.medias.retain(|it| !is_of_gone(it));
            self.access_mut().users.insert(user.userid, Arc::new(user));
        }
    }

    pub(super) fn update_user(&mut self, id: u64, fields: Fields) -> Result<(), ConfigError> {
        let id = UserId(id);
        let old = self.next.access.users.get(&id).cloned();
        let old = old.ok_or_else(ConfigError::no_permissions)?;
        let user = self.merge_user(&old, &fields)?;
        if id == self.actor.user() && user.roleid != old.roleid {
            return Err(ConfigError::parameters("User cannot change own role."));
        }
        if user != *old {
            self.access_mut().users.insert(id, Arc::new(user));
        }
        match text_field(&fields, "passwd") {
            Some(password) => self.set_password(id, password),
            None => Ok(()),
        }
    }

    /// Refuses to delete users that the server needs, and those that other objects name, in Zabbix's order.
    fn check_users_are_unused(&self, ids: &[u64]) -> Result<(), ConfigError> {
        let mut users = Vec::with_capacity(ids.len());
        for id in ids {
            let user = self.next.access.users.get(&UserId(*id));
            users.push(user.ok_or_else(ConfigError::no_permissions)?);
        }
        for user in &users {
            if user.userid == self.actor.user() {
                return Err(ConfigError::parameters("User is not allowed to delete oneself."));
            }
            if user.username == "guest" {
                return Err(ConfigError::parameters(
                    "Cannot delete Zabbix internal user \"guest\", try disabling that user.",
                ));
            }
        }
        let used = |user: &User, what: std::fmt::Arguments<'_>| {
            Err(ConfigError::parameters(format_args!("User \"{}\" {what}.", user.username)))
        };
        for user in &users {
            if let Some(action) = self.action_that_names("opmessage_usr", "userid", user.userid.0) {
                return used(user, format_args!("is used in \"{action}\" action"));
            }
            if let Some(schedule) = oncall::naming(&self.next, user.userid) {
                // Without the user the turns of all others would move.
                return used(user, format_args!("is used in on-call schedule \"{schedule}\""));
            }
        }
        for object in [MAP.object.name, DASHBOARD.object.name] {
            for user in &users {
                if let Some(name) = self.owned_by(object, user.userid) {
                    return used(user, format_args!("is {object} \"{name}\" owner"));
                }
            }
        }
        Ok(())
    }

    pub(super) fn delete_users(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        self.check_users_are_unused(ids)?;
        for id in ids {
            let id = UserId(*id);
            let tokens = self.next.access.tokens.values().filter(|it| it.userid == id);
            let tokens: Vec<u64> = tokens.map(|it| it.tokenid.0).collect();
            self.delete_tokens(&tokens)?;
            self.access_mut().users.remove(&id);
            self.secrets.push(SecretChange::DropUser(id));
        }
        self.leave_map_shares("users", "userid", ids);
        Ok(())
    }

    /// Sets a password and ends the user's sessions.
    ///
    /// # Errors
    /// If there is no such user.
    pub fn set_password(&mut self, userid: UserId, password: &str) -> Result<(), ConfigError> {
        if !self.next.access.users.contains_key(&userid) {
            return Err(ConfigError::no_permissions());
        }
        let hash = hash_password(password)?;
        let is_older = |it: &SecretChange| matches!(it, SecretChange::SetPassword { user, .. } if *user == userid);
        self.secrets.retain(|it| !is_older(it));
        self.secrets.push(SecretChange::SetPassword { user: userid, hash });
        self.secrets.push(SecretChange::EndSessions(userid));
        Ok(())
    }

    /// Sets a password on behalf of the server's operator, and records it.
    pub(crate) fn reset_password(
        &mut self,
        username: &str,
        password: &str,
    ) -> Result<UserId, ConfigError> {
        let mut users = self.next.access.users.values();
        let Some(userid) = users.find(|it| it.username == username).map(|it| it.userid) else {
            return Err(ConfigError::parameters(format_args!(
                "User with username \"{username}\" does not exist."
            )));
        };
        self.set_password(userid, password)?;
        self.note_secret((ObjectKind::User, userid.0), "passwd");
        Ok(userid)
    }

    pub(super) fn create_user_group(&mut self, fields: Fields) -> Result<u64, ConfigError> {
        let mut group = self.merge_user_group(&UserGroup::default(), &fields)?;
        group.usrgrpid = UserGroupId(self.ids.take());
        let id = group.usrgrpid;
        self.access_mut().groups.insert(id, Arc::new(group));
        self.set_members(id, &fields)?;
        Ok(id.0)
    }

    fn merge_user_group(
        &self,
        base: &UserGroup,
        fields: &Fields,
    ) -> Result<UserGroup, ConfigError> {
        let mut group: UserGroup = merge(base, fields)?;
        group.usrgrpid = base.usrgrpid;
        let mut others =
            self.next.access.groups.values().filter(|it| it.usrgrpid != group.usrgrpid);
        if others.any(|it| it.name == group.name) {
            return Err(exists("User group", &group.name));
        }
        let unavailable = |what: &str, id: &dyn Display| {
            ConfigError::parameters(format_args!("{what} with ID \"{id}\" is not available."))
        };
        let members = ids_field(fields, "users", "userid").unwrap_or_default();
        let is_user = |it: &u64| self.next.access.users.contains_key(&UserId(*it));
        if let Some(at) = members.iter().position(|it| !is_user(it)) {
            let path = edited("users").element(at).member("userid");
            return Err(ConfigError::invalid(path, "object does not exist"));
        }
        let mut groups = group.templategroup_rights.iter().map(|it| it.id);
        if let Some(id) = groups.find(|it| !self.next.template_groups.contains_key(it)) {
            return Err(unavailable("Template group", &id));
        }
        let of_rights = group.hostgroup_rights.iter().map(|it| it.id);
        let mut groups = of_rights.chain(group.tag_filters.iter().map(|it| it.groupid));
        if let Some(id) = groups.find(|it| !self.next.host_groups.contains_key(it)) {
            return Err(unavailable("Host group", &id));
        }
        group.tag_filters.sort_unstable();
        group.tag_filters.dedup();
        Ok(group)
    }

    /// `users` is the whole list of members.
    fn set_members(&mut self, group: UserGroupId, fields: &Fields) -> Result<(), ConfigError> {
        let Some(members) = ids_field(fields, "users", "userid") else { return Ok(()) };
        let users = &self.next.access.users;
        let changed: Vec<Arc<User>> = users
            .values()
            .filter(|it| it.groups.contains(&group) != members.contains(&it.userid.0))
            .cloned()
            .collect();
        for user in changed {
            let mut user = User::clone(&user);
            if members.contains(&user.userid.0) {
                user.groups.push(group);
            } else {
                user.groups.retain(|it| *it != group);
            }
            self.access_mut().users.insert(user.userid, Arc::new(user));
        }
        Ok(())
    }

    pub(super) fn update_user_group(&mut self, id: u64, fields: Fields) -> Result<(), ConfigError> {
        let id = UserGroupId(id);
        let old = self.next.access.groups.get(&id).cloned();
        let old = old.ok_or_else(ConfigError::no_permissions)?;
        let group = self.merge_user_group(&old, &fields)?;
        if group.users_status == 0 && self.is_of_deprovisioned(id) {
            return Err(ConfigError::parameters("Deprovisioned users group cannot be enabled."));
        }
        if group != *old {
            self.access_mut().groups.insert(id, Arc::new(group));
        }
        self.set_members(id, &fields)
    }

    pub(super) fn delete_user_groups(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        for id in ids {
            let id = UserGroupId(*id);
            let group = self.next.access.groups.get(&id).ok_or_else(ConfigError::no_permissions)?;
            if self.is_of_deprovisioned(id) {
                let what = "Deprovisioned users group cannot be deleted.";
                return Err(ConfigError::parameters(what));
            }
            if let Some(user) = self.user_of(id) {
                return Err(ConfigError::parameters(format_args!(
                    "User group \"{}\" is used in {user}.",
                    group.name
                )));
            }
            let mut none = Fields::new();
            none.insert("users".to_owned(), Json::Array(Vec::new()));
            self.set_members(id, &none)?;
            self.access_mut().groups.remove(&id);
        }
        self.leave_map_shares("userGroups", "usrgrpid", ids);
        Ok(())
    }

    /// Whether the authentication settings name a group.
    fn is_of_deprovisioned(&self, group: UserGroupId) -> bool {
        let mut settings = self.next.documents.of(AUTHENTICATION.object.name);
        settings.any(|it| it.text("disabled_usrgrpid") == group.to_string())
    }

    /// The user of a group: an object that sends to it or is limited to it.
    fn user_of(&self, group: UserGroupId) -> Option<String> {
        if let Some(action) = self.action_that_names("opmessage_grp", "usrgrpid", group.0) {
            return Some(format!("\"{action}\" action"));
        }
        let id = group.to_string();
        let names = |it: &&Arc<Document>, field: &str| it.text(field) == id;
        let mut scripts = self.next.documents.of(SCRIPT.object.name);
        if let Some(it) = scripts.find(|it| names(it, "usrgrpid")) {
            return Some(format!("script \"{}\"", it.text("name")));
        }
        let mut settings = self.next.documents.of(SETTINGS.object.name);
        let is_named = settings.any(|it| names(&it, "alert_usrgrpid"));
        is_named.then(|| "configuration for database down messages".to_owned())
    }

    /// Rights on groups that are gone are gone.
    pub(super) fn drop_group_rights(
        &mut self,
        host_groups: &[GroupId],
        template_groups: &[TemplateGroupId],
    ) {
        let names_gone = |it: &UserGroup| {
            it.hostgroup_rights.iter().any(|it| host_groups.contains(&it.id))
                || it.templategroup_rights.iter().any(|it| template_groups.contains(&it.id))
                || it.tag_filters.iter().any(|it| host_groups.contains(&it.groupid))
        };
        let changed: Vec<Arc<UserGroup>> =
            self.next.access.groups.values().filter(|it| names_gone(it)).cloned().collect();
        for group in changed {
            let mut group = UserGroup::clone(&group);
            group.hostgroup_rights.retain(|it| !host_groups.contains(&it.id));
            group.tag_filters.retain(|it| !host_groups.contains(&it.groupid));
            group.templategroup_rights.retain(|it| !template_groups.contains(&it.id));
            self.access_mut().groups.insert(group.usrgrpid, Arc::new(group));
        }
    }

    pub(super) fn create_token(&mut self, fields: Fields) -> Result<u64, ConfigError> {
        let base = Token {
            tokenid: TokenId::NONE,
            name: String::new(),
            description: String::new(),
            userid: self.actor.user(),
            status: 0,
            expires_at: 0,
            created_at: 0,
            creator_userid: self.actor.user(),
        };
        let mut token = self.merge_token(&base, fields)?;
        token.tokenid = TokenId(self.ids.take());
        let id = token.tokenid;
        self.access_mut().tokens.insert(id, Arc::new(token));
        Ok(id.0)
    }

    fn merge_token(&self, base: &Token, mut fields: Fields) -> Result<Token, ConfigError> {
        // Kept as numbers, written by clients as text.
        for name in ["expires_at", "created_at"] {
            if let Some(value) = super::content::int_field(&fields, name) {
                fields.insert(name.to_owned(), value.into());
            }
        }
        let mut token: Token = merge(base, &fields)?;
        token.tokenid = base.tokenid;
        let access = &self.next.access;
        if !access.users.contains_key(&token.userid) {
            return Err(ConfigError::no_permissions());
        }
        let mut others = access.tokens.values().filter(|it| it.tokenid != token.tokenid);
        if others.any(|it| it.userid == token.userid && it.name == token.name) {
            return Err(ConfigError::parameters(format_args!(
                "API token \"{}\" already exists for userid \"{}\".",
                token.name, token.userid
            )));
        }
        Ok(token)
    }

    pub(super) fn update_token(&mut self, id: u64, fields: Fields) -> Result<(), ConfigError> {
        let id = TokenId(id);
        let old = self.next.access.tokens.get(&id).cloned();
        let old = old.ok_or_else(ConfigError::no_permissions)?;
        let mut token = self.merge_token(&old, fields)?;
        token.userid = old.userid;
        if token != *old {
            self.access_mut().tokens.insert(id, Arc::new(token));
        }
        Ok(())
    }

    pub(super) fn delete_tokens(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        for id in ids {
            let id = TokenId(*id);
            if !self.next.access.tokens.contains_key(&id) {
                return Err(ConfigError::no_permissions());
            }
            self.access_mut().tokens.remove(&id);
            self.secrets.push(SecretChange::DropToken(id));
        }
        Ok(())
    }

    /// A new text for a token; the old one no longer works. It is shown this once: only a hash is
    /// kept.
    ///
    /// # Errors
    /// If there is no such token.
    pub fn generate_token(&mut self, tokenid: TokenId) -> Result<String, ConfigError> {
        if !self.next.access.tokens.contains_key(&tokenid) {
            return Err(ConfigError::no_permissions());
        }
        let text = random_secret()?;
        let is_older = |it: &SecretChange| matches!(it, SecretChange::SetToken { token, .. } if *token == tokenid);
        self.secrets.retain(|it| !is_older(it));
        self.secrets.push(SecretChange::SetToken { token: tokenid, hash: hash_secret(&text) });
        if self.is_noted() {
            self.note_secret((ObjectKind::Token, tokenid.0), "token");
        }
        Ok(text)
    }
}
