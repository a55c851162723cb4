"""The two servers: Debian's Zabbix with its frontend and its PostgreSQL, and Saker's binary.

Everything runs on free ports of 127.0.0.1, keeps its files in one folder, and ends with `end`.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import threading
import time
import urllib.request

from client import Api, go_on
from harness import BINARY, PASSWORD, ROOT, Process, free_agent_port, free_ports, program

FRONTEND = pathlib.Path("/usr/share/zabbix")
# Where scripts/differential.sh has unpacked the package of the server.
ZABBIX = ROOT / ".zabbix/usr"
# The frontend counts ids in a table, and makes the row of a kind with the first object of that kind:
# two calls at once would both make it, and one of them fails.
NEXT_IDS = """
do $$ declare one record; begin
  for one in
    select c.table_name, c.column_name from information_schema.table_constraints t
    join information_schema.constraint_column_usage u using (constraint_name, table_name)
    join information_schema.columns c on c.table_name=t.table_name and c.column_name=u.column_name
    where t.constraint_type='PRIMARY KEY' and c.data_type='bigint' and c.table_name<>'ids'
  loop
    execute format(
      'insert into ids select %L, %L, coalesce(max(%I), 0) from %I on conflict do nothing',
      one.table_name, one.column_name, one.column_name, one.table_name);
  end loop;
end $$
"""
# The server of an own time zone would format times of its own.
ENVIRONMENT = {"TZ": "UTC", "LC_ALL": "C.UTF-8"}
START_SECONDS = 60
QUIET_SECONDS = 120


class NotReady(Exception):
    """A server that did not do in time what it had to."""


def wait_until(is_true, what: str, process: Process, seconds: float = START_SECONDS):
    """Asks again until the answer is true, and returns it."""
    deadline = time.monotonic() + seconds
    while True:
        go_on()
        if not process.is_running():
            raise NotReady(f"{what}: the program has ended\n{process.last_lines()}")
        answer = is_true()
        if answer:
            return answer
        if deadline < time.monotonic():
            raise NotReady(f"not within {seconds} s: {what}\n{process.last_lines()}")
        time.sleep(0.1)


def exchange(port: int, body: dict) -> dict:
    """One request in Zabbix's protocol, one answer."""
    data = json.dumps(body).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as stream:
        stream.sendall(b"ZBXD\x01" + struct.pack("<II", len(data), 0) + data)
        header = _read(stream, 13)
        length = struct.unpack("<II", header[5:])[0]
        return json.loads(_read(stream, length))


def _read(stream: socket.socket, n: int) -> bytes:
    parts = bytearray()
    while len(parts) < n:
        part = stream.recv(n - len(parts))
        if not part:
            raise ConnectionError("the connection was closed before the answer was complete")
        parts += part
    return bytes(parts)


class Server:
    """What both have in common: an API, a trapper port, and a watch host of the runner's own."""

    name = ""
    api: Api
    trapper_port = 0
    process: Process

    def __init__(self) -> None:
        self._guards = 0
        self._guard_host = ""
        self.groupid = ""

    def prepare(self) -> None:
        """The group of all scenarios, and the host whose values show how far the server is."""
        (self.groupid,) = self.api.call("hostgroup.create", {"name": "Differential"})["groupids"]
        host = {"host": "guard", "groups": [{"groupid": self.groupid}]}
        (self._guard_host,) = self.api.call("host.create", host)["hostids"]

    def send(self, rows: list[dict]) -> dict:
        return exchange(self.trapper_port, {"request": "sender data", "data": rows})

    def take_configuration(self) -> None:
        """Until the server works with the configuration as it is now."""
        # A value of an item shows that a reading has ended, but that one may have begun before the
        # last change. The second item is created after it, thus is of a reading that saw all.
        for _ in range(2):
            self._guards += 1
            key = f"guard.{self._guards}"
            item = {"hostid": self._guard_host, "name": key, "key_": key, "type": 2, "value_type": 3}
            self.api.call("item.create", item)
            row = {"host": "guard", "key": key, "value": "1"}
            wait_until(
                lambda row=row: "processed: 1;" in self.send([row])["info"],
                "new items take values", self.process,
            )

    def wait_until_quiet(self) -> None:
        """Until all that was sent has been judged and can be asked for."""
        raise NotImplementedError

    def restart(self) -> None:
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError


