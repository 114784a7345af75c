// Our reader of JSON takes what another one takes (nlohmann's), and the same texts and numbers.
#include "report/document/json_reader.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fuzz.h"

using namespace drover;
using nlohmann::json;

namespace {

// Reads with ours what the other reader has found.
void compare(report::JsonReader& reader, const json& expected) {
  switch (expected.type()) {
    case json::value_t::object:
      // The other keeps one value of equal keys, so that only the names can be compared.
      reader.object([&](std::string_view key) {
        fuzz::require(expected.contains(std::string(key)), "the other reader has the key", key);
        reader.skip();
      });
      break;
    case json::value_t::array: {
      std::size_t length = 0;
      reader.array([&](std::size_t index) {
        fuzz::require(index < expected.size(), "the other list is as long");
        compare(reader, expected[index]);
        ++length;
      });
      fuzz::require(length == expected.size(), "the other list is not longer");
      break;
    }
    case json::value_t::string:
      fuzz::require(reader.text(1u << 20) == expected.get<std::string>(), "the texts are equal");
      break;
    case json::value_t::boolean:
      fuzz::require(reader.boolean() == expected.get<bool>(), "the truths are equal");
      break;
    case json::value_t::number_unsigned:
      fuzz::require(reader.whole_number(std::numeric_limits<std::uint64_t>::max()) ==
                        expected.get<std::uint64_t>(),
                    "the numbers are equal");
      break;
    case json::value_t::number_integer:
      fuzz::require(reader.whole_number(std::numeric_limits<std::int64_t>::min(),
                                        std::numeric_limits<std::int64_t>::max()) ==
                        expected.get<std::int64_t>(),
                    "the numbers are equal");
      break;
    case json::value_t::number_float: {
      constexpr double most = std::numeric_limits<double>::max();
      fuzz::require(reader.number(-most, most) == expected.get<double>(), "the numbers are equal");
      break;
    }
    default:
      fuzz::require(reader.null(), "null is null");
  }
}

std::size_t depth_of(const json& value) {
  std::size_t depth = 0;
  if (value.is_structured()) {
    for (const json& element : value) depth = std::max(depth, depth_of(element));
    ++depth;
  }
  return depth;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (text.find('\0') != std::string_view::npos) return 0;  // where the other reader sees the end
  json expected;
  std::string refused;
  bool out_of_range = false;  // 1e999, which is valid JSON
  try {
    expected = json::parse(text);
  } catch (const json::exception& error) {
    refused = error.what();
    out_of_range = error.id == 406;
  }
  std::string message;
  try {
    report::JsonReader reader(text);
    reader.skip();
    reader.finish();
  } catch (const report::JsonError& error) {
    message = error.what();
    fuzz::require_message(message);
  }
  if (!refused.empty()) {
    fuzz::require(!message.empty() || out_of_range, "both refuse", refused);
    return 0;
  }
  if (depth_of(expected) > report::json_depth_max) {
    fuzz::require(!message.empty(), "what nests too deep is refused");
    return 0;
  }
  fuzz::require(message.empty(), "neither refuses", message);
  report::JsonReader reader(text);
  compare(reader, expected);
  return 0;
}
