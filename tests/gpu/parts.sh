# SPDX-License-Identifier: MIT
# Functions that the parts of run.sh share: limits of time, logs, and the tables of summary.md. Read by run.sh; $out is the folder,
# $total the seconds that all of it may
# take, $slower how many times longer than a GPU a part may.
start=$(date +%s)
failures=0   # checks that did not pass
left_out=""  # what was not done, a line each
summary=$out/summary.md

passed_seconds() { echo $(($(date +%s) - start)); }
write() { printf '%s\n' "$@" >>"$summary"; }
say() { echo "== $1 ($(passed_seconds) s)"; }
leave_out() { # leave_out SENTENCE
    echo "left out: $1"
    left_out="$left_out- $1
"
}

# part NAME TITLE SECONDS [RESERVE]: what follows is logged in NAME.log and ends after SECONDS, or when only RESERVE seconds
# of the whole are left.
part() {
    log=$out/$1.log
    ends=$(($(date +%s) + $3 * slower))
    last=$((start + total - ${4:-5}))
    most=""
    [ $ends -le $last ] || ends=$last
    say "$2"
    write "" "## $2" ""
}

# within COMMAND...: its output is logged. The command's status; 124 when the part's time is up, or the time of one command
# ($most seconds, where a part sets it).
within() {
    seconds=$((ends - $(date +%s)))
    took=0
    [ "${most:-$seconds}" -ge $seconds ] || seconds=$most
    printf '\n$ %s\n' "$*" >>"$log"
    if [ $seconds -lt 1 ]; then
        echo "no time is left for this" >>"$log"
        return 124
    fi
    began=$(date +%s)
    timeout -k 5 $seconds "$@" >>"$log" 2>&1
    status=$?
    took=$(($(date +%s) - began))
    [ $status = 137 ] && status=124
    echo "(exit status $status after $took s)" >>"$log"
    return $status
}

table() { # table HEADING...: begins one
    row=""
    line=""
    for cell in "$@"; do
        row="$row| $cell "
        line="$line|---"
    done
    write "$row|" "$line|"
}

word_of() { # word_of STATUS
    case $1 in
    0) echo passed ;;
    124) echo "**not finished in time**" ;;
    *) echo "**failed** (exit status $1)" ;;
    esac
}

# check NAME COMMAND...: a row `NAME | passed | seconds`.
check() {
    name=$1
    shift
    took=0
    within "$@"
    result $? "$name"
}

# result STATUS NAME: the row of a command that has run.
result() {
    write "| $2 | $(word_of "$1") | ${took:-0} |"
    [ "$1" = 0 ] && return 0
    failures=$((failures + 1))
    echo "$2: $(word_of "$1" | tr -d '*'); see $log"
    return 1
}

# built PROGRAM: it is there; else a row that says so.
built() {
    [ -x "$1" ] && return 0
    took=0
    result 127 "$(basename "$1"), which is not built"
    return 1
}

# quote FILE: its lines, as they are.
quote() { write '```' "$(cat "$1")" '```'; }
