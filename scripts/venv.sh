#!/usr/bin/env bash
# The Python environment of the tests in tests/: .venv with what tests/requirements.txt pins, and
# Ansible's collection for Zabbix.
. "$(dirname "$0")/lib.sh"

requirements=tests/requirements.txt
# The collection is on PyPI only inside of this package, with a hundred others: 54 MB to fetch, of
# which 4 MB are unpacked.
ansible=12.3.0
chdb=26.9.0
collections=(community/zabbix ansible/netcommon ansible/posix ansible/utils)

if newer_than .venv/.installed "$requirements" scripts/venv.sh; then
  say "fetching the API clients"
  rm -rf .venv
  python3 -m venv .venv
  pip=(.venv/bin/python -m pip --quiet --disable-pip-version-check)
  "${pip[@]}" install -r "$requirements"
  # ClickHouse's engine of today. What it depends on is for data frames, which nothing here uses.
  "${pip[@]}" install --no-deps "chdb-core==$chdb"
  "${pip[@]}" download --no-deps --dest .venv/download "ansible==$ansible"
  .venv/bin/python - .venv/download/ansible-*.whl "${collections[@]}" <<'PYTHON'
import sys, sysconfig, zipfile

wheel, *wanted = sys.argv[1:]
prefixes = tuple(f"ansible_collections/{it}/" for it in wanted)
with zipfile.ZipFile(wheel) as packed:
    names = [it for it in packed.namelist() if it.startswith(prefixes) and "/tests/" not in it]
    packed.extractall(sysconfig.get_path("purelib"), names)
PYTHON
  rm -r .venv/download
  touch .venv/.installed
fi
