#include "error.hpp"

#include <algorithm>

namespace relyon {

Sentence::Sentence(const char* sentence) : text(sentence) {}
Sentence::Sentence(std::string sentence) : text(std::move(sentence)) {}
Sentence::Sentence(std::string sentence, std::vector<Put> put)
    : text(std::move(sentence)), values(std::move(put)) {}

std::string Sentence::english() const {
  if (values.empty()) return text;
  std::string said;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
    const auto value = std::find_if(values.begin(), values.end(), [&](const Put& one) {
      return end != std::string::npos && text.compare(at + 1, end - at - 1, one.name) == 0;
    });
    if (value == values.end()) {
      said += text[at++];
    } else {
      said += value->value.english();
      at = end + 1;
    }
  }
  return said;
}

}  // namespace relyon
