# SPDX-License-Identifier: MIT
# make_manual.sh BIN TO: makes man pages (TO/man1), and completion for bash (TO/bash) and zsh (TO/zsh), of the programs in the
# folder BIN, from the tables of docs/make_options.sh. `cmake --install` brings them; tests/docs/options.sh checks them.
set -e
bin=$1
to=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$to/man1" "$to/bash" "$to/zsh"
if ! "$bin/tgraph" --version >"$to/version" 2>&1; then
    echo "make_manual: the programs are for another processor than this one, so there are no man pages and no completion"
    exit 0
fi

sh "$here/make_options.sh" "$bin" >"$to/options.md"
awk -v to="$to" -v version="$(sed 's/.* //' "$to/version")" '
function trim(s) { gsub(/^ +| +$/, "", s); return s }
function roff(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); return s ~ /^[.\x27]/ ? "\\&" s : s }
function quoted(s) { gsub(/\x27/, "\x27\\\x27\x27", s); return "\x27" s "\x27" }

function begin(name) {
    program = name
    title = toupper(name)
    man = to "/man1/" name ".1"
    bash = to "/bash/" name
    zsh = to "/zsh/_" name
    commands = about = described = ""
}

# When the table of commands is over.
function head() {
    described = 1
    print ".TH " title " 1 \"\" \"Augur " version "\" \"User Commands\"\n.SH NAME\n" program " \\- " roff(about) >man
    print ".SH SYNOPSIS\n.B " program "\n.I COMMAND\n.RI [ options ]\n.SH COMMANDS" list >man
    print ".SH OPTIONS\nIn brackets: the commands that take the option, if not all do." >man
    print "# bash completion of " program ", made from its options by docs/make_manual.sh\n_augur_" program "() {" >bash
    print "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= words=-" >bash
    print "    [ \"$current\" = = ] && current=\n    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}" >bash
    print "    _augur_option() { # COMMANDS NAME WORDS; WORDS are - of a flag, none of any text" >bash
    print "        [[ \" $1 \" = *\" ${COMP_WORDS[1]} \"* ]] || return\n        options+=\" $2\"" >bash
    print "        [ \"$before\" != \"$2\" ] || words=$3\n    }" >bash
    print "#compdef " program "\n# made from the options of " program " by docs/make_manual.sh" >zsh
    print "local before=$words[CURRENT-1] kind=-\nlocal -a options commands=(" zsh_list "\n)" >zsh
    print "if (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi" >zsh
    print "_augur_option() { # COMMANDS NAME WORDS HELP; WORDS are - of a flag, none of any text" >zsh
    print "    [[ \" $1 \" == *\" $words[2] \"* ]] || return 0\n    options+=(\"$2:$4\")" >zsh
    print "    [[ $before != $2 ]] || kind=$3\n}" >zsh
    list = zsh_list = ""
}

function option(left, value, whose, text,    name, meta, words, n, parts, i) {
    name = left
    sub(/ .*/, "", name)
    meta = trim(substr(left, length(name) + 1))
    words = "-"
    if (meta != "") words = ""
    if (meta ~ /\|/) { words = meta; gsub(/\|/, " ", words) }
    if (meta == "WORD") { words = text; sub(/.*: /, "", words) }
    print ".TP\n" (meta == "" ? ".B " roff(name) : ".BI " roff(name) " \" " roff(meta) "\"") >man
    print roff(text) (value == "" ? "" : " (" roff(value) ")") (whose == "all" ? "" : " [" roff(whose) "]") >man
    if (whose == "all") whose = commands
    n = split(name, parts, /\[no-\]/)
    parts[1] = n == 2 ? "--" parts[2] : name
    if (n == 2) parts[2] = "--no-" parts[2]
    for (i = 1; i <= n; i++) {
        print "    _augur_option " quoted(whose) " " parts[i] " " quoted(words) >bash
        print "_augur_option " quoted(whose) " " parts[i] " " quoted(words) " " quoted(text) >zsh
    }
}

function finish() {
    print ".SS general" >man
    option("--config FILE.ini", "", "all", "read options from lines \"name = value\"; flags win over it")
    option("--help", "", "all", "show the most used options")
    option("--help-all", "", "all", "show all options")
    print ".SH EXIT STATUS\n0 ok, 1 failed, 2 usage, 3 bad or missing data, 4 not finite, 5 out of memory,\n" \
        "6 no such device, 130 interrupted (after saving)." >man
    print ".SH SEE ALSO\n.BR tgraph (1),\n.BR tpu (1),\n.BR tpgnn (1),\n.BR nests (1),\n.BR lab (1)" >man
    print "    [ \"$words\" != - ] || { words=; [[ $current != -* ]] || words=$options; }" >bash
    print "    [ \"$COMP_CWORD\" != 1 ] || words=" quoted(commands " --help --version") >bash
    print "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}" >bash
    print "complete -o default -F _augur_" program " " program >bash
    print "if [[ $kind != - && -n $kind ]]; then\n    compadd -- ${=kind}" >zsh
    print "elif [[ $kind = - && $words[CURRENT] = -* ]]; then\n    _describe -o option options\nelse\n    _files\nfi" >zsh
}

{ gsub(/\\\|/, "\001") }
/^## / { if (program != "") finish(); begin(substr($0, 4)); next }
program == "" || /^\|-/ || /^\| (command|option) \|/ || /^$/ { next }
/^### / { if (!described) head(); print ".SS " substr($0, index($0, ":") + 2) >man; next }
!/^\|/ { about = $0; sub(/\.$/, "", about); next }
{
    gsub(/`/, "")
    n = split($0, cell, "|")
    for (i = 1; i <= n; i++) { cell[i] = trim(cell[i]); gsub(/\001/, "|", cell[i]) }
}
!described {
    commands = commands (commands == "" ? "" : " ") cell[2]
    list = list "\n.TP\n.B " cell[2] "\n" roff(cell[3])
    zsh_list = zsh_list "\n    " quoted(cell[2] ":" cell[3])
    next
}
{ option(cell[2], cell[3], cell[4], cell[5]) }
END { finish() }' "$to/options.md"
