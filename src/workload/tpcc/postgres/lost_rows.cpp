#include "workload/tpcc/postgres/lost_rows.h"

#include <fmt/format.h>

namespace drover::tpcc::postgres {

bool loses_rows(int server_version) noexcept {
  return server_version >= 180000 && server_version < 180002;
}

std::string lost_rows_note(std::string_view server_version) {
  return fmt::format(
      "note: PostgreSQL {} loses rows of UPDATE … FROM an array or a CTE when another transaction "
      "has just changed them (18.0 and 18.1 do; mended in 18.2). There the batched statements go "
      "row by row, so a run is not comparable with one on another version: update the server",
      server_version);
}

std::string lost_rows_found_note() {
  return "note: an UPDATE … FROM has left out rows that are there, as those of PostgreSQL 18.0 and "
         "18.1 do (mended in 18.2). From here on Drover updates row by row: update the server";
}

bool is_lost_row(const database::Error& error) noexcept {
  return error.sqlstate() == "XX000" &&
         std::string_view(error.what()).find("EvalPlanQual") != std::string_view::npos;
}

}  // namespace drover::tpcc::postgres
