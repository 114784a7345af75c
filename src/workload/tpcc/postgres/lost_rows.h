// Servers that lose rows. PostgreSQL 18.0 and 18.1 forget, when an UPDATE, DELETE or SELECT … FOR
// UPDATE has waited for another transaction and looks at the changed row again, that it is joined
// with something that is no table: VALUES, unnest(), a CTE. The row is then left out as if it did
// not match, or the statement ends with an internal error. 18.2 is mended.
//
// There the batched New-Order and Delivery go by single rows (transactions.h). So they do after the
// first time that they find on any server what the joins had left out.
#pragma once

#include <string>
#include <string_view>

#include "database/error.h"

namespace drover::tpcc::postgres {

// `server_version`: as libpq has it, 180001 for 18.1.
bool loses_rows(int server_version) noexcept;

// For people, before a run on such a server, and in the middle of one that is found to be such.
std::string lost_rows_note(std::string_view server_version);
std::string lost_rows_found_note();

// A batched shape has not had all of its rows: they are not there, or the server has lost them.
// The same by single rows finds out which.
class RowsMissing final : public database::Error {
 public:
  using Error::Error;
};

// The internal error that such a server ends the statement with.
bool is_lost_row(const database::Error& error) noexcept;

}  // namespace drover::tpcc::postgres
