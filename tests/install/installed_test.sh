#!/usr/bin/env bash
# An installed Glug is enough to build examples/ in an empty folder, and runs what it installed.
#   installed_test.sh BUILD SOURCE     in ctest
set -eu
build=$1 source=$2
folder=$(mktemp -d /tmp/glug_install.XXXXXX)
trap 'rm -rf "$folder"' EXIT
for component in library program scenes; do
  cmake --install "$build" --component $component --prefix "$folder/usr" >"$folder/log" || { cat "$folder/log"; exit 1; }
done
cp -r "$source/examples" "$folder/project"
cmake -S "$folder/project" -B "$folder/project/build" -DCMAKE_PREFIX_PATH="$folder/usr" >"$folder/log" 2>&1 &&
  cmake --build "$folder/project/build" >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
said=$(OMP_NUM_THREADS=1 "$folder/project/build/level")
echo "$said"
[[ $said =~ ^[0-9]+\ particles,\ mean\ height\ 0\.1[0-9]*\ m,\ volume\ 0\.3[23][0-9]*\ m ]] ||
  { echo "that is not what a drop of 0.031 m^2 in a pool of 0.3 m^2 comes to, on 32 cells"; exit 1; }
# The program finds its scenes, manual page and completions where they were installed.
unset GLUG_SCENES
"$folder/usr/bin/glug" list | grep -q '^dam_break ' || { echo "glug list does not know the scenes"; exit 1; }
"$folder/usr/bin/glug" check water_cooler | grep -q '^title' || { echo "an installed scene is refused"; exit 1; }
grep -q '^.TH GLUG 1' "$folder/usr/share/man/man1/glug.1" || { echo "no manual page"; exit 1; }
# Nothing but what glug.h names is seen in the library.
if command -v nm >/dev/null; then
  lib=$(find "$folder/usr" -name 'libglug.so' | head -n 1)
  others=$(nm -D --defined-only -C "$lib" | grep -vE ' (glug::|(vtable|typeinfo|typeinfo name) for glug::)' | grep -E ' [TD] ' || true)
  [ -z "$others" ] || { echo "libglug shows more than its own:"; head -n 5 <<<"$others"; exit 1; }
fi
