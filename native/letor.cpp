#include "letor.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>

#include "bind.hpp"
#include "callable.hpp"
#include "owned.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

using letor::Block;
using letor::Entries;
using letor::Filled;
using letor::Pages;
using letor::Part;
using letor::Plan;

// Everything but the features, of all stretches.
struct Whole {
  std::vector<double> labels;
  std::vector<Part> parts;
  std::vector<std::uint64_t> lines;  // before each part
  std::uint64_t read = 0;            // lines
};

// Bytes in batches of whole lines, each with a newline at its end.
class Batches {
 public:
  Batches(Bytes& bytes, std::size_t size) : bytes_(bytes), size_(size), buffer_(size) {}

  // The next batch; empty at the end.
  std::string_view next() {
    std::memmove(buffer_.data(), buffer_.data() + used_, filled_ - used_);
    filled_ -= used_;
    used_ = 0;
    while (!ended_) {
      buffer_.resize(std::max(buffer_.size(), filled_ + size_ / 2 + letor::padding));
      const std::size_t room = buffer_.size() - letor::padding - filled_;
      std::size_t got = bytes_.read(buffer_.data() + filled_, room);
      if (first_ && begin(got) && got == 0) got = bytes_.read(buffer_.data(), room);
      filled_ += got;
      if (got == 0) {
        ended_ = true;
        if (filled_ != 0 && buffer_[filled_ - 1] != '\n') buffer_[filled_++] = '\n';
      } else if (filled_ + letor::padding < buffer_.size()) {
        continue;
      }
      const std::string_view all(buffer_.data(), filled_);
      const std::size_t last = all.rfind('\n');
      if (last != std::string_view::npos) {
        used_ = last + 1;
        break;
      }
    }
    return {buffer_.data(), used_};
  }

 private:
  // Drops a byte-order mark, and says whether there was one; a stream may give its bytes one by
  // one.
  bool begin(std::size_t& got) {
    while (got != 0 && got < 3) {
      const std::size_t more = bytes_.read(buffer_.data() + got, 3 - got);
      if (more == 0) break;
      got += more;
    }
    first_ = false;
    if (!std::string_view(buffer_.data(), got).starts_with("\xef\xbb\xbf")) return false;
    got -= 3;
    std::memmove(buffer_.data(), buffer_.data() + 3, got);
    return true;
  }

  Bytes& bytes_;
  std::size_t size_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;
  std::size_t used_ = 0;
  bool ended_ = false;
  bool first_ = true;
};

std::vector<std::string_view> stretches(std::string_view text, std::size_t size) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = text.find('\n', std::min(size, text.size()) - 1) + 1;
    found.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return found;
}

