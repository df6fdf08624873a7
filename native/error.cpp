#include "error.hpp"

namespace relyon {

Sentence::Sentence(const char* named) : kind(named) {}
Sentence::Sentence(std::string named) : kind(std::move(named)) {}
Sentence::Sentence(std::string named, std::vector<Put> put)
    : kind(std::move(named)), values(std::move(put)) {}

}  // namespace relyon
