"""An official template, imported as it was downloaded, watches a machine."""

import pytest
import yaml
from harness import FIRST_CHECK, ROOT, wait_for
from steps import AGENT, create_host, execute_now, items, template, wait_for_values

FILE = ROOT.parent / "shared/templates/v7.0/template_os_linux.yaml"

# The defaults of the import dialog of the pages, and of Zabbix's.
NEW = {"createMissing": True, "updateExisting": True}
NEW_OR_GONE = {**NEW, "deleteMissing": True}
RULES = {
    "template_groups": NEW, "templates": NEW,
    "templateLinkage": {"createMissing": True, "deleteMissing": True},
    "valueMaps": NEW_OR_GONE, "items": NEW_OR_GONE, "discoveryRules": NEW_OR_GONE,
    "triggers": NEW_OR_GONE, "graphs": NEW_OR_GONE, "httptests": NEW_OR_GONE,
    "templateDashboards": NEW_OR_GONE,
}


@pytest.mark.skipif(not FILE.exists(), reason=f"there is no {FILE}")
def test_template_import(server, api, peers):
    text = FILE.read_text()
    export = yaml.safe_load(text)["zabbix_export"]
    (official,) = export["templates"]
    for _ in range(2):
        # The second time it is all there.
        assert api.configuration.import_(format="yaml", source=text, rules=RULES) is True
    name = official["template"]
    (found,) = api.template.get(
        filter={"host": name}, output=["name"], selectItems=["key_"],
        selectTriggers=["description"], selectDiscoveries=["key_"], selectMacros=["macro"],
    )
    # Triggers of several items are outside of the template.
    triggers = [*export["triggers"], *[
        trigger for item in official["items"] for trigger in item.get("triggers", [])
    ]]
    for what, field, expected in (
        ("items", "key_", [it["key"] for it in official["items"]]),
        ("discoveries", "key_", [it["key"] for it in official["discovery_rules"]]),
        ("macros", "macro", [it["macro"] for it in official["macros"]]),
        ("triggers", "description", [it["name"] for it in triggers]),
    ):
        assert sorted(it[field] for it in found[what]) == sorted(expected), what

    _agent, port = peers.agent("zabbix_agentd")
    hostid = create_host(
        api, "official", interfaces=[{**AGENT, "port": str(port)}],
        templates=[{"templateid": template(api, name)}],
    )
    execute_now(api, hostid)
    wait_for(
        lambda: any(it.startswith("vfs.fs.dependent.size[") for it in items(api, hostid)),
        "discovery has found file systems", server, FIRST_CHECK,
    )
    found = wait_for_values(
        server, api, hostid, "agent.ping", "system.uptime", "vm.memory.size[total]",
        *[it for it in items(api, hostid) if it.startswith("vfs.fs.dependent.size[")],
    )
    assert found["agent.ping"]["lastvalue"] == "1"
    assert int(found["system.uptime"]["lastvalue"]) > 0
    sizes = {key: it["lastvalue"] for key, it in found.items() if key.startswith("vfs.fs.dep")}
    assert any(key.endswith(",total]") and int(it) > 0 for key, it in sizes.items()), sizes