class Saker(Server):
    name = "Saker"

    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__()
        self.folder = folder
        self.http_port, self.trapper_port = free_ports(2)
        self._start()
        self.api = Api(f"http://127.0.0.1:{self.http_port}/api_jsonrpc.php", "Admin", PASSWORD)

    def _start(self) -> None:
        command = [
            BINARY, "server", "--data", self.folder / "saker", "--own-host", "false",
            "--http", f"127.0.0.1:{self.http_port}", "--trapper", f"127.0.0.1:{self.trapper_port}",
        ]
        env = {**ENVIRONMENT, "SAKER_ADMIN_PASSWORD": PASSWORD}
        self.process = Process(command, self.folder / "saker.log", env)
        wait_until(lambda: self._get("/health"), "Saker is ready", self.process)

    def _get(self, path: str) -> str:
        try:
            request = urllib.request.Request(f"http://127.0.0.1:{self.http_port}{path}")
            if path == "/metrics":
                request.add_header("Authorization", self.api.bearer())
            with urllib.request.urlopen(request, timeout=10) as it:
                return it.read().decode()
        except OSError:
            return ""

    def wait_until_quiet(self) -> None:
        # Waiting work anywhere, by name; and counts of finished work, which must not grow in
        # between.
        waits = re.compile(
            r"^(?:saker_queue_depth|saker_shard_(?:pending_values|deferred_evaluations_waiting|fetches_waiting)|"
            r"saker_reader_\w+_lag_bytes)(?:\{[^}]*\})? (?!0$)", re.MULTILINE,
        )
        passed = re.compile(r"^(?:saker_queue_in_total|saker_shard_values_total).* (\d+)$", re.MULTILINE)
        before: list[str] = []
        n_equal = 0

        def is_quiet() -> bool:
            nonlocal before, n_equal
            metrics = self._get("/metrics")
            seen = passed.findall(metrics)
            n_equal = n_equal + 1 if seen and seen == before and not waits.search(metrics) else 0
            before = seen
            return 3 <= n_equal

        wait_until(is_quiet, "Saker has judged everything", self.process, QUIET_SECONDS)

    def restart(self) -> None:
        self.process.end(30)
        self._start()

    def end(self) -> None:
        self.process.end(30)


