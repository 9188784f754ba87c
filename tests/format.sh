# SPDX-License-Identifier: MIT
# format.sh [FILE...]: fails, with its name, when a file, or any of all, is not formatted as .clang-format says. Other versions
# of clang-format differ in details, so without version 14 this is skipped (77).
cd "$(dirname "$0")/.." || exit 1
for tool in clang-format-14 clang-format; do
    "$tool" --version 2>/dev/null | grep -q 'version 14\.' || continue
    files=${*:-$(find . -path ./build -prune -o \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cpp' \) -print)}
    said=$("$tool" --dry-run -Werror $files 2>&1) && exit 0
    wrong=$(echo "$said" | sed -n "s/^\([^:]*\):[0-9]*:[0-9]*: error: .*/format: run $tool -i \1/p" | sort -u)
    echo "${wrong:-$said}"
    exit 1
done
echo "format: clang-format 14 is not installed."
exit 77
