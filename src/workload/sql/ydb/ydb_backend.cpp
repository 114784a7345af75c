#include "workload/sql/ydb/ydb_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "database/error.h"
#include "database/ydb/ydb_error.h"
#include "workload/sql/backend.h"
#include "workload/sql/script/transaction_control.h"
#include "workload/sql/ydb/bound_parameters.h"

namespace drover::sql::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::SessionPool;
using database::ydb::TransactionMode;
using database::ydb::YdbError;
using ServerSession = database::ydb::Session;

namespace {

Error refused(std::string_view message) {
  return {ErrorClass::statement, "", std::string(message)};
}

bool only_reads(const Statement& statement) {
  return std::ranges::all_of(statement.effects,
                             [](Effect effect) { return effect == Effect::reads; });
}

// What makes and drops tables and users, which no transaction of YDB holds.
bool changes_scheme(const Statement& statement) {
  constexpr std::array<std::string_view, 5> words = {"create", "alter", "drop", "grant", "revoke"};
  return std::ranges::find(words, first_word(statement.command->sql.text())) != words.end();
}

// " (line 7, column 3)" for the place in the text that was sent, which begins with what the script does not have there;
// nothing where the server named none of the statement.
std::string place_in_script(database::ydb::TextPlace place, const Statement& statement,
                            std::string_view sent) {
  sent.remove_suffix(statement.command->sql.text().size());
  const auto lines_before = static_cast<std::uint32_t>(std::ranges::count(sent, '\n'));
  if (place.row <= lines_before) return "";
  const std::uint32_t line = place.row - lines_before - 1;
  const std::uint32_t columns_before = line == 0 ? statement.position.column - 1 : 0;
  return fmt::format(" (line {}, column {})", statement.position.line + line,
                     columns_before + place.column);
}

void store_row(const Statement& statement, const ResultSetView& rows, Variables& variables) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < rows.columns(); ++i) names.push_back(rows.name(i));
  const auto slots = column_slots(variables.names(), statement.command->prefix, names);
  std::string text;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i]) continue;
    const database::ydb::ValueView value = rows.at(rows.rows() - 1, i);
    if (value.is_null()) {
      variables.set(*slots[i], Value::null());
      continue;
    }
    text.clear();
    value.append_text(text);
    variables.set_text(*slots[i], text);
  }
}

void store(const Statement& statement, const QueryResult& result, Variables& variables) {
  const Storing storing = statement.command->storing;
  if (storing == Storing::none) return;
  if (storing == Storing::aset) {
    for (std::size_t i = 0; i < result.sets(); ++i) {
      if (result.set(i).rows() > 0) store_row(statement, result.set(i), variables);
    }
    return;
  }
  const std::size_t rows = result.sets() == 0 ? 0 : result.set(result.sets() - 1).rows();
  if (rows != 1) throw refused(fmt::format("expected one row, got {}", rows));
  store_row(statement, result.set(result.sets() - 1), variables);
}

}  // namespace

class YdbBackend::YdbSession final : public Session, public database::ydb::SessionTurn {
 public:
  YdbSession(YdbBackend& backend, std::optional<SessionPool>& pool) noexcept
      : SessionTurn(pool), backend_(backend) {}

  Task<void> execute(const Statement& statement, Variables& variables) override {
    const auto control = transaction_control(statement.command->sql.text());
    switch (control.value_or(TransactionControl::none)) {
      case TransactionControl::begin:
        begin_transaction(mode_that_writes());
        co_return;
      case TransactionControl::begin_read_only:
        begin_transaction(TransactionMode::snapshot_read_only);
        co_return;
      case TransactionControl::commit:
        co_return co_await commit();
      case TransactionControl::roll_back:
        co_return co_await roll_back();
      case TransactionControl::none:
        break;
    }
    try {
      store(statement, co_await ask(statement, variables), variables);
    } catch (const YdbError& error) {
      throw explained(error, statement);
    }
  }

  Task<void> open_pipeline(std::span<const Statement>, std::size_t&) override {
    throw refused("YDB has no pipelines");
  }
  void sync_pipeline() override {}
  Task<PipelineAnswer> close_pipeline() override { throw refused("YDB has no pipelines"); }

  bool in_transaction() const noexcept override { return is_open_; }

  Task<void> roll_back() override {
    forget_transaction();
    co_await SessionTurn::roll_back();
  }

