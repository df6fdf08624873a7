#!/bin/bash
# Builds the extension with AddressSanitizer and UndefinedBehaviorSanitizer in an environment of its
# own, and runs the tests of native code with it. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=build/sanitize
python=${PYTHON:-.venv/bin/python}
if [ ! -x "$folder/venv/bin/python" ]; then
  "$python" -m venv "$folder/venv"
fi
run="$folder/venv/bin/python"
"$run" -m pip install --quiet --disable-pip-version-check "pip>=25.1" "scikit-build-core>=0.10" \
  "nanobind>=2.4" cmake ninja
"$run" -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable . \
  --config-settings=build-dir="$folder/native" --config-settings=cmake.define.RELYON_SANITIZE=ON
"$run" -m pip install --quiet --disable-pip-version-check --group test
library() { "${CXX:-c++}" -print-file-name="$1"; }
LD_PRELOAD="$(library libasan.so):$(library libubsan.so):$(library libstdc++.so.6)"
export LD_PRELOAD
# Python frees nothing at its end, so leaks cannot be told from what it keeps.
export ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=1:abort_on_error=0:symbolize=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export PYTHONMALLOC=malloc
if [ $# -eq 0 ]; then
  set -- -q -p no:cacheprovider tests/property tests/unit/test_native_*.py \
    tests/unit/test_stretches.py tests/unit/test_bad_input.py tests/unit/test_io_trec.py \
    tests/unit/test_judgments.py tests/unit/test_run.py tests/unit/test_pooled_counts.py \
    tests/unit/test_ltr_losses.py tests/unit/test_io_letor_rows.py tests/unit/test_io_features.py
fi
exec "$run" -m pytest "$@"
