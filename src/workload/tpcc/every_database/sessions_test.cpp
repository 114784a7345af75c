// A backend hands out its sessions in turn, and does not open what is not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "coro/scope.h"
#include "database/error.h"
#include "workload/tpcc/every_database/tested_database_test.h"

namespace drover::tpcc {
namespace {

using coro::Task;

class Sessions : public OnTestedDatabase<StatementStyle> {};

INSTANTIATE_TEST_SUITE_P(Styles, Sessions, both_styles(), name_of_style);

Task<void> use(Backend& backend, int number, std::vector<int>& order, std::size_t& out,
               std::size_t& out_max) {
  database::Session* session = co_await backend.acquire();
  const SessionLease lease(backend, *session);
  order.push_back(number);
  out_max = std::max(out_max, ++out);
  Trace trace;
  const Input input = StockLevelInput{.w_id = 1, .d_id = 1, .threshold = 10};
  co_await lease->execute(input, trace);
  --out;
}

Task<void> use_by_many(Backend& backend, int tasks, std::vector<int>& order, std::size_t& out_max) {
  std::size_t out = 0;
  coro::CancelSource& source = co_await coro::current_source();
  coro::Scope scope(source);
  for (int i = 0; i < tasks; ++i) scope.start(use(backend, i, order, out, out_max));
  co_await scope.join();
}

TEST_P(Sessions, AreHandedOutInTurn) {
  const auto backend = database->backend(GetParam(), 3);
  database->run(backend->open());
  std::vector<int> order;
  std::size_t out_max = 0;
  database->run(use_by_many(*backend, 30, order, out_max));
  ASSERT_EQ(order.size(), 30U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "first come, first served";
  EXPECT_EQ(out_max, 3U);
}

TEST_P(Sessions, AreNotOpenedWhereNobodyListens) {
  const auto refused = database->backend_of_nobody();
  try {
    database->run(refused->open());
    ADD_FAILURE() << "it was opened";
  } catch (const database::Error& error) {
    EXPECT_EQ(error.error_class(), database::ErrorClass::unavailable) << error.what();
  }
}

}  // namespace
}  // namespace drover::tpcc
