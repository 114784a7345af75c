// A population of TPC-C that is small enough to be read, as one script of SQL.
#pragma once

#include <string>

namespace drover::test {

// The text of small_population.sql. Throws std::runtime_error if it cannot be read.
std::string small_population();

}  // namespace drover::test
