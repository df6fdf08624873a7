// Bad input. Becomes relyon.core.errors.InputError (or ParseError when it has a line) in Python.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace relyon {

struct Put;

// The kind of a sentence and its values: what relyon.core.texts.message takes. Text that is no kind
// is said as it is.
struct Sentence {
  Sentence(const char* named);
  Sentence(std::string named);
  Sentence(std::string named, std::vector<Put> put);

  bool empty() const { return kind.empty(); }

  std::string kind;
  std::vector<Put> values;
};

// A value of a sentence: text that stays as it is, or words that are translated, too.
struct Put {
  Put(const char* as, std::string text) : name(as), value(std::move(text)) {}
  Put(const char* as, const char* text) : name(as), value(text) {}
  Put(const char* as, Sentence words) : name(as), value(std::move(words)), translated(true) {}

  const char* name;
  Sentence value;
  bool translated = false;
};

struct InputError : std::runtime_error {
  explicit InputError(const Sentence& message, std::string from = {}, std::uint64_t at = 0,
                      Sentence advice = "")
      : std::runtime_error(message.kind),
        sentence(message),
        path(std::move(from)),
        line(at),
        hint(std::move(advice)) {}
  Sentence sentence;
  std::string path;
  std::uint64_t line;  // 1-based; 0: no line to name
  Sentence hint;
};

// Thrown by a fast reader at what is unusual or wrong: a slower one reads it, or names the fault.
struct Unlike {};

// A measure that `ties=expected` has no formula for.
struct NoClosedForm : InputError {
  using InputError::InputError;
};

}  // namespace relyon
