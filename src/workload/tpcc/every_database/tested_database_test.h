// What every database has to pass, whatever the protocol: the tests of this folder are compiled
// into the tests of each (drover_library's EVERY_TEST), which says by TestedDatabase what it is.
//
// The data are those of workload/tpcc/postgres/small_database_test.h, and are looked at by SQL.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/task.h"
#include "database/server.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/postgres/small_database_test.h"

namespace drover::tpcc {

// A session of a tpcc::Backend, which the destructor releases.
class SessionLease : public database::SessionLease {
 public:
  using database::SessionLease::SessionLease;

  Session& operator*() const noexcept {
    return static_cast<Session&>(database::SessionLease::operator*());
  }
  Session* operator->() const noexcept { return &**this; }
};

// The statements that a backend is to use: a style, and what the database has besides the two.
struct TestedStyle {
  StatementStyle style = StatementStyle::batched;
  bool by_row = false;  // PostgreSQL: as on a server that loses rows
  database::Dialect dialect = database::Dialect::postgres;  // or as on a relative
};

// All that this database has.
std::vector<TestedStyle> tested_styles();

// Belongs to one thread.
class TestedDatabase {
 public:
  virtual ~TestedDatabase() = default;

  // The population anew; no faults.
  virtual void reset() = 0;
  virtual std::unique_ptr<Backend> backend(TestedStyle style, std::size_t connections) = 0;
  std::unique_ptr<Backend> backend(StatementStyle style, std::size_t connections) {
    return backend(TestedStyle{.style = style}, connections);
  }
  // One whose server is not there, and that waits a fraction of a second for it.
  virtual std::unique_ptr<Backend> backend_of_nobody() = 0;

  // Sees the tables.
  virtual postgres::SmallDatabase& sql() = 0;
  // For statements: an amount as text with its cents; whether a time is of the last minutes.
  virtual std::string amount(std::string_view column) const = 0;
  virtual std::string is_now(std::string_view column) const = 0;

  template <class T>
  T run(coro::Task<T> task) {
    return sql().run(std::move(task));
  }
  void script(std::string text) { sql().script(std::move(text)); }
  std::vector<std::string> rows(std::string text) { return sql().rows(std::move(text)); }
  std::string value(std::string text) { return sql().value(std::move(text)); }
  void expect_conditions() { sql().expect_conditions(Money::exact); }
};

// By the program: the same each time. Where there can be none: nothing, and why.
std::shared_ptr<TestedDatabase> tested_database(std::string& reason);

// A test of `Parameter`s on the tested database, with its population anew.
template <class Parameter>
class OnTestedDatabase : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    std::string reason;
    database = tested_database(reason);
    if (!database) GTEST_SKIP() << reason;
    database->reset();
    prepare();
  }

  virtual void prepare() {}

  std::shared_ptr<TestedDatabase> database;
};

inline coro::Task<Outcome> execute_once(Backend& backend, Input input) {
  database::Session* session = co_await backend.acquire();
  const SessionLease lease(backend, *session);
  Trace trace;
  co_return co_await lease->execute(input, trace);
}

// The same, of a transaction that is to be doubted.
inline coro::Task<void> execute(Backend& backend, UnknownCommit& doubt) {
  database::Session* session = co_await backend.acquire();
  const SessionLease lease(backend, *session);
  co_await lease->execute(doubt.input, doubt.trace);
}

inline std::string style_name(StatementStyle style) {
  return style == StatementStyle::batched ? "batched" : "single";
}

inline auto both_styles() {
  return testing::Values(StatementStyle::batched, StatementStyle::single);
}

// For INSTANTIATE_TEST_SUITE_P.
inline std::string name_of_tested_style(const testing::TestParamInfo<TestedStyle>& info) {
  const std::string style = info.param.by_row ? "by_row" : style_name(info.param.style);
  if (info.param.dialect == database::Dialect::postgres) return style;
  return style + "_" + std::to_string(static_cast<int>(info.param.dialect));
}

inline std::string name_of_style(const testing::TestParamInfo<StatementStyle>& info) {
  return style_name(info.param);
}

inline NewOrderInput order_of(std::int32_t w_id, std::int32_t d_id, std::int32_t c_id,
                              const std::vector<NewOrderLine>& lines) {
  NewOrderInput input{};
  input.w_id = w_id;
  input.d_id = d_id;
  input.c_id = c_id;
  input.ol_cnt = static_cast<std::int32_t>(lines.size());
  input.all_local = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    input.lines_all[i] = lines[i];
    if (lines[i].supply_w_id != w_id) input.all_local = false;
  }
  return input;
}

inline PaymentInput payment_of(std::int32_t c_w_id, std::int32_t c_d_id, std::int32_t c_id,
                               std::int32_t cents) {
  return {
      .w_id = 1,
      .d_id = 4,
      .customer = {.c_w_id = c_w_id, .c_d_id = c_d_id, .by_name = false, .c_id = c_id, .c_last = 0},
      .amount_cents = cents};
}

inline PaymentInput payment_by_name(std::int32_t c_w_id, std::int32_t c_d_id, std::int32_t c_last,
                                    std::int32_t cents) {
  PaymentInput input = payment_of(c_w_id, c_d_id, 0, cents);
  input.customer.by_name = true;
  input.customer.c_last = c_last;
  return input;
}

// What a backend has said of its sessions.
struct SessionTally final : SessionObserver {
  void on_session_lost() noexcept override { ++lost; }
  void on_session_refused(const database::Error& error) noexcept override {
    ++refused;
    last_refusal = error.what();
  }
  void on_session_opened() noexcept override { ++opened; }

  int lost = 0;
  int refused = 0;
  int opened = 0;
  std::string last_refusal;
};

// Runs `body` with the backend's keep_open() beside it; then that is cancelled.
template <class Body>
coro::Task<void> beside_keep_open(Backend& backend, SessionTally& sessions, Body& body) {
  coro::CancelSource& source = co_await coro::current_source();
  coro::Scope scope(source);
  scope.start(backend.keep_open(sessions));
  std::exception_ptr error;
  try {
    co_await body();
  } catch (...) {
    error = std::current_exception();
  }
  scope.cancel();
  co_await scope.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace drover::tpcc
