// Small ways to spoil a valid database, each with the condition that must find it and the key that
// it must name. The lists of two files; corruptions_test.cpp tries them.
#pragma once

#include <string>
#include <vector>

#include "workload/tpcc/postgres/check/checked_database_test.h"

namespace drover::tpcc::postgres {

struct Corruption {
  std::string sql;
  std::string condition;
  // Key of the first offender, whole.
  std::string key;
  // All offenders of this condition; 0: as many as there are.
  int count = 1;
  // Last warehouse of the check.
  int last_warehouse = 2;
};

std::vector<Corruption> corruptions_of_fresh_data();
// Made of rows that are looked up in the database, which must be `used`.
std::vector<Corruption> corruptions_of_used_data();

}  // namespace drover::tpcc::postgres
