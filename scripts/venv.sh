#!/usr/bin/env bash
# The Python environment of the client tests: .venv with what tests/clients/requirements.txt pins.
. "$(dirname "$0")/lib.sh"

requirements=tests/clients/requirements.txt
if newer_than .venv/.installed "$requirements"; then
  say "fetching the API clients"
  rm -rf .venv
  python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$requirements"
  touch .venv/.installed
fi