  // A script that is cancelled leaves its transaction open; the pool ends the session of the server then.
  void end() noexcept {
    forget_transaction();
    SessionTurn::end();
  }

 private:
  TransactionMode mode_that_writes() const noexcept {
    return backend_.options_.isolation == database::Isolation::snapshot
               ? TransactionMode::snapshot_read_write
               : TransactionMode::serializable_read_write;
  }

  void begin_transaction(TransactionMode mode) {
    if (is_open_) throw refused("a transaction is already open");
    is_open_ = true;
    mode_ = mode;
    server_ = nullptr;
  }

  Task<QueryResult> ask(const Statement& statement, const Variables& variables) {
    if (changes_scheme(statement)) return change_scheme(statement);
    return is_open_ ? ask_within(statement, variables) : ask_alone(statement, variables);
  }

  Task<QueryResult> change_scheme(const Statement& statement) {
    if (is_open_) throw refused("YDB cannot create or drop tables in a transaction");
    co_return co_await (*co_await usable_session()).execute_alone(backend_.text_of(statement));
  }

  Task<QueryResult> ask_alone(const Statement& statement, const Variables& variables) {
    database::ydb::Parameters parameters = bound_parameters(*statement.command, variables);
    ServerSession& session = *co_await usable_session();
    session.set_mode(only_reads(statement) ? TransactionMode::snapshot_read_only
                                           : mode_that_writes());
    co_return co_await session.execute_and_commit(backend_.text_of(statement),
                                                  std::move(parameters));
  }

  // Whatever a statement that only reads has met, nothing of it is in doubt.
  Error explained(const YdbError& error, const Statement& statement) {
    const ErrorClass error_class =
        only_reads(statement) ? database::ydb::class_without_commit(error) : error.error_class();
    return {error_class, error.sqlstate(),
            error.what() + place_in_script(error.place(), statement, backend_.text_of(statement)),
            error.backoff()};
  }

  Task<QueryResult> ask_within(const Statement& statement, const Variables& variables) {
    database::ydb::Parameters parameters = bound_parameters(*statement.command, variables);
    if (server_ == nullptr) {
      ServerSession* const session = co_await usable_session();
      session->set_mode(mode_);
      server_ = session;
    } else {
      require_transaction();
    }
    co_return co_await server_->execute(backend_.text_of(statement), std::move(parameters));
  }

  // A statement behind its end would begin another one, and a commit would have nothing to do. As where the server
  // itself says so (BAD_SESSION), nothing is committed.
  void require_transaction() const {
    if (server_->alive() && server_->in_transaction()) return;
    throw Error(ErrorClass::retryable, "", "the session ended, and its open transaction with it");
  }

  Task<void> commit() {
    ServerSession* const session = server_;
    if (session != nullptr) {
      require_transaction();
      co_await session->commit();
    }
    forget_transaction();
  }

  void forget_transaction() noexcept {
    is_open_ = false;
    server_ = nullptr;
  }

  YdbBackend& backend_;
  bool is_open_ = false;             // behind a BEGIN
  ServerSession* server_ = nullptr;  // on which it has begun; none before its first statement
  TransactionMode mode_ = TransactionMode::serializable_read_write;
};

YdbBackend::YdbBackend(YdbOptions options)
    : options_(std::move(options)),
      pragma_(database::ydb::folder_pragma(options_.database)),
      turns_(options_.connections, [this](std::optional<SessionPool>& pool) {
        return std::make_unique<YdbSession>(*this, pool);
      }) {}

YdbBackend::~YdbBackend() = default;

Task<void> YdbBackend::open() {
  const SessionPool::Options pool{.size = options_.connections,
                                  .wait_for_server = options_.run.waits_for_database(),
                                  .seed = options_.seed};
  return turns_.open(options_.database.client, options_.run.statement_timeout(), pool);
}

Task<void> YdbBackend::keep_open(database::SessionObserver& observer) {
  return turns_.keep_open(observer);
}

Task<database::Session*> YdbBackend::acquire() {
  co_return co_await turns_.acquire();
}

void YdbBackend::release(database::Session& session) noexcept {
  turns_.release(static_cast<YdbSession&>(session));
}

const std::string& YdbBackend::text_of(const Statement& statement) {
  if (texts_.size() <= statement.number) texts_.resize(statement.number + 1);
  std::string& text = texts_[statement.number];
  if (text.empty()) text = pragma_ + statement.parameterised;
  return text;
}

}  // namespace drover::sql::ydb
