// What is said of a database that does not hold what a command needs. Pure; any thread.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace drover::tpcc {

// The schema is not in the state that a command needs; the message says what to do.
class UnfitSchema : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// For messages: how to name the schema on the command line, " --schema x" or nothing.
std::string schema_argument(std::string_view schema);

}  // namespace drover::tpcc
