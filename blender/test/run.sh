#!/usr/bin/env bash
# run.sh PROGRAM: the tests of the add-on in a Blender without windows; 77 and a word where there is none.
set -u
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v blender >/dev/null; then echo "skipped: no blender on this machine (apt-get install blender)"; exit 77; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
blender -b --factory-startup --python-exit-code 1 -P "$here/round_trip_test.py" -- "$(realpath "$1")" "$folder"