template <class Value>
void read_all(Bytes& bytes, const Plan& plan, int threads, Whole& whole,
              std::vector<Block<Value>>& blocks) {
  const std::size_t size = stretch_size(std::uint64_t{1} << 20);
  const std::size_t workers = static_cast<std::size_t>(thread_count(threads));
  // Several stretches for each worker, as long as they are not many: all are in memory at once.
  const std::size_t at_once = std::max(workers, std::min(4 * workers, std::size_t{32}));
  Batches batches(bytes, size * at_once + letor::padding);
  std::vector<Entries<Value>> entries(workers);
  for (std::string_view batch = batches.next(); !batch.empty(); batch = batches.next()) {
    const std::vector<std::string_view> texts = stretches(batch, size);
    const std::size_t before = whole.parts.size();
    whole.parts.resize(before + texts.size());
    blocks.resize(before + texts.size());
    each_part(texts.size(), threads, [&](std::size_t worker, std::size_t at) {
      whole.parts[before + at] = letor::parse(texts[at], plan, entries[worker]);
      if (plan.features) blocks[before + at] = letor::pack(entries[worker]);
    });
    for (std::size_t at = before; at < whole.parts.size(); ++at) {
      Part& part = whole.parts[at];
      whole.lines.push_back(whole.read);
      whole.read += part.lines;
      if (!plan.named) {
        whole.labels.insert(whole.labels.end(), part.labels.begin(), part.labels.end());
        std::vector<double>().swap(part.labels);
      }
      if (part.wrong) {
        whole.parts.resize(at + 1);
        return;
      }
    }
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

nb::object text(std::string_view bytes) {
  return nb::steal(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "strict"));
}

// The blocks as one matrix; each is freed once it is copied.
template <class Value>
nb::object matrix(std::vector<Block<Value>>& blocks, std::size_t rows, std::size_t width,
                  int threads) {
  Pages<Value> whole(rows * width, Filled::slowly);
  std::vector<std::size_t> before(blocks.size());
  for (std::size_t at = 1; at < blocks.size(); ++at) {
    before[at] = before[at - 1] + blocks[at - 1].rows;
  }
  {
    const nb::gil_scoped_release released;
    each_part(blocks.size(), threads, [&](std::size_t at) {
      const Block<Value> block = std::move(blocks[at]);
      Value* row = whole.data() + before[at] * width;
      if (block.dense && block.width == width) {
        if (block.rows != 0) {
          std::memcpy(row, block.values.data(), block.rows * width * sizeof(Value));
        }
        return;
      }
      for (std::size_t i = 0; i < block.rows; ++i, row += width) {
        if (block.dense) {
          if (block.width == 0) continue;
          std::memcpy(row, block.values.data() + i * block.width, block.width * sizeof(Value));
          continue;
        }
        for (std::size_t j = block.offsets[i]; j < block.offsets[i + 1]; ++j) {
          row[block.columns.data()[j]] = block.values.data()[j];
        }
      }
    });
  }
  return owned<Value>(std::move(whole), {rows, width});
}

// What is not 0: offsets of the rows, columns and values.
template <class Value>
nb::object sparse(std::vector<Block<Value>>& blocks, std::size_t rows, std::size_t count,
                  int threads) {
  Pages<Value> values(count, Filled::slowly);
  Pages<std::int32_t> columns(count, Filled::slowly);
  Pages<std::int64_t> offsets(rows + 1, Filled::slowly);
  std::vector<std::size_t> row_before(blocks.size()), before(blocks.size());
  for (std::size_t at = 1; at < blocks.size(); ++at) {
    row_before[at] = row_before[at - 1] + blocks[at - 1].rows;
    before[at] = before[at - 1] + blocks[at - 1].nonzero;
  }
  {
    const nb::gil_scoped_release released;
    each_part(blocks.size(), threads, [&](std::size_t at) {
      const Block<Value> block = std::move(blocks[at]);
      std::size_t kept = before[at];
      const auto keep = [&](std::size_t column, Value value) {
        values.data()[kept] = value;
        columns.data()[kept++] = static_cast<std::int32_t>(column);
      };
      for (std::size_t i = 0; i < block.rows; ++i) {
        if (block.dense) {
          const Value* row = block.values.data() + i * block.width;
          for (std::size_t j = 0; j < block.width; ++j) {
            if (row[j] != 0) keep(j, row[j]);
          }
        } else {
          for (std::size_t j = block.offsets[i]; j < block.offsets[i + 1]; ++j) {
            keep(block.columns.data()[j], block.values.data()[j]);
          }
        }
        offsets.data()[row_before[at] + i + 1] = static_cast<std::int64_t>(kept);
      }
    });
  }
  return nb::make_tuple(owned<Value>(std::move(values), {count}),
                        owned<std::int32_t>(std::move(columns), {count}),
                        owned<std::int64_t>(std::move(offsets), {rows + 1}));
}

// Queries and their sizes, where neighbours of two parts may be the same.
void add_queries(const std::vector<Part>& parts, nb::dict& found) {
  nb::list names;
  std::vector<std::int64_t> sizes;
  std::string_view last;
  for (const Part& part : parts) {
    for (std::size_t at = 0; at < part.sizes.size(); ++at) {
      if (!sizes.empty() && part.queries[at] == last) {
        sizes.back() += part.sizes[at];
        continue;
      }
      last = part.queries[at];
      names.append(text(last));
      sizes.push_back(part.sizes[at]);
    }
  }
  found["queries"] = names;
  found["sizes"] = owned(std::move(sizes));
}

// The document of every row, and the comments that were left to the caller.
void add_documents(const std::vector<Part>& parts, nb::dict& found) {
  nb::list documents, comments;
  const bool lacking =
      std::any_of(parts.begin(), parts.end(), [](auto& part) { return part.lacking; });
  std::size_t rows = 0;
  for (const Part& part : parts) {
    if (lacking) break;
    for (std::size_t at = 0; at < part.documents.size(); ++at) {
      documents.append(text(part.documents[at]));
    }
    for (const auto& [row, comment] : part.comments) {
      comments.append(nb::make_tuple(rows + row, text(comment)));
    }
    rows += part.documents.size();
  }
  found["documents"] = lacking ? nb::object(nb::none()) : nb::object(documents);
  found["comments"] = comments;
}

// Labels that may be names: each distinct one with its first line, and their numbers.
void add_names(Whole& whole, nb::dict& found) {
  nb::dict numbers;
  nb::list names;
  for (std::size_t at = 0; at < whole.parts.size(); ++at) {
    const Part& part = whole.parts[at];
    std::vector<double> number;
    for (std::size_t i = 0; i < part.label_names.size(); ++i) {
      const nb::object name = text(part.label_names[i]);
      if (!numbers.contains(name)) {
        numbers[name] = names.size();
        names.append(nb::make_tuple(name, whole.lines[at] + part.label_lines[i]));
      }
      number.push_back(nb::cast<double>(numbers[name]));
    }
    for (const double label : part.labels) {
      whole.labels.push_back(number[static_cast<std::size_t>(label)]);
    }
  }
  found["names"] = names;
}

template <class Value>
nb::dict read(Bytes& bytes, const Plan& plan, double least, int threads) {
  Whole whole;
  std::vector<Block<Value>> blocks;
  {
    const nb::gil_scoped_release released;
    read_all<Value>(bytes, plan, threads, whole, blocks);
  }
  nb::dict found;
  if (plan.named) add_names(whole, found);
  if (!whole.parts.empty() && whole.parts.back().wrong) {
    const letor::Wrong& wrong = *whole.parts.back().wrong;
    found["wrong"] = nb::make_tuple(whole.lines.back() + wrong.line,
                                    nb::bytes(wrong.text.data(), wrong.text.size()));
    return found;
  }
  const std::size_t rows = whole.labels.size();
  if (!plan.grouped) add_queries(whole.parts, found);
  add_documents(whole.parts, found);
  found["labels"] = owned(std::move(whole.labels));
  if (!plan.features) return found;
  std::size_t width = 0, nonzero = 0;
  for (const Block<Value>& block : blocks) {
    width = std::max(width, block.width);
    nonzero += block.nonzero;
  }
  const double cells = static_cast<double>(rows) * static_cast<double>(width);
  found["width"] = width;
  found["features"] = least > 1 || static_cast<double>(nonzero) < least * cells
                          ? sparse(blocks, rows, nonzero, threads)
                          : matrix(blocks, rows, width, threads);
  return found;
}

nb::dict read_letor(const std::string& name, const nb::object& read_bytes, bool grouped, bool named,
                    const std::string& features, double least, int threads) {
  const Plan plan{grouped, named, !features.empty()};
  const auto from = [&](Bytes& bytes) {
    return features == "float64" ? read<double>(bytes, plan, least, threads)
                                 : read<float>(bytes, plan, least, threads);
  };
  if (read_bytes.is_none()) {
    const File file(name);
    FileBytes bytes(file, 0);
    return from(bytes);
  }
  Callable bytes(nb::cast<nb::callable>(read_bytes));
  return from(bytes);
}

}  // namespace

void bind_letor(nb::module_& module) {
  module.def("read_letor", &read_letor, nb::arg("name"), nb::arg("read").none(), nb::kw_only(),
             nb::arg("grouped"), nb::arg("named"), nb::arg("features"), nb::arg("least"),
             nb::arg("threads") = 0);
}

}  // namespace relyon
