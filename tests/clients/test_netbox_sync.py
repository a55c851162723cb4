"""The calls of netbox-zabbix-sync (not on PyPI), through zabbix_utils as it makes them: a device is made, compared,
brought in line and taken away."""

import pytest
from zabbix_utils import APIRequestError, ZabbixAPI

NAME = "netbox-switch"
INVENTORY = {"asset_tag": "A-17", "serialno_a": "SN1"}
MACROS = [
    {"macro": "{$HW_MODEL}", "value": "C9300", "type": "0", "description": ""},
    {"macro": "{$SNMP_PASS}", "value": "s3cret", "type": "1", "description": ""},
]
TAGS = [{"tag": "site", "value": "AMS"}]
SNMP = {
    "type": 2, "main": 1, "useip": 1, "ip": "192.0.2.40", "dns": "", "port": "161",
    "details": {"version": "2", "bulk": "1", "community": "{$SNMP_COMMUNITY}", "max_repetitions": "10"},
}


def compared(api, hostid: str) -> dict:
    """A host as it is asked for to be compared."""
    (host,) = api.host.get(
        filter={"hostid": hostid},
        selectInterfaces=["type", "ip", "useip", "dns", "port", "details", "interfaceid"],
        selectGroups=["groupid"], selectHostGroups=["groupid"], selectParentTemplates=["templateid"],
        selectInventory=list(INVENTORY), selectMacros=["macro", "value", "type", "description"],
        selectTags=["tag", "value"],
    )
    return host


def test_a_device_is_made_compared_and_removed(server):
    api = ZabbixAPI(url=server.url, user="Admin", password=server.password)
    assert api.check_auth()
    assert str(api.version).startswith("7"), "what it takes for the names of fields"
    groups = api.hostgroup.get(output=["groupid", "name"])
    assert all(set(it) == {"groupid", "name"} for it in groups)
    templates = {it["name"]: it["templateid"] for it in api.template.get(output=["templateid", "name"])}
    assert api.proxy.get(output=["proxyid", "name"]) == []
    assert api.proxygroup.get(output=["proxy_groupid", "name"]) == []

    # Groups level by level.
    created = [api.hostgroup.create(name=it)["groupids"][0] for it in ("Netbox", "Netbox/AMS")]
    assert api.host.get(filter={"host": NAME}, output=[]) == []
    templateid = next(iter(sorted(templates.items())))[1]
    data = {
        # A visible name of its own is null where there is none.
        "host": NAME, "name": None, "status": 0, "interfaces": [SNMP], "groups": [{"groupid": created[1]}],
        "templates": [{"templateid": templateid}], "description": "Host added by NetBox sync script.",
        "inventory_mode": 0, "inventory": INVENTORY, "macros": MACROS, "tags": TAGS,
        "ipmi_username": "admin", "ipmi_password": "calvin", "ipmi_authtype": 6, "ipmi_privilege": 4,
    }
    (hostid,) = api.host.create(**data)["hostids"]
    assert [it["hostid"] for it in api.host.get(filter={"host": NAME}, output=[])] == [hostid]

    host = compared(api, hostid)
    assert (host["host"], host["name"], host["status"]) == (NAME, NAME, "0")
    assert host["hostgroups"] == [{"groupid": created[1]}]
    assert host["parentTemplates"] == [{"templateid": templateid}]
    assert host["inventory_mode"] == "0" and host["inventory"] == INVENTORY
    without_secret = [MACROS[0], {k: v for k, v in MACROS[1].items() if k != "value"}]
    assert sorted(host["macros"], key=lambda it: it["macro"]) == without_secret
    assert host["tags"] == TAGS
    assert (host["ipmi_username"], host["ipmi_privilege"], host["ipmi_authtype"]) == ("admin", "4", "6")
    assert {host["proxyid"], host["proxy_groupid"], host["monitored_by"]} == {"0"}
    (interface,) = host["interfaces"]
    for key, value in SNMP.items():
        if key != "main":
            assert interface[key] == (value if key == "details" else str(value)), key

    # Differences are corrected, one call each.
    api.hostinterface.update({"interfaceid": interface["interfaceid"], "ip": "192.0.2.41", "details": {
        **SNMP["details"], "community": "other",
    }})
    update = {
        "groups": [{"groupid": it} for it in created], "status": "1", "inventory_mode": "1",
        "inventory": {**INVENTORY, "asset_tag": "A-18"}, "macros": MACROS[:1], "tags": [], "description": "moved",
    }
    for field, value in update.items():
        assert api.host.update(**{"hostid": hostid, field: value}) == {"hostids": [hostid]}, field
    changed = compared(api, hostid)
    assert sorted(it["groupid"] for it in changed["hostgroups"]) == sorted(created)
    assert (changed["status"], changed["inventory_mode"], changed["description"]) == ("1", "1", "moved")
    assert changed["inventory"]["asset_tag"] == "A-18"
    assert changed["macros"] == MACROS[:1] and changed["tags"] == []
    assert changed["interfaces"][0]["ip"] == "192.0.2.41"
    assert changed["interfaces"][0]["details"]["community"] == "other"
    api.host.update(hostid=hostid, templates=[], templates_clear=[{"templateid": templateid}])
    assert compared(api, hostid)["parentTemplates"] == []

    # A refusal of Zabbix is an error with its reason.
    with pytest.raises(APIRequestError, match="already exists"):
        api.host.create(host=NAME, groups=[{"groupid": created[0]}])
    assert api.host.get(filter={"hostid": hostid}, output=[]) == [{"hostid": hostid}]
    assert api.host.delete(hostid) == {"hostids": [hostid]}
    assert api.host.get(filter={"hostid": hostid}, output=[]) == []
    api.hostgroup.delete(*created)
    api.logout()
