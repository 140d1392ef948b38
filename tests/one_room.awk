# awk -f one_room.awk src/ROOM/*.cpp: files of a room may be compiled as one (cmake/room.cmake), so what their unnamed
# namespaces define must differ. Says what does not, and fails.
function defined(text) {
  sub(/^template <[^>]*> */, "", text)
  if (match(text, /^(struct|class|enum class|enum|union) [A-Za-z_0-9]+/)) return substr(text, 1, RLENGTH)
  sub(/[{;=].*/, "", text)
  gsub(/ +/, " ", text)
  sub(/ $/, "", text)
  return text
}
FNR == 1 { inside = 0; text = "" }
/^namespace \{/ { inside = 1; next }
/^}  \/\/ namespace$/ { inside = 0 }
!inside || /^(\/\/|#|}|$)/ || /^namespace / { text = ""; next }
/^[^ ]/ || text != "" {
  line = $0
  sub(/^ +/, "", line)
  text = text == "" ? line : text " " line
  if (text ~ /^template <[^>]*>$/ || text !~ /[{;]/) next
  what = defined(text)
  text = ""
  if (what !~ /[A-Za-z]/) next  # of a text over several lines
  if (what in where && where[what] != FILENAME) {
    print FILENAME ": " what ", as in " where[what] ": files of a room may be compiled as one, so choose another name"
    failed = 1
  }
  where[what] = FILENAME
}
END { exit failed }
