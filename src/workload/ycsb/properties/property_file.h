// The text of a property file, in the format of java.util.Properties, in which workloads of YCSB are written:
//
//   # a comment, and ! begins one too
//   recordcount=1000            (or `recordcount: 1000`, or `recordcount 1000`)
//   label = a value over \
//           several lines
//   table = \u0075sertable      (\t \n \r \f and \uXXXX; any other character after a backslash is itself)
//
// Unlike Java, it is UTF-8, and what Java would take as it is but nobody means is refused: control characters, an entry
// without a name, half of a pair of surrogates. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace drover::ycsb {

// One printable line: where and what is wrong and what was expected.
struct PropertyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct PropertyEntry {
  std::string key;
  std::string value;     // with the blanks at its end, as in Java
  std::size_t line = 0;  // in which it begins, from 1

  friend bool operator==(const PropertyEntry&, const PropertyEntry&) = default;
};

// In the order of the text; of entries with the same key, the last is meant.
// Throws PropertyError, whose message begins with the line.
std::vector<PropertyEntry> parse_property_file(std::string_view text);

}  // namespace drover::ycsb
