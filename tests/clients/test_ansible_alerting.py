"""Modules of Ansible's community.zabbix for whom alerting is: each makes its object, finds it there
already, and removes it."""

import pytest

GROUP = {"name": "Ansible on call"}
MAIL = {
    "name": "Ansible mail", "type": "email", "smtp_server": "mail.example.com", "smtp_server_port": 25,
    "smtp_email": "saker@example.com", "smtp_helo": "example.com", "status": "enabled",
}
USER = {
    "username": "ansible-duty", "name": "Duty", "surname": "Officer", "usrgrps": ["Ansible on call"],
    "passwd": "a long word for tests", "role_name": "User role",
    "user_medias": [{
        "mediatype": "Ansible mail", "sendto": ["duty@example.com"], "period": "1-7,00:00-24:00",
        "severity": {
            "not_classified": False, "information": False, "warning": True, "average": True,
            "high": True, "disaster": True,
        },
        "active": True,
    }],
}
ACTION = {
    "name": "Ansible notifies", "event_source": "trigger", "status": "enabled", "esc_period": "1h",
    "conditions": [
        {"type": "trigger_name", "operator": "like", "value": "unreachable", "formulaid": "A"},
        {"type": "trigger_severity", "operator": ">=", "value": "Warning", "formulaid": "B"},
    ],
    "formula": "A or B",
    "operations": [{
        "type": "send_message", "subject": "Something is bad", "op_message": "{EVENT.NAME}",
        "media_type": "Ansible mail", "send_to_users": ["ansible-duty"],
    }],
    "recovery_operations": [{
        "type": "send_message", "subject": "It is good", "op_message": "{EVENT.NAME}",
        "media_type": "Ansible mail", "send_to_users": ["ansible-duty"],
    }],
    "acknowledge_operations": [{
        "type": "send_message", "media_type": "Ansible mail", "send_to_users": ["ansible-duty"],
    }],
}
MAINTENANCE = {
    "name": "Ansible works", "host_groups": ["Linux servers"], "description": "by a playbook",
    "collect_data": True, "time_periods": [{"frequency": "daily", "start_time": "17:00", "every": 2}],
    "active_since": "2026-01-01 00:00", "active_till": "2036-01-01 00:00",
    "tags": [{"tag": "scope", "value": "backup", "operator": 0}],
}
SCRIPT = {
    "name": "Ansible looks", "scope": "action_operation", "script_type": "webhook", "command": "return 0",
    "description": "by a playbook",
}
SERVICE = {
    "name": "Ansible shop", "description": "by a playbook", "algorithm": "status_to_ok", "sortorder": 0,
    "tags": [{"tag": "area", "value": "shop"}],
    "problem_tags": [{"tag": "service", "value": "web", "operator": "like"}],
}


def of(name: str, field: str = "name") -> dict:
    return {"filter": {field: name}}


@pytest.mark.parametrize("before, module, task", [
    ([], "zabbix_mediatype", MAIL),
    ([("zabbix_usergroup", GROUP), ("zabbix_mediatype", MAIL)], "zabbix_user", USER),
    (
        [("zabbix_usergroup", GROUP), ("zabbix_mediatype", MAIL), ("zabbix_user", USER)],
        "zabbix_action", ACTION,
    ),
    ([], "zabbix_maintenance", MAINTENANCE),
    ([], "zabbix_script", SCRIPT),
    ([], "zabbix_service", SERVICE),
])
def test_made_found_and_removed(ansible, before, module, task):
    for other, needed in before:
        ansible(other, {**needed, "state": "present"})
    present, absent = {**task, "state": "present"}, {**task, "state": "absent"}
    assert ansible(module, present, present) == [True, False], "made, and there already"
    assert ansible(module, absent, absent) == [True, False], "removed, and gone already"
    for other, needed in reversed(before):
        ansible(other, {**needed, "state": "absent"})


def test_what_a_playbook_made_is_what_it_says(api, ansible):
    for module, task in [
        ("zabbix_usergroup", GROUP), ("zabbix_mediatype", MAIL), ("zabbix_user", USER),
        ("zabbix_action", ACTION), ("zabbix_maintenance", MAINTENANCE),
    ]:
        ansible(module, {**task, "state": "present"})
    (mail,) = api.mediatype.get(output="extend", **of(MAIL["name"]))
    assert (mail["type"], mail["smtp_server"], mail["status"]) == ("0", "mail.example.com", "0")
    (user,) = api.user.get(output=["userid", "name"], selectMedias="extend", **of("ansible-duty", "username"))
    (media,) = user["medias"]
    assert (media["mediatypeid"], media["sendto"]) == (mail["mediatypeid"], ["duty@example.com"])
    assert (media["severity"], media["active"]) == ("60", "0")
    (action,) = api.action.get(
        output="extend", selectFilter="extend", selectOperations="extend",
        selectRecoveryOperations="extend", selectUpdateOperations="extend", **of(ACTION["name"]),
    )
    assert (action["eventsource"], action["esc_period"]) == ("0", "1h")
    assert [(it["conditiontype"], it["operator"], it["value"]) for it in action["filter"]["conditions"]] == [
        ("3", "2", "unreachable"), ("4", "5", "2"),
    ]
    assert action["filter"]["evaltype"] == "3"
    (operation,) = action["operations"]
    assert operation["opmessage"]["subject"] == "Something is bad"
    assert [it["userid"] for it in operation["opmessage_usr"]] == [user["userid"]]
    assert len(action["recovery_operations"]) == len(action["update_operations"]) == 1
    (maintenance,) = api.maintenance.get(
        output="extend", selectHostGroups=["name"], selectTimeperiods="extend", selectTags="extend",
        **of(MAINTENANCE["name"]),
    )
    assert [it["name"] for it in maintenance["hostgroups"]] == ["Linux servers"]
    (period,) = maintenance["timeperiods"]
    assert (period["timeperiod_type"], period["every"], period["start_time"]) == ("2", "2", "61200")
    for module, task in [
        ("zabbix_action", ACTION), ("zabbix_maintenance", MAINTENANCE), ("zabbix_user", USER),
        ("zabbix_mediatype", MAIL), ("zabbix_usergroup", GROUP),
    ]:
        assert ansible(module, {**task, "state": "absent"}) == [True]
