#!/bin/bash
# Builds the extension with sanitizers (`address,undefined` or `thread`) in an environment of its
# own, and runs the tests of native code with it. Further arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
sanitizers=$1
shift
folder=build/sanitize
python=${PYTHON:-.venv/bin/python}
if [ ! -x "$folder/venv/bin/python" ]; then
  "$python" -m venv "$folder/venv"
fi
run=("$folder/venv/bin/python")
"${run[@]}" -m pip install --quiet --disable-pip-version-check "pip>=25.1" "scikit-build-core>=0.10" \
  "nanobind>=2.4" cmake ninja
"${run[@]}" -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable . \
  --config-settings=build-dir="$folder/${sanitizers%,*}" \
  --config-settings=cmake.define.RELYON_SANITIZE="$sanitizers"
"${run[@]}" -m pip install --quiet --disable-pip-version-check --group test
library() { "${CXX:-c++}" -print-file-name="$1"; }
export PYTHONMALLOC=malloc
tests=(tests/unit/test_stretches.py tests/unit/test_io_trec.py tests/unit/test_ltr_losses.py
  tests/unit/test_io_letor_rows.py tests/unit/test_io_features.py)
case $sanitizers in
thread)
  # Python, NumPy and Polars are not instrumented: only what relyon's code does is judged. Polars'
  # allocator starts a thread that ThreadSanitizer does not see, and takes too many locks at a fork.
  TSAN_OPTIONS=ignore_noninstrumented_modules=1:detect_deadlocks=0:report_thread_leaks=0
  export TSAN_OPTIONS=$TSAN_OPTIONS:exitcode=66:history_size=5
  export _RJEM_MALLOC_CONF=background_thread:false
  export RELYON_THREADS=4 RELYON_STRETCH=300
  preload=$(library libtsan.so)
  tests+=(tests/unit/test_native_{threads,parts,sources,resample,total,arrays}.py
    tests/unit/test_accumulator.py tests/unit/test_ltr_clicks.py
    tests/unit/test_streamed_tables.py)
  # ThreadSanitizer places its shadow memory where randomised addresses may already be.
  run=(setarch "$(uname -m)" --addr-no-randomize "${run[@]}")
  ;;
*)
  # Python frees nothing at its end, so leaks cannot be told from what it keeps.
  export ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=1:abort_on_error=0:symbolize=1
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  preload="$(library libasan.so):$(library libubsan.so)"
  tests+=(tests/property tests/unit/test_native_*.py tests/unit/test_bad_input.py
    tests/unit/test_judgments.py tests/unit/test_run.py tests/unit/test_pooled_counts.py)
  ;;
esac
export LD_PRELOAD="$preload:$(library libstdc++.so.6)"
if [ $# -eq 0 ]; then
  # Reports go to the file descriptor, which pytest would keep.
  set -- -q -p no:cacheprovider --capture=sys "${tests[@]}"
fi
exec "${run[@]}" -m pytest "$@"
