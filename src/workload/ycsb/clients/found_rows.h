// What an operation has found, or not: counts of its Outcome, and errors that say what to do. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "database/error.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/properties/properties.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

// Counts a value that was read, and whether it is what somebody must have written there.
void count_value(const FieldLengths& lengths, std::string_view text, FieldPlace place,
                 Outcome& outcome);

// For a row that a scan has read.
void count_foreign_key(std::string_view key, Outcome& outcome);

// The row that the operation wants is not there: class statement.
[[noreturn]] void throw_not_found(std::string_view key, std::uint64_t number,
                                  const Properties& properties, Outcome& outcome);

// The row that it inserts is there: somebody else inserts the same rows.
database::Error explained_duplicate(const database::Error& error, std::uint64_t number);

}  // namespace drover::ycsb
