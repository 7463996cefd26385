#!/bin/sh
# Makes one archive of object files and zlib, so that an executable needs no other file to be linked.
#   bundle.sh ARCHIVE OBJECT...
set -eu
out=$1
shift
zlib=$(${CC:-cc} -print-file-name=libz.a)
[ "$zlib" != libz.a ] || { echo "bundle.sh: libz.a is missing (Debian: zlib1g-dev)" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && ar x "$zlib")
rm -f "$out"
ar rcs "$out" "$@" "$folder"/*.o
