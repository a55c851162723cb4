"""Clients of the API that are programs: Ansible's collection community.zabbix, zabbix-cli."""

import json
import os
import pathlib
import subprocess
import sys

from harness import Server

# Of a playbook or a list of commands: so that a test ends that waits for ever, not to find a slow one.
PLAY_S = 1_200
HERE = os.path.dirname(sys.executable)


class Ansible:
    """Runs playbooks."""

    def __init__(self, server: Server, folder: pathlib.Path) -> None:
        self.folder = folder
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
        self.inventory = folder / "inventory.json"
        self.inventory.write_text(json.dumps({"all": {"hosts": {"zabbix": variables}}}))
        self.environment = {
            **os.environ, "HOME": str(folder), "ANSIBLE_HOME": str(folder / "ansible"),
            "ANSIBLE_LOCAL_TEMP": str(folder / "local"), "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
            "ANSIBLE_PERSISTENT_CONTROL_PATH_DIR": str(folder / "control"), "LC_ALL": "C.UTF-8",
            # The process that holds the connection ends, and its socket with it, when no task came for 30 s, and a task
            # waits 15 s for its start: on a busy machine a task finds none. It ends with the play in any case.
            "ANSIBLE_PERSISTENT_CONNECT_TIMEOUT": str(PLAY_S), "ANSIBLE_PERSISTENT_COMMAND_TIMEOUT": str(PLAY_S - 1),
            "ANSIBLE_PERSISTENT_CONNECT_RETRY_TIMEOUT": str(PLAY_S),
        }

    def __call__(self, module: str, *tasks: dict) -> list[bool]:
        """Whether each of the tasks says that it changed something."""
        return self.play([(module, it) for it in tasks])

    def play(self, tasks: list[tuple[str, dict]]) -> list[bool]:
        """Modules and what they are to do, in one playbook: whether each says that it changed something."""
        tasks = [{f"community.zabbix.{module}": it} for module, it in tasks]
        playbook = self.folder / "playbook.yml"
        # JSON is YAML.
        playbook.write_text(json.dumps([{"hosts": "zabbix", "gather_facts": False, "tasks": tasks}]))
        done = subprocess.run(
            [os.path.join(HERE, "ansible-playbook"), "-i", str(self.inventory), str(playbook)],
            cwd=self.folder, env=self.environment, text=True, capture_output=True, timeout=PLAY_S,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        (play,) = json.loads(done.stdout)["plays"]
        return [it["hosts"]["zabbix"]["changed"] for it in play["tasks"]]


class ZabbixCli:
    """Runs commands, as from a file that its option -f names."""

    def __init__(self, server: Server, folder: pathlib.Path) -> None:
        self.folder = folder
        self.config = folder / "zabbix-cli.toml"
        self.config.write_text(f"""
            [api]
            url = "{server.url}"
            username = "Admin"
            password = "{server.password}"
            [app]
            use_session_file = false
            use_auth_file = false
            [app.output]
            color = false
        """)

    def __call__(self, *commands: str) -> list:
        """The result of each of them."""
        file = self.folder / "commands"
        file.write_text("".join(f"{it}\n" for it in commands))
        done = subprocess.run(
            [os.path.join(HERE, "zabbix-cli"), "-c", str(self.config), "-o", "json", "-f", str(file)],
            env={**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}, text=True,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=PLAY_S,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        answers = list(documents(done.stdout))
        for command, answer in zip(commands, answers, strict=True):
            assert answer["return_code"] == "Done", f"{command}: {answer}"
        return [it["result"] for it in answers]


def documents(text: str):
    """JSON documents that follow each other."""
    decoder = json.JSONDecoder()
    text = text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        yield document
        text = text[end:].strip()
