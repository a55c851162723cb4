//! Macros about the action, the message, discovery, services and users.

use lang::macros::{Resolution, age, date, time};
use model::UserId;

use super::events;
use super::expansion::{Asked, Expansion, INACCESSIBLE};
use crate::event::EventSource;
use crate::{AlertKind, AlertStatus};

fn known(value: Option<String>) -> Resolution {
    value.map_or(Resolution::Unknown, Resolution::Value)
}

pub(super) fn action(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    match (&of.facts.context().action, asked.name) {
        ((0, _), _) => Resolution::Keep,
        ((id, _), "ACTION.ID") => Resolution::Value(id.to_string()),
        ((_, name), _) => Resolution::Value(name.clone()),
    }
}

/// Only parameters of media types have them.
pub(super) fn alert(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(alert) = &of.facts.context().alert else { return Resolution::Keep };
    Resolution::Value(match asked.name {
        "ALERT.SENDTO" => alert.sendto.clone(),
        "ALERT.SUBJECT" => alert.subject.clone(),
        _ => alert.message.clone(),
    })
}

/// Not in Zabbix: the link that acknowledges the problem.
pub(super) fn acknowledge_url(of: &Expansion<'_>, _: &Asked<'_>) -> Resolution {
    known(of.facts.acknowledge_url())
}

pub(super) fn now(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let (clock, zone) = (of.facts.now().clock(), of.facts.zone());
    known(match asked.name {
        "DATE" => date(clock, zone),
        "TIME" => time(clock, zone),
        _ => Some(clock.to_string()),
    })
}

pub(super) fn discovery(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(found) = of.facts.discovered() else { return Resolution::Unknown };
    let status = |is_up: bool| if is_up { "UP" } else { "DOWN" }.to_owned();
    let service = found.service.as_ref();
    known(match asked.name {
        "DISCOVERY.DEVICE.DNS" => Some(found.dns.clone()),
        "DISCOVERY.DEVICE.IPADDRESS" => Some(found.ip.clone()),
        "DISCOVERY.DEVICE.STATUS" => Some(status(found.is_up)),
        "DISCOVERY.DEVICE.UPTIME" => Some(age(found.since_s)),
        "DISCOVERY.RULE.NAME" => Some(found.rule.clone()),
        "DISCOVERY.SERVICE.NAME" => service.map(|it| it.name.clone()),
        "DISCOVERY.SERVICE.PORT" => service.map(|it| it.port.to_string()),
        "DISCOVERY.SERVICE.STATUS" => service.map(|it| status(it.is_up)),
        "DISCOVERY.SERVICE.UPTIME" => service.map(|it| age(it.since_s)),
        _ => None,
    })
}

/// The history of the escalation.
pub(super) fn escalation(of: &Expansion<'_>, _asked: &Asked<'_>) -> Resolution {
    let context = of.facts.context();
    let Some(event) = context.event.as_ref().filter(|_| context.action.0 != 0) else {
        return Resolution::Keep;
    };
    let zone = of.facts.zone();
    let stamp = |clock: i64| {
        let (date, time) = (date(clock, zone), time(clock, zone));
        format!("{} {}", date.unwrap_or_default(), time.unwrap_or_default())
    };
    let started = event.time.clock();
    let since = age(of.facts.now().clock().saturating_sub(started));
    let mut out = vec![format!("Problem started: {} Age: {since}", stamp(started))];
    for it in of.facts.escalation() {
        let step = if it.step == 0 { String::new() } else { format!("{}. ", it.step) };
        let kind = if it.kind == AlertKind::Message { "message" } else { "command" };
        let status = match it.status {
            AlertStatus::Sent if it.kind == AlertKind::Message => "sent",
            AlertStatus::Sent => "executed",
            AlertStatus::NotSent | AlertStatus::New | AlertStatus::Held => "in progress",
            AlertStatus::Failed => "failed",
        };
        let mut line = format!("{step}{} {kind:<7} {status:<11}", stamp(it.clock));
        let is_shown = it.kind == AlertKind::Command || of.may_see(it.user);
        if it.kind == AlertKind::Command {
            if let Some((host, _)) = it.command.split_once(':') {
                line.push_str(&format!(" \"{host}\""));
            }
        } else if is_shown {
            let user = of.user_shown(it.user);
            line.push_str(&format!(" {} {} \"{user}\"", it.media_type, it.sendto));
        } else {
            line.push_str(&format!(
                " {} \"Inaccessible recipient details\" \"{INACCESSIBLE}\"",
                it.media_type
            ));
        }
        if it.status == AlertStatus::Failed {
            line.push(' ');
            line.push_str(if is_shown { &it.error } else { "\"Inaccessible error message\"" });
        }
        out.push(line);
    }
    if let Some(recovery) = &context.recovery {
        out.push(format!("Problem ended: {}", stamp(recovery.time.clock())));
    }
    Resolution::Value(out.join("\n"))
}

pub(super) fn manual_input(of: &Expansion<'_>, _asked: &Asked<'_>) -> Resolution {
    of.facts.context().manual_input.clone().into()
}

/// Hosts are watched by the server itself: proxies are known of discovery and autoregistration only.
pub(super) fn proxy(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let source = of.facts.context().current().map(|it| it.source);
    let proxy = match source {
        Some(EventSource::Discovery) => {
            of.facts.discovered().map(|it| (it.proxy, it.proxy_description))
        }
        Some(EventSource::Autoregistration) => {
            of.facts.registered().map(|it| (it.proxy, it.proxy_description))
        }
        _ => Some((String::new(), String::new())),
    };
    known(proxy.map(|it| if asked.name == "PROXY.NAME" { it.0 } else { it.1 }))
}

pub(super) fn service(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(event) = &of.facts.context().event else { return Resolution::Keep };
    let service = || of.facts.service();
    known(match asked.name {
        "SERVICE.ID" => Some(event.object_id.to_string()),
        "SERVICE.NAME" => service().map(|it| it.name),
        "SERVICE.DESCRIPTION" => service().map(|it| it.description),
        "SERVICE.ROOTCAUSE" => {
            Some(service().and_then(|it| events::lines(of, it.root_cause)).unwrap_or_default())
        }
        "SERVICE.TAGS" => Some(events::tags_text(&event.tags)),
        "SERVICE.TAGSJSON" => Some(events::tags_json(&event.tags)),
        name => events::tag(&event.tags, name.strip_prefix("SERVICE.TAGS.").unwrap_or_default()),
    })
}

/// The author of the update that the message is about, or the user who started the script.
pub(super) fn user(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let context = of.facts.context();
    if let Some(update) = &context.update {
        return match asked.name {
            "USER.FULLNAME" => Resolution::Value(of.user_shown(update.user)),
            _ => Resolution::Keep,
        };
    }
    // Messages have no such macros: only scripts that users start.
    if context.action.0 != 0 || context.alert.is_some() || context.user == UserId::NONE {
        return Resolution::Keep;
    }
    let Some(user) = of.facts.snapshot().access.users.get(&context.user) else {
        return Resolution::Unknown;
    };
    Resolution::Value(match asked.name {
        "USER.NAME" => user.name.clone(),
        "USER.SURNAME" => user.surname.clone(),
        "USER.FULLNAME" => super::expansion::full_name(user),
        _ => user.username.clone(),
    })
}
