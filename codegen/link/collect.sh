#!/bin/sh
# Puts what every executable is linked with beside the compiler: the start files and archives of the C library and the
# C compiler, so that programs are linked on machines that have neither's development files.
#   collect.sh FOLDER COMPILER...
set -eu
folder=$1
shift
mkdir -p "$folder"
for file in Scrt1.o crti.o crtn.o crtbeginS.o crtendS.o libc_nonshared.a libgcc.a; do
    path=$("$@" -print-file-name="$file")
    if [ ! -f "$path" ]; then
        echo "the C compiler does not know $file" >&2
        exit 1
    fi
    cp -f "$path" "$folder/$file"
done
# The runtime is built later; it is where the build puts it.
ln -sf ../../runtime/libtessera_rt.a "$folder/libtessera_rt.a"
