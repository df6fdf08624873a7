#!/bin/sh
# Builds fuzz_native, or the program named as the second argument, with AddressSanitizer and
# UndefinedBehaviorSanitizer; prints where it is.
# Files are read through a window of RELYON_WINDOW bytes, so small that every input crosses its borders.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$root/build/fuzz}
program=${2:-fuzz_native}
compiler=${CXX:-c++}
mkdir -p "$folder"
rm -f "$folder/$program"
flags="-std=c++20 -O2 -g -Wall -Wextra -Wshadow -ffp-contract=off -fno-math-errno -pthread \
  -DRELYON_WINDOW=${RELYON_WINDOW:-512} -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
objects=""
# What does not speak Python, directly or by what it includes.
for source in $(grep -LE 'nanobind|"bind.hpp"|"sources.hpp"|"arrow|"click' "$root"/native/*.cpp); do
  object=$folder/$(basename "$source" .cpp).o
  if [ ! -e "$object" ] || [ -n "$(find "$root/native" -name '*.[hi]*' -newer "$object" | head -n 1)" ] ||
    [ "$source" -nt "$object" ]; then
    # shellcheck disable=SC2086
    "$compiler" $flags -c "$source" -o "$object"
  fi
  objects="$objects $object"
done
# shellcheck disable=SC2086
"$compiler" $flags -I "$root/native" "$root/tests/fuzz/$program.cpp" $objects -o "$folder/$program"
echo "$folder/$program"
