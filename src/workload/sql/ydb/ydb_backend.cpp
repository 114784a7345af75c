#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "database/error.h"
#include "database/ydb/session.h"
#include "database/ydb/ydb_error.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "workload/sql/ydb/database_on_ydb.h"

namespace drover::sql::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::Cell;
using database::ydb::Decimal;
using database::ydb::Int128;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::ScalarType;
using database::ydb::ServerSession;
using database::ydb::SessionPool;
using database::ydb::TransactionMode;
using database::ydb::YdbDatabase;
using database::ydb::YdbError;

namespace {

ScalarType scalar_of(const ParameterType& type) {
  constexpr Primitive primitives[] = {Primitive::boolean, Primitive::int32,  Primitive::int64,
                                      Primitive::uint32,  Primitive::uint64, Primitive::real,
                                      Primitive::utf8,    Primitive::bytes,  Primitive::decimal};
  ScalarType scalar = primitives[static_cast<std::size_t>(type.kind)];
  if (type.kind == ParameterKind::decimal) {
    scalar = ScalarType::decimal(type.precision, type.scale);
  }
  scalar.optional = type.optional;
  return scalar;
}

[[noreturn]] void refuse_value(std::string_view text, const Declaration& declared) {
  throw Error(ErrorClass::statement, "",
              fmt::format("${}: the value {} does not have the type {}", declared.name,
                          text::shown(text), declared.type_name));
}

template <class Number>
Number number_of(std::string_view text, const Declaration& declared) {
  const std::optional<Number> number = text::number_of<Number>(text);
  if (!number) refuse_value(text, declared);
  return *number;
}

// Requires: 0 <= exponent <= 35, the limit of a Decimal.
Int128 power_of_ten(int exponent) noexcept {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const text::Utf8Character character = text::first_character(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

bool boolean_of(std::string_view text, const Declaration& declared) {
  const std::optional<Value> value = value_of(text);
  if (!value || value->kind() != ValueKind::boolean) refuse_value(text, declared);
  return value->boolean();
}

void add_parameter(Parameters& parameters, const std::string& name, std::string_view text,
                   const Declaration& declared) {
  const ScalarType type = scalar_of(declared.type);
  const auto put = [&](const Cell& cell) { parameters.add(name, type, cell); };
  switch (declared.type.kind) {
    case ParameterKind::boolean:
      return put(boolean_of(text, declared));
    case ParameterKind::int32:
      return put(number_of<std::int32_t>(text, declared));
    case ParameterKind::int64:
      return put(number_of<std::int64_t>(text, declared));
    case ParameterKind::uint32:
      return put(number_of<std::uint32_t>(text, declared));
    case ParameterKind::uint64:
      return put(number_of<std::uint64_t>(text, declared));
    case ParameterKind::real:
      return put(number_of<double>(text, declared));
    case ParameterKind::utf8:
      if (!is_utf8(text)) refuse_value(text, declared);
      return put(text);
    case ParameterKind::bytes:
      return put(text);
    case ParameterKind::decimal:
      return put(decimal_of(text, declared));
  }
}

}  // namespace

Decimal decimal_of(std::string_view text, const Declaration& declared) {
  const bool negative = text.starts_with('-');
  const std::string_view number = text.substr(negative ? 1 : 0);
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction = number.substr(std::min(point + 1, number.size()));
  const std::size_t scale = declared.type.scale;
  if (whole.size() + fraction.size() == 0 || fraction.size() > scale) refuse_value(text, declared);
  const Int128 limit = power_of_ten(declared.type.precision);
  Int128 digits = 0;
  const auto append = [&](char c) {
    if (c < '0' || c > '9') refuse_value(text, declared);
    digits = digits * 10 + (c - '0');
    if (digits >= limit) refuse_value(text, declared);
  };
  for (const char c : whole) append(c);
  for (const char c : fraction) append(c);
  for (std::size_t place = fraction.size(); place < scale; ++place) append('0');
  return {negative ? -digits : digits};
}

Parameters bound_parameters(const SqlCommand& command, const Variables& variables) {
  Parameters parameters;
  std::string name;
  std::string text;
  for (const Declaration& declared : command.declared) {
    name = "$" + declared.name;
    text.clear();
    if (append_parameter(variables, declared.slot, text)) {
      add_parameter(parameters, name, text, declared);
    } else if (declared.type.optional) {
      parameters.add(name, scalar_of(declared.type), database::ydb::null);
    } else {
      throw Error(ErrorClass::statement, "",
                  fmt::format("${}: the variable is {}, and {} does not allow NULL. Set the "
                              "variable, or declare Optional<{}>",
                              declared.name, variables.is_set(declared.slot) ? "null" : "not set",
                              declared.type_name, declared.type_name));
    }
  }
  return parameters;
}

namespace {

Error refused(std::string_view message) {
  return {ErrorClass::statement, "", std::string(message)};
}

bool only_reads(const Statement& statement) {
  return std::ranges::all_of(statement.effects,
                             [](Effect effect) { return effect == Effect::reads; });
}

// Returns true for statements that YDB does not execute in a transaction.
bool changes_scheme(const Statement& statement) {
  constexpr std::array<std::string_view, 5> words = {"create", "alter", "drop", "grant", "revoke"};
  return std::ranges::find(words, first_word(statement.command->sql.text())) != words.end();
}

// Converts a place in the sent text, which begins with pragmas and declarations, to the script:
// " (line 7, column 3)". Returns an empty text for places before the statement.
std::string place_in_script(database::ydb::TextPosition place, const Statement& statement,
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

// The texts of statements with the folder of their tables. They never change, so that the server
// compiles each of them once.
class StatementTexts {
 public:
  explicit StatementTexts(std::string pragma) : pragma_(std::move(pragma)) {}

  const std::string& of(const Statement& statement) {
    if (texts_.size() <= statement.number) texts_.resize(statement.number + 1);
    std::string& text = texts_[statement.number];
    if (text.empty()) text = pragma_ + statement.parameterised;
    return text;
  }

 private:
  std::string pragma_;
  std::vector<std::string> texts_;  // by Statement::number; empty until the first use
};

class YdbSession final : public ScriptSession, public database::ydb::SessionTurn {
 public:
  YdbSession(std::optional<SessionPool>& pool, StatementTexts& texts,
             TransactionMode writing_mode) noexcept
      : SessionTurn(pool), texts_(texts), writing_mode_(writing_mode) {}

  Task<void> execute(const Statement& statement, Variables& variables) override {
    const auto control = transaction_control(statement.command->sql.text());
    switch (control.value_or(TransactionControl::none)) {
      case TransactionControl::begin:
        begin_transaction(writing_mode_);
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

  // A cancelled script leaves its transaction open. The pool then ends the server's session.
  void end() noexcept {
    forget_transaction();
    SessionTurn::end();
  }

 private:
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
    co_return co_await (*co_await usable_session()).execute_alone(texts_.of(statement));
  }

  Task<QueryResult> ask_alone(const Statement& statement, const Variables& variables) {
    database::ydb::Parameters parameters = bound_parameters(*statement.command, variables);
    ServerSession& session = *co_await usable_session();
    session.set_mode(only_reads(statement) ? TransactionMode::snapshot_read_only : writing_mode_);
    co_return co_await session.execute_and_commit(texts_.of(statement), std::move(parameters));
  }

  // Adds the position in the script. A statement that only reads leaves no unknown commit.
  Error explained(const YdbError& error, const Statement& statement) {
    const ErrorClass error_class =
        only_reads(statement) ? database::ydb::class_without_commit(error) : error.error_class();
    return {error_class, error.sqlstate(),
            error.what() + place_in_script(error.position(), statement, texts_.of(statement)),
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
    co_return co_await server_->execute(texts_.of(statement), std::move(parameters));
  }

  // Refuses to continue a transaction whose session has ended: a statement would begin another one.
  // Throws if the session has no transaction. As after BAD_SESSION, nothing is committed then.
  void require_transaction() const {
    if (server_->alive() && server_->in_transaction()) return;
    throw Error(ErrorClass::retryable, "",
                "the session ended, which also ended its open transaction");
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

  StatementTexts& texts_;
  const TransactionMode writing_mode_;
  bool is_open_ = false;             // after a BEGIN
  ServerSession* server_ = nullptr;  // of the open transaction; null before its first statement
  TransactionMode mode_ = TransactionMode::serializable_read_write;
};

class YdbBackend final : public database::ydb::TurnBackend<database::Backend, YdbSession> {
 public:
  YdbBackend(ScriptBackendSettings settings, YdbDatabase database)
      : TurnBackend(database.client, settings.run.statement_timeout(),
                    {.size = settings.connections,
                     .wait_for_server = settings.run.waits_for_database(),
                     .seed = settings.seed},
                    [this](std::optional<SessionPool>& pool) {
                      return std::make_unique<YdbSession>(pool, texts_, writing_mode());
                    }),
        settings_(std::move(settings)),
        texts_(database::ydb::folder_pragma(database)) {}

 private:
  TransactionMode writing_mode() const noexcept {
    return settings_.isolation == database::Isolation::snapshot
               ? TransactionMode::snapshot_read_write
               : TransactionMode::serializable_read_write;
  }

  const ScriptBackendSettings settings_;
  StatementTexts texts_;
};

}  // namespace

std::unique_ptr<database::Backend> make_backend(ScriptBackendSettings settings,
                                                YdbDatabase database) {
  return std::make_unique<YdbBackend>(std::move(settings), std::move(database));
}

}  // namespace drover::sql::ydb
