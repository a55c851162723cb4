use std::sync::Arc;

use model::content::Group;
use model::document::Document;
use model::snapshot::{HolderKind, Host};
use serde_json::{Value as Json, json};

use super::*;

/// 2025-03-30, 00:00 UTC: summer time begins in Berlin an hour later, and there is no 2:30.
const DST: i64 = 1_743_292_800;

fn host(id: u64, groups: &[u64]) -> Arc<Host> {
    let name: Arc<str> = format!("host {id}").into();
    let mut host = Host::new(HostId(id), HolderKind::Host, Arc::clone(&name), name);
    host.groups = groups.iter().map(|it| GroupId(*it)).collect();
    Arc::new(host)
}

/// Groups 1 `Linux`, 2 `Linux/Databases`, 3 `LinuxOld`; hosts 11, 12 and 13 in one each, 14 in 1 and 2.
fn snapshot(maintenances: &[(u64, Json)]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for (id, name) in [(1, "Linux"), (2, "Linux/Databases"), (3, "LinuxOld")] {
        let group = Group { name: name.to_owned(), uuid: String::new() };
        snapshot.host_groups.insert(GroupId(id), Arc::new(group));
    }
    for it in [host(11, &[1]), host(12, &[2]), host(13, &[3]), host(14, &[1, 2])] {
        snapshot.hosts.insert(it.id, it);
    }
    for (id, body) in maintenances {
        let body = body.as_object().expect("fields").clone();
        let key = id.to_string().into();
        snapshot.documents.put(MAINTENANCE.object.name, Document { id: *id, key, body });
    }
    snapshot
}

fn once(start: i64, change: Json) -> Json {
    let mut body = json!({
        "maintenance_type": "0", "active_since": "0", "active_till": "4000000000",
        "timeperiods": [
            {"timeperiod_type": "0", "start_date": start.to_string(), "period": "3600"}
        ],
    });
    for (name, value) in change.as_object().expect("fields") {
        body[name] = value.clone();
    }
    body
}

fn at(snapshot: &Snapshot, second: i64) -> RunningMaintenances {
    RunningMaintenances::at(snapshot, Time::from_clock(second, 0), &TimeZone::UTC)
}

/// The suppressions of a problem of these hosts with these tags.
fn suppress(by: &RunningMaintenances, hosts: &[u64], tags: &[(&str, &str)]) -> Vec<Suppression> {
    let hosts: Vec<HostId> = hosts.iter().map(|it| HostId(*it)).collect();
    let tag = |(tag, value): &(&str, &str)| Tag { tag: (*tag).into(), value: (*value).into() };
    let tags: Vec<Tag> = tags.iter().map(tag).collect();
    by.suppressions(&hosts, &tags)
}

fn ids(suppressions: &[Suppression]) -> Vec<u64> {
    suppressions.iter().map(|it| it.maintenance.0).collect()
}

#[test]
fn a_group_stands_for_those_below_it_and_for_no_others() {
    let snapshot = snapshot(&[(7, once(600, json!({"groups": [{"groupid": "1"}]})))]);
    let maintained = at(&snapshot, 600);
    let mut hosts: Vec<u64> = maintained.hosts().map(|it| it.0).collect();
    hosts.sort_unstable();
    assert_eq!(hosts, [11, 12, 14]);
    let running = maintained.of(HostId(12)).expect("in maintenance");
    assert_eq!((running.id, running.since, running.until), (MaintenanceId(7), 600, 4_200));
    assert_eq!(at(&snapshot, 599), RunningMaintenances::default());
    assert_eq!(at(&snapshot, 4_200), RunningMaintenances::default());
}

#[test]
fn of_several_the_first_one_without_data_is_shown() {
    let of_11 = json!({"hosts": [{"hostid": "11"}]});
    let without = json!({"hosts": [{"hostid": "11"}], "maintenance_type": "1"});
    let all = [(7, once(0, of_11)), (8, once(0, without.clone())), (9, once(0, without))];
    let shown = |of: &[(u64, Json)]| at(&snapshot(of), 0).of(HostId(11)).map(|it| it.id.0);
    assert_eq!(shown(&all), Some(8));
    assert_eq!(shown(&all[..1]), Some(7));
    assert_eq!(shown(&[]), None);
}

