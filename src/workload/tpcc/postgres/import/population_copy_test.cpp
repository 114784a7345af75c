#include "workload/tpcc/postgres/import/copy_binary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "workload/tpcc/postgres/import/import.h"

namespace drover::tpcc::postgres {
namespace {

// 2024-01-02 03:04:05.678901
constexpr PopulationSeed seed = {99, 1'704'164'645'678'901};

std::string whole_part(Table table, int32_t w_id, const PopulationSeed& population) {
  CopyBuffer buffer;
  TableCopy copy(table, w_id, population);
  EXPECT_FALSE(copy.fill(buffer, SIZE_MAX / 2));
  return std::string(buffer.view());
}

std::string part_in_pieces(Table table, int32_t w_id, size_t piece_bytes) {
  std::string bytes;
  CopyBuffer buffer;
  TableCopy copy(table, w_id, seed);
  bool more = true;
  while (more) {
    buffer.clear();
    more = copy.fill(buffer, piece_bytes);
    if (more) EXPECT_GE(buffer.size(), piece_bytes);
    EXPECT_LT(buffer.size(), piece_bytes + 2048);
    bytes += buffer.view();
  }
  return bytes;
}

TEST(TableCopy, SmallPiecesGiveTheSameBytes) {
  for (const Table table : all_tables) {
    const std::string whole = whole_part(table, 3, seed);
    EXPECT_TRUE(whole == part_in_pieces(table, 3, 1000)) << table_name(table);
    EXPECT_TRUE(whole == part_in_pieces(table, 3, 65'536)) << table_name(table);
  }
}

TEST(TableCopy, BytesFollowSeedAndWarehouse) {
  for (const Table table : all_tables) {
    const std::string bytes = whole_part(table, 3, seed);
    EXPECT_TRUE(bytes == whole_part(table, 3, seed)) << table_name(table);
    EXPECT_EQ(bytes == whole_part(table, 4, seed), table == Table::Item) << table_name(table);
    const PopulationSeed other = {seed.seed + 1, seed.load_time_us};
    EXPECT_EQ(bytes == whole_part(table, 3, other), table == Table::NewOrder) << table_name(table);
  }
}

TEST(TableCopy, CountsItsRows) {
  for (const Table table : all_tables) {
    CopyBuffer buffer;
    TableCopy copy(table, 1, seed);
    copy.fill(buffer, SIZE_MAX / 2);
    if (table == Table::OrderLine) {
      EXPECT_NEAR(static_cast<double>(copy.rows_written()), 300'000, 6 * 3.17 * 174);
    } else {
      EXPECT_EQ(copy.rows_written(), rows_at_load(table, 1)) << table_name(table);
    }
    EXPECT_FALSE(copy.fill(buffer, 1)) << "a part that is complete adds nothing";
  }
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  char piece[4096];
  for (size_t size = 0; (size = std::fread(piece, 1, sizeof(piece), pipe)) > 0;) {
    output.append(piece, size);
  }
  if (::pclose(pipe) != 0) throw std::runtime_error(command + " failed:\n" + output);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

// A PostgreSQL of the test's own: its data and its socket in a folder that goes with it.
class TemporaryServer {
 public:
  TemporaryServer() {
    // A psql that ends early must show its message, and not end the test.
    std::signal(SIGPIPE, SIG_IGN);
    char name[] = "/tmp/drover-copy-test-XXXXXX";
    if (::mkdtemp(name) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    folder_ = name;
    find_programs();
    if (::geteuid() == 0) {
      // PostgreSQL refuses to run as root.
      as_owner_ = "setpriv --reuid=postgres --regid=postgres --clear-groups ";
      output_of("chown postgres " + folder_);
    }
    output_of(fmt::format("cd {0} && {1}{2}/initdb -D {0}/data -U postgres -A trust -N", folder_,
                          as_owner_, programs_));
    output_of(
        fmt::format("cd {0} && {1}{2}/pg_ctl -w -D {0}/data -l {0}/log start "
                    "-o \"-k {0} -c listen_addresses='' -c fsync=off -c max_wal_size=4GB\"",
                    folder_, as_owner_, programs_));
  }
  TemporaryServer(const TemporaryServer&) = delete;
  TemporaryServer& operator=(const TemporaryServer&) = delete;
  ~TemporaryServer() {
    const std::string command =
        fmt::format("cd {0} && {1}{2}/pg_ctl -m immediate -D {0}/data stop >/dev/null 2>&1",
                    folder_, as_owner_, programs_);
    if (std::system(command.c_str()) != 0) ADD_FAILURE() << "cannot stop the server";
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  // The rows of the last statement, columns parted by |.
  [[nodiscard]] std::string query(const std::string& sql) const {
    const std::string file = folder_ + "/query.sql";
    std::ofstream(file) << sql << ";\n";
    return output_of(psql() + "-f " + file);
  }

  void copy(const std::string& statement, const std::vector<std::string>& pieces) const {
    const std::string messages = folder_ + "/copy.log";
    std::FILE* pipe =
        ::popen(fmt::format("{}-c '{}' >{} 2>&1", psql(), statement, messages).c_str(), "w");
    if (pipe == nullptr) throw std::runtime_error("cannot run psql");
    for (const std::string& piece : pieces) std::fwrite(piece.data(), 1, piece.size(), pipe);
    if (::pclose(pipe) != 0) throw std::runtime_error("COPY: " + output_of("cat " + messages));
  }

 private:
  [[nodiscard]] std::string psql() const {
    return fmt::format("{}/psql -XqAt -v ON_ERROR_STOP=1 -h {} -U postgres -d postgres ", programs_,
                       folder_);
  }

  // Debian keeps the server's programs outside PATH, a folder for each version.
  void find_programs() {
    programs_ = output_of(
        "(command -v postgres >/dev/null && dirname $(command -v postgres); "
        "ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V) | tail -1");
    if (programs_.empty()) throw std::runtime_error("no PostgreSQL server is installed");
  }

  std::string folder_;
  std::string programs_;
  std::string as_owner_;
};

std::string stream_of(const std::string& rows) {
  CopyBuffer header, trailer;
  header.header();
  trailer.trailer();
  return std::string(header.view()) + rows + std::string(trailer.view());
}

TEST(CopyBinaryOnServer, NumericsArriveAsWritten) {
  const TemporaryServer server;
  const std::vector<int64_t> values = {0,
                                       1,
                                       -1,
                                       9,
                                       10,
                                       99,
                                       100,
                                       101,
                                       -1000,
                                       9'999,
                                       10'000,
                                       10'001,
                                       99'999,
                                       100'000,
                                       1'000'000,
                                       -12'345'678,
                                       30'000'000,
                                       99'999'999,
                                       100'000'000,
                                       100'000'001,
                                       9'999'999'999,
                                       -999'999'999'999,
                                       1'000'000'000'000,
                                       99'999'999'999'999,
                                       -99'999'999'999'999};
  CopyBuffer rows;
  for (const int64_t value : values) {
    rows.row(value, Cents{value}, TenThousandths{static_cast<int32_t>(value % 1'000'000'000)});
  }
  (void)server.query("CREATE TABLE n (v bigint, n2 numeric, n4 numeric)");
  server.copy("COPY n FROM STDIN (FORMAT binary)", {stream_of(std::string(rows.view()))});
  EXPECT_EQ(server.query("SELECT count(*) FROM n"), std::to_string(values.size()));
  EXPECT_EQ(server.query("SELECT * FROM n WHERE n2 <> v / 100.0 OR n4 <> v % 1000000000 / 10000.0"),
            "");
  // Equal numerics have one text only if they were stored in the normal form.
  EXPECT_EQ(server.query("SELECT * FROM n WHERE n2::text::numeric(20,2)::text <> n2::text OR "
                         "scale(n2) <> 2 OR scale(n4) <> 4 OR numeric_send(n4) <> "
                         "numeric_send((n4::text)::numeric)"),
            "");
}

struct Expectation {
  const char* what;
  std::string sql;
  std::string result;
};

// The number of rows with some property is off by six standard deviations at most.
std::string share_holds(const char* table, const char* condition, const char* share) {
  return fmt::format(
      "SELECT abs(count(*) FILTER (WHERE {1}) - count(*) * {2}) < 6 * sqrt(count(*) * {2} * "
      "(1 - {2})) FROM tpcc.{0}",
      table, condition, share);
}

std::vector<Expectation> expected_domains() {
  const std::string text = "!~ '^[A-Za-z0-9]+$'";
  return {
      {"warehouses", "SELECT count(*), sum(w_ytd) FROM tpcc.warehouse", "2|600000.00"},
      {"warehouse",
       "SELECT count(*) FROM tpcc.warehouse WHERE w_tax NOT BETWEEN 0 AND 0.2 OR w_zip !~ "
       "'^[0-9]{4}11111$' OR w_state !~ '^[A-Za-z0-9]{2}$' OR length(w_name) NOT BETWEEN 6 AND 10 "
       "OR length(w_street_1) NOT BETWEEN 10 AND 20 OR w_city " +
           text,
       "0"},
      {"districts",
       "SELECT count(*), count(DISTINCT d_id), sum(d_ytd), min(d_next_o_id), max(d_next_o_id) "
       "FROM tpcc.district",
       "10|10|300000.00|3001|3001"},
      {"customer",
       "SELECT count(*) FROM tpcc.customer WHERE c_middle <> 'OE' OR c_phone !~ '^[0-9]{16}$' OR "
       "c_credit NOT IN ('GC', 'BC') OR c_credit_lim <> 50000 OR c_discount NOT BETWEEN 0 AND 0.5 "
       "OR c_balance <> -10 OR c_ytd_payment <> 10 OR c_payment_cnt <> 1 OR c_delivery_cnt <> 0 "
       "OR length(c_first) NOT BETWEEN 8 AND 16 OR length(c_data) NOT BETWEEN 300 AND 500 OR "
       "c_since <> '2024-01-02 03:04:05.678901' OR c_data " +
           text,
       "0"},
      {"names of the first thousand",
       "SELECT DISTINCT count(DISTINCT c_last) FROM tpcc.customer WHERE c_id <= 1000 "
       "GROUP BY c_d_id",
       "1000"},
      {"name of customer 372", "SELECT DISTINCT c_last FROM tpcc.customer WHERE c_id = 372",
       "PRICALLYOUGHT"},
      {"bad credit", share_holds("customer", "c_credit = 'BC'", "0.1"), "t"},
      {"history",
       "SELECT count(*) FROM tpcc.history WHERE h_amount <> 10 OR length(h_data) NOT BETWEEN 12 "
       "AND 24 OR h_d_id <> h_c_d_id OR h_w_id <> h_c_w_id OR "
       "h_date <> '2024-01-02 03:04:05.678901'",
       "0"},
      {"item",
       "SELECT count(*) FROM tpcc.item WHERE i_im_id NOT BETWEEN 1 AND 10000 OR i_price NOT "
       "BETWEEN 1 AND 100 OR length(i_name) NOT BETWEEN 14 AND 24 OR length(i_data) NOT BETWEEN 26 "
       "AND 50",
       "0"},
      {"original items", share_holds("item", "i_data LIKE '%ORIGINAL%'", "0.1"), "t"},
      {"stock",
       "SELECT count(*) FROM tpcc.stock WHERE s_quantity NOT BETWEEN 10 AND 100 OR s_ytd <> 0 OR "
       "s_order_cnt <> 0 OR s_remote_cnt <> 0 OR length(s_data) NOT BETWEEN 26 AND 50 OR "
       "s_dist_01 !~ '^[A-Za-z0-9]{24}$' OR s_dist_10 !~ '^[A-Za-z0-9]{24}$'",
       "0"},
      {"original stock", share_holds("stock", "s_data LIKE '%ORIGINAL%'", "0.1"), "t"},
  };
}

std::vector<Expectation> expected_agreements() {
  return {
      {"new orders",
       "SELECT DISTINCT count(*), min(no_o_id), max(no_o_id) FROM tpcc.new_order GROUP BY no_d_id",
       "900|2101|3000"},
      {"orders of a district are a permutation of its customers",
       "SELECT DISTINCT count(*), count(DISTINCT o_c_id), min(o_c_id), max(o_c_id) FROM "
       "tpcc.oorder GROUP BY o_d_id",
       "3000|3000|1|3000"},
      {"orders",
       "SELECT count(*) FROM tpcc.oorder WHERE o_all_local <> 1 OR o_ol_cnt NOT BETWEEN 5 AND 15 "
       "OR (o_carrier_id IS NULL) <> (o_id > 2100) OR o_carrier_id NOT BETWEEN 1 AND 10",
       "0"},
      {"lines of each order",
       "SELECT count(*) FROM tpcc.oorder FULL JOIN (SELECT ol_d_id, ol_o_id, count(*) AS lines, "
       "min(ol_number) AS first, max(ol_number) AS last FROM tpcc.order_line GROUP BY 1, 2) l ON "
       "o_d_id = ol_d_id AND o_id = ol_o_id WHERE (lines, first, last) IS DISTINCT FROM "
       "(o_ol_cnt::bigint, 1, o_ol_cnt)",
       "0"},
      {"delivery of each line",
       "SELECT count(*) FROM tpcc.oorder JOIN tpcc.order_line ON o_d_id = ol_d_id AND o_id = "
       "ol_o_id WHERE ol_delivery_d IS DISTINCT FROM CASE WHEN o_id < 2101 THEN o_entry_d END",
       "0"},
      {"lines",
       "SELECT count(*) FROM tpcc.order_line WHERE ol_i_id NOT BETWEEN 1 AND 100000 OR "
       "ol_supply_w_id <> ol_w_id OR ol_quantity <> 5 OR ol_dist_info !~ '^[A-Za-z0-9]{24}$' OR "
       "CASE WHEN ol_o_id < 2101 THEN ol_amount <> 0 ELSE ol_amount NOT BETWEEN 0.01 AND 9999.99 "
       "END",
       "0"},
      {"foreign keys", "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated",
       "10"},
  };
}

void load_warehouse(const TemporaryServer& server, const std::string& schema) {
  (void)server.query("CREATE SCHEMA " + quote_identifier(schema));
  for (const Table table : all_tables) {
    (void)server.query(create_table(table, schema));
    std::string rows = whole_part(table, 1, seed);
    // Two parts in one COPY, where that costs nothing.
    if (table == Table::Warehouse) rows += whole_part(table, 2, seed);
    server.copy(copy_statement(table, schema), {stream_of(rows)});
  }
  for (const SchemaObject& object : schema_objects(schema)) (void)server.query(object.sql);
}

TEST(CopyBinaryOnServer, ALoadedWarehouseKeepsTheRules) {
  const TemporaryServer server;
  load_warehouse(server, "tpcc");
  for (const Table table : all_tables) {
    if (table == Table::OrderLine || table == Table::Warehouse) continue;
    EXPECT_EQ(server.query(fmt::format("SELECT count(*) FROM tpcc.{}", table_name(table))),
              std::to_string(rows_at_load(table, 1)))
        << table_name(table);
  }
  for (const auto& expectations : {expected_domains(), expected_agreements()}) {
    for (const Expectation& expectation : expectations) {
      EXPECT_EQ(server.query(expectation.sql), expectation.result) << expectation.what;
    }
  }
  for (const SchemaObject& object : schema_objects("tpcc")) {
    const std::string found = server.query(fmt::format(
        "SELECT (SELECT count(*) FROM pg_constraint WHERE conname = '{0}' AND conrelid = "
        "'tpcc.{1}'::regclass) + (SELECT count(*) FROM pg_indexes WHERE indexname = '{0}' AND "
        "tablename = '{1}') > 0",
        object.name, table_name(object.table)));
    EXPECT_EQ(found, "t") << object.name;
  }
}

}  // namespace
}  // namespace drover::tpcc::postgres
