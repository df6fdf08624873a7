#include "scan.hpp"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "error.hpp"
#include "trec.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define RELKIT_X86 1
#include <immintrin.h>
#endif

namespace relkit {

void Scanner::take_rank(std::string_view rank) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(rank.data(), rank.data() + rank.size(), value);
  if (error != std::errc() || end != rank.data() + rank.size()) {
    throw TextError{TextError::unknown, "the rank is not a whole number: `" + excerpt(rank) + "`",
                    "choose another tie rule, such as ties=doc-desc"};
  }
  collector.add_rank(value);
}

const char* Scanner::first_line() {
  const char* p = window.begin();
  if (!skipping) return beginning(window);
  // The window begins one byte before the stretch: a line that begins with the stretch is ours.
  std::size_t skipped = 0;
  for (;;) {
    const auto* newline =
        static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(window.end() - p)));
    if (newline != nullptr) return newline + 1;
    if (window.ended()) return window.end();
    skipped += static_cast<std::size_t>(window.end() - p);
    at = p;
    refuse_long_line(skipped);
    window.refill(window.end());
    p = window.begin();
  }
}

bool Scanner::take_slowly(const char* line, std::size_t size) {
  Tokens tokens;
  const std::string_view text(line, size);
  split(text, tokens);
  if (is_comment(tokens, 5, 6)) return true;
  if (tokens.count < 5) {  // more than 6: the tag holds spaces, as in trec_eval
    wrong_columns(
        text, tokens.count, run_columns,
        tokens.count == 4 ? "this looks like judgments: are the two arguments swapped?" : "");
  }
  const std::string_view id = tokens.token[0];
  const bool same =
      id.size() == query_size && open && std::memcmp(id.data(), query.data(), id.size()) == 0;
  if (line >= stop_at && at_stop(same)) return false;
  if (!same && !change_query(id, line)) return false;
  ++out.rows;
  const double value = parse_score(tokens.token[4]);
  if (!judging) {
    if (skipping) --out.rows;
    return true;
  }
  collector.add(tokens.token[2], value);
  if (ranks) take_rank(tokens.token[3]);
  return true;
}

namespace {

// The classes of 64 bytes, one bit each: blanks (space and tab), newlines, other control bytes.
struct Blanks {
  std::uint64_t blank;
  std::uint64_t newline;
  std::uint64_t control;
};

namespace plain {

// Eight bytes at a time: the high bit of each byte that equals `sign`, gathered to eight bits.
inline std::uint64_t equal(std::uint64_t word, unsigned char sign) {
  const std::uint64_t x = word ^ (0x0101010101010101ULL * sign);
  const std::uint64_t zero =
      ~(((x & 0x7f7f7f7f7f7f7f7fULL) + 0x7f7f7f7f7f7f7f7fULL) | x) & 0x8080808080808080ULL;
  return (zero * 0x0002040810204081ULL) >> 56;
}

inline std::uint64_t below_blank(std::uint64_t word) {
  const std::uint64_t low =
      ~(((word & 0x7f7f7f7f7f7f7f7fULL) + 0x6060606060606060ULL) | word) & 0x8080808080808080ULL;
  return (low * 0x0002040810204081ULL) >> 56;
}

inline Blanks blanks(const char* from) {
  Blanks found{0, 0, 0};
  for (int word = 0; word < 8; ++word) {
    const std::uint64_t bytes = load8(from + 8 * word);
    const std::uint64_t tab = equal(bytes, '\t');
    const std::uint64_t newline = equal(bytes, '\n');
    found.blank |= (equal(bytes, ' ') | tab) << (8 * word);
    found.newline |= newline << (8 * word);
    found.control |= (below_blank(bytes) & ~(tab | newline)) << (8 * word);
  }
  return found;
}

#include "scan_loop.inc"

}  // namespace plain

#ifdef RELKIT_X86

#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), \
                             apply_to = function)
#endif
namespace avx2 {

inline std::uint64_t mask(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

inline Blanks blanks(const char* from) {
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32));
  const auto equal = [&](char sign) {
    const __m256i wanted = _mm256_set1_epi8(sign);
    return mask(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
  };
  const __m256i bound = _mm256_set1_epi8(0x1f);
  const std::uint64_t tab = equal('\t');
  const std::uint64_t newline = equal('\n');
  const std::uint64_t low_bytes = mask(_mm256_cmpeq_epi8(_mm256_min_epu8(low, bound), low),
                                       _mm256_cmpeq_epi8(_mm256_min_epu8(high, bound), high));
  return {equal(' ') | tab, newline, low_bytes & ~(tab | newline)};
}

#include "scan_loop.inc"

}  // namespace avx2
#ifdef __clang__
#pragma clang attribute pop
#endif
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt,lzcnt")
#ifdef __clang__
#pragma clang attribute push(                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt,lzcnt"))), \
    apply_to = function)
