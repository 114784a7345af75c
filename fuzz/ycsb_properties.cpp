// A property file of YCSB: what is refused is refused by one printable line without a password,
// what is taken keeps what every workload can count on, and what was taken is taken again as it is
// shown.
#include "workload/ycsb/properties/properties.h"

#include "fuzz.h"

using namespace drover;

namespace {

void require_valid(const ycsb::Properties& properties) {
  fuzz::require(properties.field_length_min <= properties.field_length, "lengths are in order");
  fuzz::require(properties.scan_length_min >= 1, "scans have rows");
  fuzz::require(properties.scan_length_min <= properties.scan_length_max, "scans are in order");
  fuzz::require(properties.insert_start >= 0 && properties.insert_count >= 0, "parts are counts");
  fuzz::require(properties.insert_start + properties.insert_count <= properties.record_count,
                "the part is within the rows");
  fuzz::require(properties.read_proportion + properties.update_proportion +
                        properties.insert_proportion + properties.scan_proportion +
                        properties.read_modify_write_proportion >
                    0,
                "there is an operation");
  for (const std::string& name : properties.ignored) fuzz::require_message(name);
}

// Returns true if the text holds the secret, also in parts that a line continuation joins.
bool holds_secret(std::string text) {
  std::erase_if(text, [](char c) {
    return std::string_view("\\\r\n\t\f ").find(c) != std::string_view::npos;
  });
  return fuzz::holds_secret(text);
}

// The value of an entry, with escapes.
std::string written(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || (text.empty() && c == ' ')) text += '\\';
    text += c;
  }
  return text;
}

void require_same_again(const ycsb::Properties& properties) {
  std::string text;
  for (const ycsb::PropertyDefinition& one : ycsb::property_table()) {
    text += one.name + "=" + written(one.kind.show(properties)) + "\n";
  }
  ycsb::PropertyReader reader;
  reader.add_text(text, "again");
  const ycsb::Properties again = reader.properties();
  for (const ycsb::PropertyDefinition& one : ycsb::property_table()) {
    const std::string shown = one.kind.show(properties);
    fuzz::require(one.kind.show(again) == shown, "the same is read again", shown);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (holds_secret(std::string(fuzz::text_of(data, size)))) return 0;
  const std::string text =
      "db.passwd=" + std::string(fuzz::secret) + "\n" + std::string(fuzz::text_of(data, size));
  try {
    ycsb::PropertyReader reader;
    reader.add_text(text, "file");
    const ycsb::Properties properties = reader.properties();
    require_valid(properties);
    require_same_again(properties);
  } catch (const ycsb::PropertyError& error) {
    fuzz::require_message(error.what());
    fuzz::require(!fuzz::holds_secret(error.what()), "a message holds no password", error.what());
  }
  return 0;
}
