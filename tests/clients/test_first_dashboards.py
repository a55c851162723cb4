"""What a client finds of dashboards on a server that was never used."""

import pytest
from harness import Server
from zabbix_utils import ZabbixAPI


@pytest.fixture(scope="module")
def api(tmp_path_factory) -> ZabbixAPI:
    server = Server(tmp_path_factory.mktemp("first") / "data")
    try:
        server.wait_until_ready()
        yield server.api()
    finally:
        server.end()


def test_a_new_server_has_one_public_dashboard(api):
    [found] = api.dashboard.get(output="extend", selectPages="extend")
    assert found["name"] == "Global view"
    assert (found["private"], found["userid"]) == ("0", "1")
    kinds = {it["type"] for page in found["pages"] for it in page["widgets"]}
    wanted = {"problemsbysv", "problems", "hostavail", "tophosts", "systeminfo", "clock"}
    assert wanted <= kinds


def test_everybody_sees_it_and_only_its_owner_changes_it(api):
    [group] = api.usergroup.create(name="Readers")["usrgrpids"]
    password = "a quite long password 17"
    api.user.create(
        username="reader", passwd=password, roleid="1", usrgrps=[{"usrgrpid": group}]
    )
    reader = ZabbixAPI(url=str(api.url))
    reader.login(user="reader", password=password)
    [seen] = reader.dashboard.get(output=["name"])
    assert seen["name"] == "Global view"
    assert reader.dashboard.get(output=["name"], editable=True) == []


def test_each_bundled_template_has_a_dashboard_that_its_hosts_show(api):
    templates = api.template.get(output=["host"], selectDashboards=["name"])
    by_name = {it["host"]: [one["name"] for one in it["dashboards"]] for it in templates}
    assert by_name == {
        "Linux by agent": ["System"],
        "Generic ICMP": ["Ping"],
        "Generic SNMP": ["Network device"],
        "Saker server health": ["Server"],
    }
    [own] = api.host.get(filter={"host": "Saker server"}, selectDashboards=["name"])
    assert sorted(it["name"] for it in own["dashboards"]) == ["Server", "System"]


def test_exported_and_imported_they_are_the_same(api):
    [template] = api.template.get(filter={"host": "Linux by agent"}, output=["templateid"])
    source = api.configuration.export(
        format="json", options={"templates": [template["templateid"]]}
    )
    changes = api.configuration.importcompare(
        format="json",
        source=source,
        rules={"templateDashboards": {"createMissing": True, "updateExisting": True}},
    )
    assert changes == []
