#!/usr/bin/env bash
# with_java.sh COMMAND…: runs a command that needs Java 17. Without it, says so, and fails only if
# RELYON_NEED_PROGRAMS=1.
set -euo pipefail
java=java
if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; fi
version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1) || version=
if [ "${version:-0}" -lt 17 ]; then
  echo "Java 17 or newer is missing: the Spark tests are left out"
  exit "${RELYON_NEED_PROGRAMS:-0}"
fi
exec "$@"