#endif
namespace avx512 {

inline Blanks blanks(const char* from) {
  const __m512i bytes = _mm512_loadu_si512(from);
  const std::uint64_t tab = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\t'));
  const std::uint64_t newline = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n'));
  const std::uint64_t blank = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' '));
  const std::uint64_t low = _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20));
  return {blank | tab, newline, low & ~(tab | newline)};
}

#include "scan_loop.inc"

}  // namespace avx512
#ifdef __clang__
#pragma clang attribute pop
#endif
#pragma GCC pop_options

#endif  // RELKIT_X86

struct Loop {
  const char* name;
  void (*run)(Scanner&);
};

// The best loop of this processor; RELKIT_SIMD=scalar|avx2 asks for a lesser one, for tests.
Loop choose_loop() {
  const char* wish = std::getenv("RELKIT_SIMD");
  const std::string_view wanted = wish == nullptr ? "" : wish;
#ifdef RELKIT_X86
  const bool avx2_here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  if (wanted != "scalar" && wanted != "avx2" && avx2_here && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return {"avx512", avx512::run};
  }
  if (wanted != "scalar" && avx2_here) return {"avx2", avx2::run};
#endif
  return {"scalar", plain::run};
}

// Runs the loop over one stretch; `line` counts the line of a place for errors.
template <class Line>
Stretch scan(const JudgmentTable& judgments, const Plan& plan, Window& window, Met& met,
             const Loop& loop, bool within, std::uint64_t stop, const Line& line) {
  Scanner scanner(judgments, plan, window, met, within, stop);
  try {
    loop.run(scanner);
    scanner.out.batch = scanner.collector.evaluator().take();
    return std::move(scanner.out);
  } catch (const TextError& error) {
    const bool here = error.offset == TextError::unknown;
    std::string message = error.message;
    if (error.other != TextError::unknown) message += std::to_string(line(error.other));
    throw InputError(message, window.path(), line(here ? window.offset(scanner.at) : error.offset),
                     error.hint);
  } catch (const InputError& error) {
    // From a kernel or the ranker, which do not know the file.
    throw InputError(error.what(), window.path(), error.line, error.hint);
  }
}

}  // namespace

const char* scanner_name() { return choose_loop().name; }

Batch evaluate_run_file(const JudgmentTable& judgments, const Plan& plan, const std::string& path,
                        int threads) {
  const File file(path);
  if (!file.regular()) {
    // A pipe gives its bytes once: if a query came back, its beginning would be lost.
    FileBytes bytes(file, 0);
    RunTable table = read_run(bytes, path);
    refuse_duplicates(table, path, nullptr, &judgments);
    return evaluate_run(judgments, plan, table, threads);
  }
  const Loop loop = choose_loop();
  // Large enough that re-reading the borders is cheap, small enough to share a file out evenly.
  const std::uint64_t step = stretch_size(
      std::clamp<std::uint64_t>(file.size() / 16, std::uint64_t{1} << 18, std::uint64_t{4} << 20));
  std::vector<Stretch> stretches(static_cast<std::size_t>((file.size() + step - 1) / step));
  Met met(judgments);
  try {
    each_part(stretches.size(), threads, [&](std::size_t part) {
      if (met.again()) return;
      // A stretch within the file sees the byte before it, to know whether a line begins with it.
      const std::uint64_t from = part == 0 ? 0 : part * step - 1;
      FileBytes bytes(file, from);
      Window window(bytes, path, from);
      stretches[part] = scan(judgments, plan, window, met, loop, part > 0, (part + 1) * step,
                             [&](std::uint64_t place) { return line_of(file, place); });
    });
  } catch (const InputError&) {
    // What the whole file has to say comes first where it is read whole.
    if (!met.again()) throw;
  }
  Batch whole;
  const bool joined = !met.again() && join(stretches, judgments, plan, whole);
  if (joined && whole.rows == 0) throw InputError("holds no document", path);
  if (joined) return whole;
  stretches.clear();
  FileBytes bytes(file, 0);
  const RunTable table = read_run(bytes, path);
  FileBytes again(file, 0);
  refuse_duplicates(table, path, &again, &judgments);
  return evaluate_run(judgments, plan, table, threads);
}

std::optional<Batch> evaluate_stream(const JudgmentTable& judgments, const Plan& plan, Bytes& bytes,
                                     const std::string& name) {
  Window window(bytes, name, 0, true);
  Met met(judgments);
  std::vector<Stretch> stretches;
  stretches.push_back(scan(judgments, plan, window, met, choose_loop(), false,
                           std::numeric_limits<std::uint64_t>::max(),
                           [&](std::uint64_t place) { return window.line_of(place); }));
  Batch whole;
  if (met.again() || !join(stretches, judgments, plan, whole)) return std::nullopt;
  if (whole.rows == 0) throw InputError("holds no document", name);
  return whole;
}

}  // namespace relkit
