#!/usr/bin/env bash
# Checks is_leap; exits 1 when a check fails.
source ./leap.sh

failed=0

check() {
  local year=$1 expected=$2 actual=no
  if is_leap "$year"; then actual=yes; fi
  if [[ $actual == "$expected" ]]; then
    echo "ok    $year: $actual"
  else
    echo "FAIL  $year: expected $expected, got $actual"
    failed=1
  fi
}

check 2024 yes
check 2023 no
check 1900 no
check 2000 yes
exit $failed
