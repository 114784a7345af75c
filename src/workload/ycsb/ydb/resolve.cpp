#include "workload/ycsb/ydb/resolve.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/resolution.h"
#include "workload/ycsb/ydb/table.h"
#include "workload/ycsb/ydb/table_rows.h"

namespace drover::ycsb::ydb {
namespace {

using coro::Task;
using database::Resolution;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::ServerSession;
using database::ydb::YdbDatabase;

// Looks for one doubt after the other, each in a transaction of its own.
class Resolver {
 public:
  Resolver(const YdbDatabase& database, const Properties& properties, ValueKind values)
      : properties_(properties), values_(values), table_(properties) {
    const std::string head = folder_pragma(database) + "DECLARE $key AS Utf8;\n";
    find_ = fmt::format("{0}SELECT {1} FROM {2} WHERE {3} = $key;", head, table_.all_fields(),
                        table_.name(), key_column);
    find_and_write_ = fmt::format("{0}\nUPDATE {1} SET {2} = {2} WHERE {3} = $key;", find_,
                                  table_.name(), table_.field(0), key_column);
    delete_ =
        fmt::format("{0}DELETE FROM {1} ON SELECT $key AS {2};", head, table_.name(), key_column);
  }

  Task<Resolution> resolve(ServerSession& session, const Doubt& doubt) const {
    return doubt.operation.type == OperationType::insert ? resolve_insert(session, doubt)
                                                         : resolve_update(session, doubt);
  }

 private:
  Parameters key_of(const Doubt& doubt) const {
    const KeyName key(doubt.operation.key, properties_.insert_order, properties_.zero_padding);
    Parameters parameters;
    parameters.add("$key", Primitive::utf8, key.view());
    return parameters;
  }

  Task<Resolution> resolve_insert(ServerSession& session, const Doubt& doubt) const {
    const QueryResult found = co_await session.execute(find_, key_of(doubt));
    if (found.set(0).rows() > 0) {
      co_await session.roll_back();
      co_return Resolution::committed;
    }
    co_await session.execute_and_commit(delete_, key_of(doubt));
    co_return Resolution::not_committed;
  }

  Task<Resolution> resolve_update(ServerSession& session, const Doubt& doubt) const {
    const QueryResult found = co_await session.execute_and_commit(find_and_write_, key_of(doubt));
    const ResultSetView row = found.set(0);
    if (row.rows() == 0) co_return Resolution::not_committed;
    const std::uint64_t shown = shown_number(doubt.operation.key, properties_.insert_order);
    const auto field_text = [&](std::uint32_t field) {
      return text_of(row.at(0, table_.plain_field(field)));
    };
    const auto fields = static_cast<std::uint32_t>(table_.field_count());
    co_return resolution_of(doubt, shown, values_, fields, field_text);
  }

  const Properties& properties_;
  ValueKind values_;
  Table table_;
  std::string find_;
  std::string find_and_write_;
  std::string delete_;
};

}  // namespace

Task<std::vector<Resolution>> resolve_doubts(YdbDatabase database, Properties properties,
                                             ValueKind values, std::vector<Doubt> doubts,
                                             coro::Duration patience) {
  std::vector<Resolution> answers;
  const Resolver resolver(database, properties, values);
  // All of these may be repeated, be it after an ambiguous commit: they change nothing.
  auto resolve_rest = [&](ServerSession& session) -> Task<void> {
    while (answers.size() < doubts.size()) {
      const Resolution answer = co_await resolver.resolve(session, doubts[answers.size()]);
      answers.push_back(answer);
    }
  };
  co_await database::ydb::ask_with_retries(database, patience, resolve_rest);
  answers.resize(doubts.size(), Resolution::unknown);
  co_return answers;
}

}  // namespace drover::ycsb::ydb
