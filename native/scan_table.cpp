#include "scan_table.hpp"

#include <vector>

#include "error.hpp"

namespace relyon {

double TableScanner::number_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) throw Unlike{};
  const std::size_t last = text.find_last_not_of(blanks);
  double value = 0.0;
  if (parse_number(text.substr(first, last - first + 1), value) != Number::good) throw Unlike{};
  return value;
}

namespace {

// What a stretch gave, and which part of the text is its own.
struct Part {
  Stretch stretch;
  std::uint64_t began = Scanner::nowhere;
  std::uint64_t ended = Scanner::nowhere;
};

// Streams from `row` on, or from the first line that begins after a byte of the window.
Part scan_part(const JudgmentTable& judgments, const Plan& plan, const TableFormat& format,
               Window& window, TableState& state, const char* row, std::uint64_t stop) {
  TableScanner scanner(judgments, plan, window, state, format.columns(), row == nullptr, stop);
  if (scanner.ranks && !scanner.columns.rank) throw Unlike{};
  format.scan(scanner, row == nullptr ? scanner.skip_to_line() : row);
  scanner.out.batch = scanner.collector.evaluator().take();
  return {std::move(scanner.out), scanner.began, scanner.ended};
}

// Whether each part ends where the next begins. A part that begins within a file cannot know
// whether the first line it sees is a row: it may stand in quotes. The first part knows, and so
// does whoever begins where one that knows has ended.
bool fit_together(const std::vector<Part>& parts) {
  std::uint64_t reached = parts.front().ended;
  for (std::size_t part = 1; part < parts.size(); ++part) {
    if (parts[part].began == Scanner::nowhere) continue;
    if (parts[part].began != reached) return false;
    reached = parts[part].ended;
  }
  return reached == Scanner::nowhere;
}

// Joins parts; nothing where a query came back.
std::optional<Batch> join_parts(std::vector<Part>& parts, const JudgmentTable& judgments,
                                const Plan& plan) {
  std::vector<Stretch> stretches;
  std::uint64_t others = 0;
  for (Part& part : parts) {
    others += part.stretch.unjudged.size();
    stretches.push_back(std::move(part.stretch));
  }
  Batch whole;
  if (!join(stretches, judgments, plan, whole)) return std::nullopt;
  if (whole.rows == 0 || whole.unjudged_queries != others) return std::nullopt;
  return whole;
}

std::optional<Batch> evaluate_parts(const JudgmentTable& judgments, const Plan& plan,
                                    const File& file, const TableFormat& format, TableState& state,
                                    std::uint64_t start, std::uint64_t step, int threads) {
  const std::uint64_t size = file.size() - start;
  std::vector<Part> parts(static_cast<std::size_t>((size + step - 1) / step));
  if (parts.empty()) return std::nullopt;
  each_part(parts.size(), threads, [&](std::size_t part) {
    if (state.met.again()) return;
    const std::uint64_t from = start + part * step;
    // A stretch within the file sees the byte before it, to know whether a line begins with it.
    FileBytes bytes(file, part == 0 ? from : from - 1);
    Window window(bytes, file.path(), part == 0 ? from : from - 1);
    parts[part] = scan_part(judgments, plan, format, window, state,
                            part == 0 ? window.begin() : nullptr, from + step);
  });
  if (state.met.again() || !fit_together(parts)) return std::nullopt;
  return join_parts(parts, judgments, plan);
}

// What `work` gives; nothing where it meets something unusual or wrong.
template <class Work>
std::optional<Batch> unless_unlike(const Work& work) {
  try {
    return work();
  } catch (const Unlike&) {
  } catch (const TextError&) {
  } catch (const InputError&) {
  }
  return std::nullopt;
}

}  // namespace

std::optional<Batch> evaluate_table_file(const JudgmentTable& judgments, const Plan& plan,
                                         const std::string& path, const TableFormat& format,
                                         int threads) {
  const auto evaluate = [&](TableState& state, bool at_once) {
    return unless_unlike([&]() -> std::optional<Batch> {
      const File file(path);
      if (!file.regular()) return std::nullopt;
      FileBytes bytes(file, 0);
      Window window(bytes, path, 0);
      const std::uint64_t start = window.offset(format.first_row(window));
      const std::uint64_t step = at_once ? file.size() : stretch_of(file.size());
      return evaluate_parts(judgments, plan, file, format, state, start, step, threads);
    });
  };
  TableState state(judgments);
  std::optional<Batch> batch = evaluate(state, false);
  if (batch || !state.broken) return batch;
  TableState once(judgments);
  return evaluate(once, true);
}

std::optional<Batch> evaluate_table_stream(const JudgmentTable& judgments, const Plan& plan,
                                           Bytes& bytes, const std::string& name,
                                           const TableFormat& format) {
  return unless_unlike([&]() -> std::optional<Batch> {
    Window window(bytes, name, 0);
    TableState state(judgments);
    const char* const row = format.first_row(window);
    std::vector<Part> parts;
    parts.push_back(scan_part(judgments, plan, format, window, state, row, Scanner::nowhere));
    if (state.met.again()) return std::nullopt;
    return join_parts(parts, judgments, plan);
  });
}

}  // namespace relyon
