#!/bin/sh
# Makes one private include root per library: a folder of links to the libraries it may include, and no others, so that
# an include against the layer diagram does not compile.
#   include-farm.sh SOURCE_ROOT BUILD_ROOT LIBRARY ALLOWED...
set -eu
source=$1 build=$2 library=$3
shift 3
root=$build/inc/$library
rm -rf "$root"
mkdir -p "$root"
for folder in "$@"; do
    case $folder in
        */*) mkdir -p "$root/${folder%/*}" && ln -s "$source/$folder" "$root/$folder" ;;
        *) ln -s "$source/$folder" "$root/$folder" ;;
    esac
done