#[test]
fn a_problem_is_suppressed_while_all_of_its_hosts_are_in_maintenance() {
    let with_tag = json!({
        "hosts": [{"hostid": "11"}],
        "tags": [{"tag": "service", "operator": "0", "value": "db"}],
    });
    let all = [(7, once(0, with_tag)), (8, once(1_800, json!({"hosts": [{"hostid": "12"}]})))];
    let snapshot = snapshot(&all);
    let (early, late) = (at(&snapshot, 0), at(&snapshot, 1_800));
    let db: &[(&str, &str)] = &[("service", "db")];
    assert_eq!(ids(&suppress(&early, &[11], db)), [7]);
    assert!(suppress(&early, &[11], &[("service", "web")]).is_empty());
    assert!(suppress(&early, &[11, 12], db).is_empty(), "12 is in none yet");
    assert_eq!(ids(&suppress(&late, &[11, 12], db)), [7, 8]);
    // As in Zabbix: the one of 12 has no conditions, and 11 is in one, too.
    assert_eq!(ids(&suppress(&late, &[11, 12], &[])), [8]);
    assert!(suppress(&late, &[], db).is_empty());
}

#[test]
fn resolved_problems_lose_ended_symptoms_and_gain_none() {
    let all = [(7, once(0, json!({"hosts": [{"hostid": "11"}]})))];
    let running = at(&snapshot(&all), 0);
    let had = suppress(&running, &[11], &[]);
    assert_eq!(running.left_of(&had), had);
    assert_eq!(running.left_of(&[]), []);
    assert_eq!(RunningMaintenances::default().left_of(&had), []);
}

#[test]
fn only_what_matters_makes_it_looked_at_again() {
    let (none, one) = (snapshot(&[]), snapshot(&[(7, once(0, json!({})))]));
    let hosts = Delta { hosts_changed: vec![HostId(1)], ..Delta::default() };
    let groups = Delta { groups_changed: true, ..Delta::default() };
    let own = Delta { documents_changed: vec![("maintenance", 7)], ..Delta::default() };
    let other = Delta { documents_changed: vec![("script", 7)], ..Delta::default() };
    let asks = |of: &Snapshot| {
        [&hosts, &groups, &own, &other].map(|it| RunningMaintenances::depends_on(of, it))
    };
    assert_eq!(asks(&none), [false, false, true, false]);
    assert_eq!(asks(&one), [true, true, true, false]);
}

/// Each minute of a year in zones with changes of the clock: a night's maintenance from 2:30 for two
/// hours is on for two hours a day, whatever the wall shows, and not at all on the day that has no 2:30.
#[test]
fn a_year_of_nights_has_two_hours_each() {
    let body = json!({
        "maintenance_type": "0", "active_since": "1735689600", "active_till": "1767225600",
        "hosts": [{"hostid": "11"}],
        "timeperiods": [
            {"timeperiod_type": "2", "every": "1", "start_time": "9000", "period": "7200"}
        ],
    });
    let snapshot = snapshot(&[(7, body)]);
    for (zone, is_skipped) in [("UTC", false), ("America/New_York", true), ("Europe/Berlin", true)]
    {
        let zone = TimeZone::get(zone).expect("a zone");
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for second in (1_735_689_600_i64..1_767_225_600).step_by(300) {
            let now = RunningMaintenances::at(&snapshot, Time::from_clock(second, 0), &zone);
            let Some(it) = now.of(HostId(11)) else { continue };
            assert!((it.since..it.until).contains(&second));
            if runs.last() != Some(&(it.since, it.until)) {
                runs.push((it.since, it.until));
            }
        }
        assert!(runs.iter().all(|(since, until)| until - since <= 7_200));
        assert!(runs.windows(2).all(|it| it[0].1 <= it[1].0), "they do not overlap");
        let whole = runs.iter().filter(|(since, until)| until - since == 7_200).count();
        assert!((363..=365).contains(&whole), "{whole}");
        let on_the_day = runs.iter().any(|(since, _)| (DST..DST + 5 * 3_600).contains(since));
        if is_skipped {
            assert_eq!(whole + 1, 365, "one night has no 2:30");
        } else {
            assert!(on_the_day);
        }
    }
}
