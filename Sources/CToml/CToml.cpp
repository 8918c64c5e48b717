#include "CToml.h"

#include <algorithm>
#include <deque>
#include <new>
#include <string>
#include <string_view>
#include <vector>

// toml++ 3.3 asserts that a key begins after "[", although its next lines handle the case where none does ("[\n" is
// enough). Input must not abort the daemon, nor cause undefined behaviour (with NDEBUG): so neither assert nor assume.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
// Nested values are read, copied and freed recursively.
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

struct ctoml_document {
  std::string error;
  ctoml_position error_position{0, 0};
  std::vector<ctoml_node> nodes;
  // The strings that nodes point to; a deque never moves its elements.
  std::deque<std::string> texts;
};

namespace {

ctoml_position position(const toml::source_region &source) {
  return {static_cast<uint32_t>(source.begin.line), static_cast<uint32_t>(source.begin.column)};
}

std::string_view keep(ctoml_document &document, std::string_view text) {
  return document.texts.emplace_back(text);
}

void add(ctoml_document &document, int32_t parent, const toml::key *key, const toml::node &node) {
  ctoml_node entry{};
  entry.parent = parent;
  entry.value_position = position(node.source());
  if (key != nullptr) {
    const auto name = keep(document, key->str());
    entry.key = name.data();
    entry.key_length = name.size();
    entry.key_position = position(key->source());
  }
  const auto index = static_cast<int32_t>(document.nodes.size());
  if (const auto *table = node.as_table()) {
    entry.kind = ctoml_kind_table;
    document.nodes.push_back(entry);
    for (auto &&[name, value] : *table) add(document, index, &name, value);
    return;
  }
  if (const auto *array = node.as_array()) {
    entry.kind = ctoml_kind_array;
    document.nodes.push_back(entry);
    for (auto &&value : *array) add(document, index, nullptr, value);
    return;
  }
  if (const auto *text = node.as_string()) {
    entry.kind = ctoml_kind_string;
    const auto kept = keep(document, text->get());
    entry.text = kept.data();
    entry.text_length = kept.size();
  } else if (const auto *integer = node.as_integer()) {
    entry.kind = ctoml_kind_integer;
    entry.integer = integer->get();
  } else if (const auto *number = node.as_floating_point()) {
    entry.kind = ctoml_kind_float;
    entry.number = number->get();
  } else if (const auto *boolean = node.as_boolean()) {
    entry.kind = ctoml_kind_boolean;
    entry.boolean = boolean->get();
  } else {
    entry.kind = ctoml_kind_date;
  }
  document.nodes.push_back(entry);
}

// Every dot in a key is a level of nesting, and toml++ 3.3 limits only the nesting of brackets. A key can't continue on
// the next line, so counting dots per line, including those inside strings, never counts too few.
constexpr ptrdiff_t most_dots = 512;

uint32_t line_with_too_many_dots(std::string_view text) {
  uint32_t line = 1;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (std::count(text.begin(), text.begin() + end, '.') > most_dots) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
    line += 1;
  }
  return 0;
}

}  // namespace

ctoml_document *ctoml_parse(const char *bytes, size_t length) {
  auto *document = new (std::nothrow) ctoml_document;
  if (document == nullptr) return nullptr;
  if (const auto line = line_with_too_many_dots({bytes, length})) {
    document->error = "The line has more than 512 dots";
    document->error_position = {line, 1};
    return document;
  }
  const auto result = toml::parse(std::string_view(bytes, length));
  if (result) {
    add(*document, -1, nullptr, result.table());
  } else {
    document->error = result.error().description();
    document->error_position = position(result.error().source());
  }
  return document;
}

void ctoml_free(ctoml_document *document) { delete document; }

const char *ctoml_error(const ctoml_document *document, ctoml_position *position) {
  if (document->error.empty()) return nullptr;
  *position = document->error_position;
  return document->error.c_str();
}

const ctoml_node *ctoml_nodes(const ctoml_document *document, size_t *count) {
  *count = document->nodes.size();
  return document->nodes.data();
}
