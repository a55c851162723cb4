"""Real programs from Debian that the server talks to: agents, an SNMP device, the sender."""

import pathlib
import socket
import subprocess

from harness import Process, free_agent_port, free_udp_port, program, wait_for


class Peers:
    """The programs of one test."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self._running: list[Process] = []

    def start(self, name: str, command: list, env: dict | None = None) -> Process:
        process = Process(command, self.folder / f"{name}.log", env)
        self._running.append(process)
        return process

    def stop(self, process: Process) -> None:
        self._running.remove(process)
        process.end()

    def end(self) -> None:
        # All of them, also when one does not end as it should.
        failures = []
        while self._running:
            try:
                self._running.pop().end()
            except Exception as error:  # noqa: BLE001
                failures.append(error)
        assert not failures, failures

    def agent(self, name: str, *lines: str) -> tuple[Process, int]:
        """zabbix_agentd or zabbix_agent2 with the usual file and these lines; and its port."""
        port = free_agent_port()
        file = self.folder / f"{name}.conf"
        settings = [
            f"PidFile={self.folder / name}.pid", "LogType=console", "Server=127.0.0.1",
            "ListenIP=127.0.0.1", f"ListenPort={port}", *lines,
        ]
        flags = []
        if name == "zabbix_agentd":
            settings.append("AllowRoot=1")
            flags = ["-f"]
        else:
            settings.append(f"ControlSocket={self.folder / name}.sock")
        file.write_text("\n".join(settings) + "\n")
        process = self.start(name, [program(name), *flags, "-c", file])
        wait_for(lambda: accepts(port, process), f"{name} listens", process)
        return process, port

    def snmpd(self, *lines: str) -> tuple[Process, int]:
        """An SNMP agent with the community `public` and these lines; and its port."""
        port = free_udp_port()
        file = self.folder / "snmpd.conf"
        settings = ["rocommunity public 127.0.0.1", *lines]
        file.write_text("\n".join(settings) + "\n")
        command = [
            program("snmpd"), "-f", "-Lo", "-C", "-c", file, "-p", self.folder / "snmpd.pid",
            f"udp:127.0.0.1:{port}",
        ]
        process = self.start("snmpd", command, {"SNMP_PERSISTENT_DIR": str(self.folder)})
        asked = [
            program("snmpget"), "-v2c", "-c", "public", "-t", "0.2", "-r", "0",
            f"127.0.0.1:{port}", "1.3.6.1.2.1.1.5.0",
        ]

        def answers() -> bool:
            assert process.is_running(), f"snmpd ended:\n{process.last_lines()}"
            return subprocess.run(asked, capture_output=True).returncode == 0

        wait_for(answers, "snmpd answers", process)
        return process, port


def accepts(port: int, process: Process) -> bool:
    assert process.is_running(), f"it ended:\n{process.last_lines()}"
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def zabbix_sender(server, *arguments: str, stdin: str = "") -> tuple[int, str]:
    """The sender's exit code and what it says."""
    command = [
        program("zabbix_sender"), "-z", "127.0.0.1", "-p", str(server.trapper_port), *arguments,
    ]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr
