# launcher.sh: what ./glug and ./test share: Debian packages, one build at a time, a quiet build with a log.
# Sourced with `root` set to the repository; `name` is what messages are prefixed with.

say() { echo "$name: $*" >&2; }
die() { say "$*"; exit 2; }

# missing_packages [SECTION]: packages of packages.txt, up to its first [section] or also in SECTION, that are
# not installed.
missing_packages() {
  local wanted
  wanted=$(awk -v wanted="${1:-}" '/^\[/ { skip = $1 != "[" wanted "]"; next } !skip { sub(/#.*/, ""); print }' \
    "$root/packages.txt" | tr -s ' \t\n' ' ')
  local package status
  for package in $wanted; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=absent
    [ "$status" = installed ] || echo "$package"
  done
}

install_packages() {
  local missing section=${1:-}
  if ! command -v dpkg-query >/dev/null; then
    say "this is not Debian: install the equivalents of packages.txt yourself if the build fails"
    return
  fi
  missing=$(missing_packages "$section" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing and you may not install them: $missing
  Ask an administrator to run: apt-get install --no-install-recommends $missing"
    if [ -t 0 ]; then as_root=(sudo); else as_root=(sudo -n); fi
    "${as_root[@]}" true || die "these packages are missing and sudo does not let you install them: $missing
  Ask an administrator to run: apt-get install --no-install-recommends $missing"
  fi
  mkdir -p "$root/build"
  local log=$root/build/install.log
  say "installing $(wc -w <<<"$missing") Debian packages: $missing"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600)
  : >"$log"
  # The package lists are fetched only when they are absent or too old to serve.
  if ! "${apt[@]}" -s install --no-install-recommends $missing >>"$log" 2>&1 ||
     ! "${apt[@]}" install --no-install-recommends $missing >>"$log" 2>&1; then
    if ! "${apt[@]}" update >>"$log" 2>&1 ||
       ! "${apt[@]}" install --no-install-recommends $missing >>"$log" 2>&1; then
      tail -n 20 "$log" >&2
      die "could not install the packages; the full log is $log"
    fi
  fi
  rm -f "$root"/build/*/build.ninja  # so that configure looks for them again
}

# build_page: the page of `glug view`, by npm, when its sources are newer than it. The program needs none of it
# before that, and says what is missing if this fails.
build_page() {
  local page=$root/build/viewer/index.html log=$root/build/viewer.log
  if [ -f "$page" ] && [ -z "$(find "$root/viewer" -name node_modules -prune -o -type f -newer "$page" -print -quit)" ]; then
    return
  fi
  if ! command -v npm >/dev/null; then (install_packages view) || true; fi
  if ! command -v npm >/dev/null; then say "npm is missing: the page of glug view cannot be built"; return; fi
  say "building the page (log: $log)"
  (cd "$root/viewer" && { [ node_modules/.package-lock.json -nt package-lock.json ] ||
    npm ci --omit=dev --no-audit --no-fund; } && npm run build) >"$log" 2>&1 ||
    { tail -n 10 "$log" >&2; say "the page of glug view was not built"; }
}

# lock_build: waits until no other launcher builds in this checkout.
lock_build() {
  mkdir -p "$root/build" || die "cannot write to $root/build: build in a checkout you own"
  exec 9>"$root/build/.lock"
  if ! flock -n 9; then
    say "waiting for another build of this checkout"
    flock 9
  fi
}
unlock_build() { exec 9>&-; }

# configure PRESET OPTION...: only when there is no build yet, or an option has another value there.
configure() {
  local preset=$1 folder=$root/build/$1 option fresh=yes
  shift
  if [ -f "$folder/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"  # the checkout was moved: everything in there points elsewhere
  fi
  if [ -f "$folder/build.ninja" ]; then
    fresh=no
    for option in "$@"; do grep -qxF "${option#-D}" "$folder/CMakeCache.txt" || fresh=yes; done
  fi
  [ $fresh = yes ] || return 0
  mkdir -p "$folder"
  if ! (cd "$root" && cmake --preset "$preset" "$@") >"$folder/configure.log" 2>&1; then
    tail -n 30 "$folder/configure.log" >&2
    die "could not configure the build; the full log is $folder/configure.log"
  fi
}

# build PRESET TARGET...: quiet; one line once it takes more than a moment, live where there is a terminal.
build() {
  local folder=$root/build/$1 log=$root/build/$1/build.log pid status ticks=0 step
  shift
  NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "$@" >"$log" 2>&1 9>&- &
  pid=$!
  trap 'kill $pid 2>/dev/null; wait $pid; exit 130' INT TERM
  while kill -0 $pid 2>/dev/null; do
    sleep 0.1
    ticks=$((ticks + 1))
    if [ -t 2 ]; then
      if [ $ticks -gt 5 ] && [ $((ticks % 5)) -eq 0 ]; then
        step=$(grep -oE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 1)
        printf '\r%s: building %s ' "$name" "$step" >&2
      fi
    elif [ $ticks -eq 10 ]; then
      say "building (log: $log)"
    fi
  done
  wait $pid
  status=$?
  trap - INT TERM
  if [ -t 2 ] && [ $ticks -gt 5 ]; then printf '\r\033[K' >&2; fi
  if [ $status -ne 0 ]; then
    grep -A 20 -m 1 -E '^FAILED|error:' "$log" >&2 || tail -n 20 "$log" >&2
    die "the build failed; the full log is $log"
  fi
}
