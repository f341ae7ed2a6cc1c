#!/bin/sh
# Makes random passwords for compose.yaml, and the URLs that contain them, in the folder secrets/ (or $1). Existing files
# stay as they are. Compose mounts them into containers with their own accounts, which must be able to read them; the
# folder itself admits only its owner.
set -eu
dir=${1:-secrets}
mkdir -p "$dir"
chmod 0700 "$dir"

password() {
  [ -e "$dir/$1" ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$dir/$1"
  cat "$dir/$1"
}
url() {
  [ -e "$dir/$1" ] || printf '%s\n' "$2" >"$dir/$1"
}

url postgres-url "postgres://groundwave:$(password postgres-password)@postgres:5432/groundwave"
url redis-url "redis://:$(password redis-password)@redis:6379"
url clickhouse-url "http://groundwave:$(password clickhouse-password)@clickhouse:8123/groundwave"
chmod 0444 "$dir"/*-password "$dir"/*-url
