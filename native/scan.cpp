#include "scan.hpp"

#include <atomic>
#include <bit>
#include <charconv>
#include <optional>
#include <thread>
#include <unordered_set>

#include "error.hpp"
#include "trec.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define RELKIT_X86 1
#include <immintrin.h>
#endif

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace relkit {

void Scanner::take_rank(std::string_view rank) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(rank.data(), rank.data() + rank.size(), value);
  if (error != std::errc() || end != rank.data() + rank.size()) {
    throw TextError{0, "the rank is not a whole number: `" + excerpt(rank) + "`",
                    "choose another tie rule, such as ties=doc-desc"};
  }
  collector.add_rank(value);
}

const char* Scanner::first_line() {
  const char* p = window.begin();
  if (!skipping) {
    const bool marked = window.end() - p >= 3 && std::memcmp(p, "\xef\xbb\xbf", 3) == 0;
    return marked ? p + 3 : p;
  }
  // The window begins one byte before the stretch: a line that begins with the stretch is ours.
  for (;;) {
    const auto* newline = static_cast<const char*>(
        std::memchr(p, '\n', static_cast<std::size_t>(window.end() - p)));
    if (newline != nullptr) return newline + 1;
    if (window.ended()) return window.end();
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
    wrong_columns(text, tokens.count, run_columns,
                  tokens.count == 4 ? "this looks like judgments: are the two arguments swapped?" : "");
  }
  const std::string_view id = tokens.token[0];
  const bool same = id.size() == query_size && open && std::memcmp(id.data(), query.data(), id.size()) == 0;
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
  const std::uint64_t zero = ~(((x & 0x7f7f7f7f7f7f7f7fULL) + 0x7f7f7f7f7f7f7f7fULL) | x) &
                             0x8080808080808080ULL;
  return (zero * 0x0002040810204081ULL) >> 56;
}

inline std::uint64_t below_blank(std::uint64_t word) {
  const std::uint64_t low = ~(((word & 0x7f7f7f7f7f7f7f7fULL) + 0x6060606060606060ULL) | word) &
                            0x8080808080808080ULL;
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
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
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
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
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

// The best loop of this processor; RELKIT_SIMD=plain|avx2 asks for a lesser one, for tests.
Loop choose_loop() {
  const char* wish = std::getenv("RELKIT_SIMD");
  const std::string_view wanted = wish == nullptr ? "" : wish;
#ifdef RELKIT_X86
  const bool avx2_here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  if (wanted != "plain" && wanted != "avx2" && avx2_here && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return {"avx512", avx512::run};
  }
  if (wanted != "plain" && avx2_here) return {"avx2", avx2::run};
#endif
  return {"plain", plain::run};
}

std::uint64_t stretch_size(std::uint64_t size) {
  if (const char* text = std::getenv("RELKIT_STRETCH")) {
    const long long asked = std::atoll(text);
    if (asked > 0) return static_cast<std::uint64_t>(asked);
  }
  // Large enough that re-reading the borders is cheap, small enough to share a file out evenly.
  return std::clamp<std::uint64_t>(size / 16, std::uint64_t{1} << 18, std::uint64_t{4} << 20);
}

}  // namespace

const char* scanner_name() { return choose_loop().name; }

Batch evaluate_run_file(const JudgmentTable& judgments, const Plan& plan, const std::string& path,
                        int threads) {
  const File file(path);
  const Loop loop = choose_loop();
  const std::uint64_t step = stretch_size(file.size());
  const std::size_t stretches = static_cast<std::size_t>((file.size() + step - 1) / step);

  struct Failure {
    std::uint64_t offset;
    TextError error;
  };
  struct Part {
    Stretch stretch;
    std::optional<Failure> failure;
    std::exception_ptr other;
  };
  std::vector<Part> parts(stretches);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t at; (at = next.fetch_add(1)) < stretches;) {
      Part& part = parts[at];
      try {
        const std::uint64_t from = at * step;
        FileBytes bytes(file, at == 0 ? 0 : from - 1);
        Window window(bytes, path, at == 0 ? 0 : from - 1);
        Scanner scanner(judgments, plan, window, at > 0, from + step);
        try {
          loop.run(scanner);
          part.stretch = std::move(scanner.out);
          part.stretch.batch = scanner.collector.evaluator().take();
        } catch (TextError& error) {
          part.failure = Failure{error.offset != 0 ? error.offset : window.offset(scanner.at), error};
        } catch (InputError& error) {
          // From a kernel or the ranker, which do not know the file.
          throw InputError(error.what(), error.path.empty() ? path : error.path, error.line, error.hint);
        }
      } catch (...) {
        part.other = std::current_exception();
      }
    }
  };
  const int workers = std::min<int>(thread_count(threads), static_cast<int>(stretches));
  std::vector<std::thread> pool;
  for (int worker = 1; worker < workers; ++worker) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();

  Batch whole = Evaluator(plan).take();
  std::vector<std::uint32_t> groups;
  std::unordered_set<std::string> unjudged;
  for (Part& part : parts) {
    if (part.failure) {
      throw InputError(part.failure->error.message, path, line_of(file, part.failure->offset),
                       part.failure->error.hint);
    }
    if (part.other) std::rethrow_exception(part.other);
    append(whole, std::move(part.stretch.batch));
    groups.insert(groups.end(), part.stretch.groups.begin(), part.stretch.groups.end());
    for (std::string& id : part.stretch.unjudged) {
      if (unjudged.insert(id).second && whole.unjudged_examples.size() < 5) {
        whole.unjudged_examples.push_back(std::move(id));
      }
    }
    whole.rows += part.stretch.rows;
  }
  if (whole.rows == 0) throw InputError("holds no document", path);
  std::vector<bool> met(judgments.size(), false);
  for (const std::uint32_t number : groups) {
    if (met[number]) {
      whole = Batch{};
      FileBytes bytes(file, 0);
      return evaluate_run(judgments, plan, read_run(bytes, path), threads);
    }
    met[number] = true;
  }
  whole.unjudged_queries = unjudged.size();
  add_missing(whole, judgments, plan, groups);
  return whole;
}

}  // namespace relkit