class Zabbix(Server):
    """zabbix_server, PostgreSQL, and the frontend under PHP's own web server."""

    name = "Zabbix"

    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__()
        self.folder = folder
        self._ends = contextlib.ExitStack()
        try:
            self._start_database()
            self._start_frontend()
            self._start_server()
            self._ends.callback(lambda: self.process.end(30))
            self.api = Api(
                f"http://127.0.0.1:{self.http_port}/api_jsonrpc.php", "Admin", "zabbix", is_60=True
            )
        except BaseException:
            self._ends.close()
            raise
        self._lock = threading.Lock()
        self._last_guard = 0

    def _run(self, *command, **more) -> str:
        done = subprocess.run(
            [str(it) for it in command], capture_output=True, text=True, **more
        )
        if done.returncode != 0:
            raise NotReady(f"{command[0]}: {done.stderr}")
        return done.stdout

    def _start_database(self) -> None:
        bins = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not bins:
            raise NotReady("no PostgreSQL server: run scripts/differential.sh")
        self._bin = bins[-1].parent
        folder = self.folder / "postgres"
        folder.mkdir()
        # PostgreSQL refuses to run as root.
        as_owner: list[str] = []
        if os.getuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
            as_owner = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"]
        (self.sql_port,) = free_ports(1)
        self._run(
            *as_owner, self._bin / "initdb", "--pgdata", folder / "data", "--username", "zabbix",
            "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync", cwd=folder,
        )
        # Durability of a test database is worth nothing; speed is.
        fast = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
        command = [
            *as_owner, self._bin / "postgres", "-D", folder / "data", "-k", folder,
            "-p", self.sql_port, "-c", "listen_addresses=127.0.0.1", "-c", "timezone=UTC",
            *(word for it in fast for word in ("-c", it)),
        ]
        postgres = Process(command, self.folder / "postgres.log")
        # SIGTERM would wait for clients to leave; the group's end takes them along.
        self._ends.callback(lambda: postgres.end(30))
        ready = [self._bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.sql_port)]
        wait_until(lambda: subprocess.run(ready).returncode == 0, "PostgreSQL is ready", postgres)
        at = ["-h", "127.0.0.1", "-p", self.sql_port, "-U", "zabbix"]
        self._run(self._bin / "createdb", *at, "zabbix")
        self._psql = [self._bin / "psql", *at, "-d", "zabbix", "-q", "-v", "ON_ERROR_STOP=1", "-At"]
        for name in ["schema", "images", "data"]:
            sql = self._run("zcat", ZABBIX / f"share/zabbix-server-pgsql/{name}.sql.gz")
            self._run(*self._psql, input=sql)
        # Hosts that come with the installation would be checked.
        self.sql("update hosts set status=1 where status=0")
        self.sql(NEXT_IDS)

    def sql(self, statement: str) -> str:
        return self._run(*self._psql, "-c", statement).strip()

    def _start_frontend(self) -> None:
        pages = self.folder / "frontend"
        # A copy, because the place of its settings is a constant in its sources.
        shutil.copytree(FRONTEND, pages, symlinks=True)
        settings = pages / "settings.php"
        constant = pages / "include/classes/core/CConfigFile.php"
        text, n = re.subn(
            r"(const CONFIG_FILE_PATH = )'[^']*'", rf"\1'{settings}'", constant.read_text()
        )
        if n != 1:
            raise NotReady("the frontend keeps its settings at another place than is known")
        constant.write_text(text)
        settings.write_text(f"""<?php
$DB['TYPE'] = 'POSTGRESQL';
$DB['SERVER'] = '127.0.0.1';
$DB['PORT'] = '{self.sql_port}';
$DB['DATABASE'] = 'zabbix';
$DB['USER'] = 'zabbix';
$DB['PASSWORD'] = '';
$DB['SCHEMA'] = '';
$DB['ENCRYPTION'] = false;
$DB['DOUBLE_IEEE754'] = true;
$IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;
""")
        (self.http_port,) = free_ports(1)
        command = [
            program("php"), "-d", "date.timezone=UTC", "-d", "memory_limit=1G",
            "-d", "max_execution_time=300", "-d", "post_max_size=64M", "-d", "opcache.enable_cli=1",
            "-S", f"127.0.0.1:{self.http_port}", "-t", pages,
        ]
        env = {**ENVIRONMENT, "PHP_CLI_SERVER_WORKERS": "4"}
        php = Process(command, self.folder / "php.log", env)
        self._ends.callback(lambda: php.end(10))
        wait_until(lambda: _listens(self.http_port), "the frontend is ready", php)

    def _start_server(self) -> None:
        if not self.trapper_port:
            self.trapper_port = free_agent_port()
        settings = self.folder / "zabbix_server.conf"
        settings.write_text("\n".join([
            "LogType=console", "AllowRoot=1", "DebugLevel=3",
            "ListenIP=127.0.0.1", f"ListenPort={self.trapper_port}", "StatsAllowedIP=127.0.0.1",
            "DBHost=127.0.0.1", f"DBPort={self.sql_port}", "DBName=zabbix", "DBUser=zabbix",
            f"PidFile={self.folder / 'zabbix_server.pid'}", f"SocketDir={self.folder}",
            # One writer: values are judged in the order in which it takes them.
            "StartDBSyncers=1", "CacheUpdateFrequency=1", "HousekeepingFrequency=0",
            # Problems of deleted triggers go after a second, and not at some time within a minute.
            "ProblemHousekeepingFrequency=1",
            "StartPreprocessors=2", "StartLLDProcessors=2", "StartTrappers=4",
            "StartPollers=1", "StartPollersUnreachable=1", "StartPingers=1", "StartDiscoverers=1",
            "StartHTTPPollers=1", "StartHistoryPollers=1", "StartEscalators=1", "StartAlerters=1",
            "CacheSize=64M", "ValueCacheSize=64M",
        ]) + "\n")
        command = [ZABBIX / "sbin/zabbix_server", "-f", "-c", settings]
        self.process = Process(command, self.folder / "zabbix_server.log", ENVIRONMENT)
        wait_until(lambda: _listens(self.trapper_port), "Zabbix is ready", self.process)

    def prepare(self) -> None:
        super().prepare()
        # Its events show that everything before was judged: they are of the one writer too.
        item = {"hostid": self._guard_host, "name": "last", "key_": "last", "type": 2, "value_type": 3}
        self.api.call("item.create", item)
        trigger = {"description": "last", "expression": "last(/guard/last)>0", "type": 1}
        (self._trigger,) = self.api.call("trigger.create", trigger)["triggerids"]

    def _waiting(self) -> int:
        stats = exchange(self.trapper_port, {"request": "zabbix.stats"})["data"]
        return stats["preprocessing_queue"] + stats["lld_queue"]

    def wait_until_quiet(self) -> None:
        # Problems that are closed by hand, names of events: tasks for the server, taken every 5 s.
        tasks = "select count(*) from task where status in (1,2) and type in (1,4,5,6)"
        wait_until(
            lambda: self.sql(tasks) == "0", "no task is open", self.process, QUIET_SECONDS
        )
        wait_until(lambda: self._waiting() == 0, "steps are done", self.process, QUIET_SECONDS)
        self._last_guard += 1
        # The writer takes the oldest values first; nothing of a scenario lies so far ahead.
        clock = int(time.time()) + 5 * 86_400 + self._last_guard
        row = {"host": "guard", "key": "last", "value": "1", "clock": clock, "ns": 0}
        self.send([row])
        asked = f"select count(*) from events where source=0 and objectid={self._trigger} and clock={clock}"
        wait_until(
            lambda: self.sql(asked) == "1", "the last value is judged", self.process, QUIET_SECONDS
        )
        wait_until(lambda: self._waiting() == 0, "discovery is done", self.process, QUIET_SECONDS)

    def restart(self) -> None:
        self.process.end(30)
        self._start_server()

    def end(self) -> None:
        self._ends.close()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False

