"""Ansible's community.zabbix.zabbix_host: a host with an agent interface and an inventory, made, made
again, changed, removed, removed again."""

import json
import os
import subprocess
import sys

import pytest

HOST = {
    "host_name": "ansible.example.com",
    "visible_name": "By Ansible",
    "description": "made by a playbook",
    "host_groups": ["Linux servers", "Virtual machines"],
    "link_templates": ["Linux by agent"],
    "status": "enabled",
    "state": "present",
    "inventory_mode": "manual",
    "inventory_zabbix": {"location": "cellar", "os": "Debian", "serialno_a": "12-34"},
    "interfaces": [
        {"type": "agent", "main": 1, "useip": 1, "ip": "192.0.2.7", "dns": "", "port": "10050"},
    ],
    "macros": [{"macro": "{$LIMIT}", "value": "7"}],
    "tags": [{"tag": "owner", "value": "jane"}],
}
GONE = {"host_name": HOST["host_name"], "state": "absent"}


@pytest.fixture
def ansible(server, tmp_path):
    """Runs a playbook of tasks with these arguments; whether each says that it changed something."""
    variables = {
        "ansible_network_os": "community.zabbix.zabbix",
        "ansible_connection": "httpapi",
        "ansible_host": "127.0.0.1",
        "ansible_httpapi_port": server.http_port,
        "ansible_httpapi_use_ssl": False,
        # Nothing but our own path, although Zabbix's usual one works as well.
        "ansible_zabbix_url_path": "",
        "ansible_user": "Admin",
        "ansible_httpapi_pass": server.password,
        "ansible_python_interpreter": sys.executable,
    }
    inventory = tmp_path / "inventory.json"
    inventory.write_text(json.dumps({"all": {"hosts": {"zabbix": variables}}}))
    environment = {
        **os.environ, "HOME": str(tmp_path), "ANSIBLE_HOME": str(tmp_path / "ansible"),
        "ANSIBLE_LOCAL_TEMP": str(tmp_path / "local"), "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
        "ANSIBLE_PERSISTENT_CONTROL_PATH_DIR": str(tmp_path / "control"),
        "LC_ALL": "C.UTF-8",
    }
    program = os.path.join(os.path.dirname(sys.executable), "ansible-playbook")

    def run(*hosts: dict) -> list[bool]:
        tasks = [{"community.zabbix.zabbix_host": it} for it in hosts]
        playbook = tmp_path / "playbook.yml"
        # JSON is YAML.
        playbook.write_text(json.dumps([{"hosts": "zabbix", "gather_facts": False, "tasks": tasks}]))
        done = subprocess.run(
            [program, "-i", str(inventory), str(playbook)], cwd=tmp_path, env=environment, text=True,
            capture_output=True, timeout=300, stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        (play,) = json.loads(done.stdout)["plays"]
        return [it["hosts"]["zabbix"]["changed"] for it in play["tasks"]]

    return run


def test_ansible(api, ansible):
    def found() -> list[dict]:
        return api.host.get(
            filter={"host": HOST["host_name"]}, selectInventory="extend",
            output=["hostid", "host", "name", "description", "status", "inventory_mode"],
            # Not whether it answers: there is no such machine.
            selectInterfaces=["interfaceid", "type", "main", "useip", "ip", "dns", "port", "details"],
            selectHostGroups=["name"], selectMacros="extend",
            selectTags="extend", selectParentTemplates=["host"],
        )

    assert ansible(HOST) == [True], "created"
    (made,) = found()
    assert (made["name"], made["description"]) == ("By Ansible", "made by a playbook")
    assert sorted(it["name"] for it in made["hostgroups"]) == ["Linux servers", "Virtual machines"]
    assert [it["host"] for it in made["parentTemplates"]] == ["Linux by agent"]
    (interface,) = made["interfaces"]
    assert [interface[it] for it in ("type", "ip", "port")] == ["1", "192.0.2.7", "10050"]
    assert [(it["macro"], it["value"]) for it in made["macros"]] == [("{$LIMIT}", "7")]
    assert [(it["tag"], it["value"]) for it in made["tags"]] == [("owner", "jane")]
    assert made["inventory_mode"] == "0"
    inventory = {key: value for key, value in made["inventory"].items() if value}
    assert inventory.items() >= HOST["inventory_zabbix"].items()

    moved = {**HOST, "inventory_zabbix": {**HOST["inventory_zabbix"], "location": "attic"}}
    assert ansible(HOST, moved) == [False, True], "there already, and changed"
    made["inventory"]["location"] = "attic"
    assert found() == [made]

    assert ansible(GONE, GONE) == [True, False], "removed, and gone already"
    assert found() == []
