// For tests of the conditions: a server with two valid databases, made once for the program.
//
//   fresh  the population of small_population.sql, two warehouses
//   used   two warehouses as Drover's import loads them, and hundreds of each transaction on them
//
// In both, a test may make a null of any column that is in no key: the columns are nullable.
// Belongs to one thread.
#pragma once

#include <libpq-fe.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "support/test_server.h"
#include "workload/tpcc/postgres/check/check.h"

namespace drover::tpcc::postgres {

struct FoundOffender {
  std::string key;
  std::string expected;
  std::string found;
  int count = 0;
};

std::ostream& operator<<(std::ostream& out, const FoundOffender& offender);

class CheckedDatabase {
 public:
  enum class Data { fresh, used };

  static CheckedDatabase& instance();

  void use(Data data);

  // Hands back the rows of the last statement. Throws std::runtime_error, with the statement.
  std::vector<std::vector<std::string>> query(const std::string& sql);
  void execute(const std::string& sql) { query(sql); }
  // The one row of a query, its columns by name.
  std::map<std::string, std::string> row(const std::string& sql);

  std::vector<FoundOffender> run(const SqlCondition& condition, int first, int last, int limit = 3);

  const std::string& conninfo() const { return conninfo_; }

 private:
  CheckedDatabase();
  void make_fresh();
  void make_used();

  struct ConnectionCloser {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  test::TestServer server_{{"shared_buffers=512MB"}};  // which has room for both
  std::string conninfo_;
  std::unique_ptr<PGconn, ConnectionCloser> connection_;
  bool has_used_ = false;
};

// Undoes everything at the end of a test.
class UndoneTransaction {
 public:
  explicit UndoneTransaction(CheckedDatabase::Data data);
  ~UndoneTransaction();
  UndoneTransaction(const UndoneTransaction&) = delete;
  UndoneTransaction& operator=(const UndoneTransaction&) = delete;
};

// What holds of the data: of fresh ones the whole catalogue, of used ones what holds always.
std::vector<SqlCondition> catalogue_of(CheckedDatabase::Data data, Money money);
SqlCondition sql_condition_named(std::string_view name);

}  // namespace drover::tpcc::postgres
