"""Restricted people: roles by Ansible's community.zabbix, and what their sessions and tokens may do then."""

import pytest
from zabbix_utils import APIRequestError, ZabbixAPI

ROLE = {
    "name": "Ansible duty", "type": "User",
    "rules": {
        "ui.default_access": 0,
        "ui": [{"name": "monitoring.problems", "status": 1}, {"name": "monitoring.hosts", "status": 0}],
        "actions.default_access": 0,
        "actions": [{"name": "acknowledge_problems", "status": 1}, {"name": "manage_api_tokens", "status": 1}],
        "api.access": 1, "api.mode": 1, "api": ["problem.get", "token.*", "user.logout"],
    },
}
PASSWORD = "a long word for tests"


@pytest.fixture
def duty(api, ansible):
    """The role, and a user with it."""
    assert ansible("zabbix_user_role", {**ROLE, "state": "present"}) == [True]
    (role,) = api.role.get(filter={"name": ROLE["name"]}, output=["roleid"])
    (group,) = api.usergroup.create(name="Duty")["usrgrpids"]
    (user,) = api.user.create(
        username="duty", passwd=PASSWORD, roleid=role["roleid"], usrgrps=[{"usrgrpid": group}],
    )["userids"]
    yield role["roleid"]
    api.user.delete(user)
    api.usergroup.delete(group)
    assert ansible("zabbix_user_role", {**ROLE, "state": "absent"}) == [True]


def test_a_role_is_made_found_and_changed(api, ansible, duty):
    assert ansible("zabbix_user_role", {**ROLE, "state": "present"}) == [False], "there already"
    more = {**ROLE, "rules": {**ROLE["rules"], "ui": [{"name": "monitoring.hosts", "status": 1}]}}
    assert ansible("zabbix_user_role", {**more, "state": "present"}) == [True]
    (role,) = api.role.get(roleids=duty, selectRules="extend")
    shown = [it["name"] for it in role["rules"]["ui"] if it["status"] == "1"]
    kept = {"monitoring.hosts", "monitoring.problems", "monitoring.maps"}
    assert kept <= set(shown), "elements that are not named keep their access"
    assert role["rules"]["api"] == ROLE["rules"]["api"]


def test_sessions_and_tokens_of_it_are_restricted(server, api, duty):
    client = ZabbixAPI(url=server.url, user="duty", password=PASSWORD)
    assert client.problem.get(output=["eventid"]) == []
    for refused in (client.host.get, client.item.get, client.user.get):
        with pytest.raises(APIRequestError, match="No permissions to call"):
            refused(output=["hostid"])
    (tokenid,) = client.token.create(name="duty")["tokenids"]
    token = client.token.generate([tokenid])[0]["token"]
    by_token = ZabbixAPI(url=server.url, token=token)
    assert by_token.problem.get(countOutput=True) == "0"
    with pytest.raises(APIRequestError, match='No permissions to call "host.get"'):
        by_token.host.get()
    api.role.update(roleid=duty, rules={"api.access": 0})
    with pytest.raises(APIRequestError, match='No permissions to call "problem.get"'):
        by_token.problem.get()
    api.role.update(roleid=duty, rules={"api.access": 1})
    client.logout()
