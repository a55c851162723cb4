"""modbus.get against pymodbus, by `saker agent` and by Zabbix's agent 2, whose plugin has the same key."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from harness import free_ports, program, wait_for
from peers import accepts

DEVICE = pathlib.Path(__file__).parent.parent / "modbus_device.py"


@pytest.fixture
def port(peers) -> int:
    (port,) = free_ports(1)
    process = peers.start("modbus", [sys.executable, DEVICE, str(port)])
    wait_for(lambda: accepts(port, process), "the device listens", process)
    return port


def ours(key: str) -> tuple[str, str]:
    """Whether there is a value, and its text or the reason."""
    command = [os.environ["SAKER_BIN"], "agent", "-t", key]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        return "not supported", done.stderr
    return "value", done.stdout.strip()


def of_agent2(key: str, folder: pathlib.Path) -> tuple[str, str]:
    file = folder / "agent2.conf"
    file.write_text("Server=127.0.0.1\nHostname=modbus\n")
    command = [program("zabbix_agent2"), "-c", file, "-t", key]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return said(done.stdout + done.stderr)


def said(text: str) -> tuple[str, str]:
    """`key   [s|text]`, or `key   [m|ZBX_NOTSUPPORTED] [why]`."""
    if "NOTSUPPORTED" in text:
        return "not supported", text
    kind, rest = re.search(r"\[([a-z])\|(.*)\]\s*$", text, re.DOTALL).groups()
    return kind, rest


def value(text: str):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


CASES = [
    ("1,3,10,1,int16", -215),
    ("1,3,10,1,uint16", 65321),
    ("1,3,20,1,float", 3.14159),
    ("1,3,30,1,uint64", 2**32 + 5),
    ("1,3,50,1,double", 3.141592653589793),
    ("1,3,40,1,uint32", 0x01020304),
    ("1,3,40,1,uint32,le", 0x04030201),
    ("1,3,40,1,uint32,mbe", 0x03040102),
    ("1,3,40,1,uint32,mle", 0x02010403),
    ("1,3,100,5,uint16", [100, 101, 102, 103, 104]),
    ("1,3,100,3,uint16,be,2", [102, 103, 104]),
    ("1,,40011,1,int16", -215),
    ("1,4,3,2,uint16", [300, 400]),
    ("1,,30004,1,uint16", 300),
    ("1,1,0,5,bit", [1, 0, 0, 1, 0]),
    ("1,2,0,5,bit", [1, 0, 1, 0, 1]),
    ("7,3,0,1,uint16", 777),
]


@pytest.mark.parametrize(("parameters", "expected"), CASES)
def test_values(port, tmp_path, parameters, expected):
    key = f"modbus.get[tcp://127.0.0.1:{port},{parameters}]"
    kind, text = ours(key)
    assert kind != "not supported", text
    found = value(text)
    if isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-6)
    else:
        assert found == expected, text
    agent2_kind, agent2_value = of_agent2(key, tmp_path)
    assert agent2_kind != "not supported", agent2_value
    agent2_value = value(agent2_value)
    assert agent2_value == pytest.approx(found, rel=1e-6) if isinstance(found, float) else agent2_value == found


@pytest.mark.parametrize("parameters", ["1,3,199,5,uint16", "1,3,60000,1,uint16"])
def test_refusals_are_reported(port, parameters):
    kind, text = ours(f"modbus.get[tcp://127.0.0.1:{port},{parameters}]")
    assert kind == "not supported"
    assert "exception 2" in text, text
