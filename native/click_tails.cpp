#include "click_tails.hpp"

#include <algorithm>
#include <span>

#include "hash.hpp"
#include "numbers.hpp"

namespace relyon {

Tails count_tails(const ClickShard& shard) {
  Tails out;
  out.skipped.assign(shard.pairs(), 0.0);
  out.followed.assign(shard.pairs(), 0.0);
  // Sessions of one query are together and share nothing with others: the tables stay small.
  Numbers tails, starts;
  std::size_t tails_before = 0, starts_before = 0;
  std::string_view query;
  // The pairs of the query: after those of the one before it, in a log that is finished.
  std::size_t pairs_before = 0, pairs = 0;
  bool apart = true;
  const auto hash = [](std::uint32_t one, std::uint32_t other) {
    return mix(std::uint64_t{one} + 1, (std::uint64_t{other} << 1) | 1);
  };
  for (std::size_t number = 0; number < shard.patterns(); ++number) {
    const std::span<const Shown> results = shard.pattern(number);
    const auto count = static_cast<double>(shard.count(number));
    if (const std::string_view here = shard.query(results[0].pair); here != query) {
      if (number > 0) out.queries.push_back({pairs, out.tails.size(), out.starts.size()});
      query = here;
      pairs_before = pairs;
      tails = {};
      starts = {};
      tails_before = out.tails.size();
      starts_before = out.starts.size();
    }
    for (const Shown& result : results) {
      apart = apart && result.pair >= pairs_before;
      pairs = std::max<std::size_t>(pairs, result.pair + std::size_t{1});
    }
    std::size_t last = results.size();
    std::uint32_t tail = Tails::none;
    for (; last > 0 && !results[last - 1].clicked; --last) {
      const std::uint32_t pair = results[last - 1].pair;
      const std::uint32_t found = tails.number(hash(pair, tail), [&](std::uint32_t one) {
        const Tails::Tail& known = out.tails[tails_before + one];
        return known.pair == pair && known.next == tail;
      });
      if (tails_before + found == out.tails.size()) out.tails.push_back({pair, tail});
      tail = static_cast<std::uint32_t>(tails_before + found);
    }
    const std::uint32_t clicked = last > 0 ? results[last - 1].pair : Tails::none;
    const std::uint32_t found = starts.number(hash(clicked, tail), [&](std::uint32_t one) {
      const Tails::Start& known = out.starts[starts_before + one];
      return known.clicked == clicked && known.tail == tail;
    });
    if (starts_before + found == out.starts.size()) out.starts.push_back({clicked, tail, 0.0});
    out.starts[starts_before + found].count += count;
    for (std::size_t place = 0; place + 1 < last; ++place)
      (results[place].clicked ? out.followed : out.skipped)[results[place].pair] += count;
  }
  if (!apart) out.queries.clear();
  if (shard.patterns() > 0) out.queries.push_back(out.whole());
  return out;
}

}  // namespace relyon
