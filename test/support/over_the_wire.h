// What a described value (settings/field.h) is on another host: written as JSON, and read again.
#pragma once

#include <string>

#include "report/document/described_json.h"
#include "report/document/described_reader.h"

namespace drover::test {

template <class Described>
Described over_the_wire(const Described& value) {
  report::DescribedJson written;
  describe(written, value);
  const std::string text = written.take().dump();
  report::JsonReader json(text);
  Described read;
  report::read_described(json, read);
  json.finish();
  return read;
}

}  // namespace drover::test
