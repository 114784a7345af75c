// Conversions between described values (settings/field.h) and the texts of documents.
#pragma once

#include <string>
#include <string_view>

#include "report/document/described_json.h"
#include "report/document/described_reader.h"

namespace drover::report {

template <class Described>
std::string written_text(const Described& value) {
  DescribedJson written;
  describe(written, value);
  return written.take().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Throws JsonError.
template <class Described>
Described read_text(std::string_view text) {
  JsonReader json(text);
  Described value;
  read_described(json, value);
  json.finish();
  return value;
}

}  // namespace drover::report
