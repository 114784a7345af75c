// Whose turn it is to import: free, taken by one that lives, left by one that does not.
#include "workload/tpcc/import/import_record.h"

#include <gmock/gmock.h>

#include "coro/scope.h"
#include "database/error.h"
#include "workload/tpcc/ydb/check/fresh_database_test.h"

namespace drover::tpcc::ydb {
namespace {

using namespace std::chrono_literals;
using coro::Task;
using testing::HasSubstr;

constexpr PopulationSeed claimed_population = {4711, 1'704'164'645'678'901};

ImportRecord some_settings() {
  ImportRecord settings;
  settings.population = claimed_population;
  settings.load_constants = {.c_last = 1, .c_id = 2, .ol_i_id = 3};
  settings.warehouses = 7;
  return settings;
}

class ClaimOnYdb : public FreshDatabase {
 protected:
  void SetUp() override {
    FreshDatabase::SetUp();
    if (!IsSkipped()) initialise_folder("claimed", true);
  }

  // Takes nobody for silent, as no hour goes by.
  static constexpr ClaimTimes patient = {.beat = 1ms, .watch = 1h, .release = 1h};
  // Takes everybody for silent.
  static constexpr ClaimTimes hasty = {.beat = 1ms, .watch = 0s, .release = 1h};

  static void with_access(std::function<Task<void>(DatabaseAccess&)> body) {
    use("claimed", std::move(body));
  }
};

TEST_F(ClaimOnYdb, IsTakenOneAfterTheOther) {
  with_access([](DatabaseAccess& access) -> Task<void> {
    YdbAdminSession session_of_first(access);
    ImportClaim first(session_of_first, patient);
    co_await first.take("claimed");
    co_await first.write(some_settings());
    co_await first.release();
    YdbAdminSession session_of_second(access);
    ImportClaim second(session_of_second, patient);
    co_await second.take("claimed");
    co_await second.release();
  });
  const ImportRecord written = settings_of("claimed");
  EXPECT_EQ(written.population->seed, claimed_population.seed);
  EXPECT_EQ(written.population->load_time_us, claimed_population.load_time_us);
  EXPECT_EQ(written.load_constants, some_settings().load_constants);
  EXPECT_EQ(written.warehouses, 7);
  EXPECT_FALSE(written.complete);
}

TEST_F(ClaimOnYdb, IsRefusedWhileItsOwnerLives) {
  with_access([](DatabaseAccess& access) -> Task<void> {
    YdbAdminSession session_of_owner(access);
    ImportClaim owner(session_of_owner, patient);
    co_await owner.take("claimed");
    std::string refusal = "not refused";
    int waits = 0;
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(owner.keep());
      YdbAdminSession session_of_other(access);
      ImportClaim other(session_of_other, patient);
      try {
        co_await other.take("claimed", [&waits] { ++waits; });
      } catch (const UnfitSchema& error) {
        refusal = error.what();
      }
      scope.cancel();
    };
    co_await coro::with_scope(body);
    EXPECT_THAT(
        refusal,
        HasSubstr("another import is running on these tables. Wait for its end, then continue with "
                  "'drover tpcc import --schema claimed' if data are missing"));
    EXPECT_EQ(waits, 1) << "it is told once that it has to wait";
    co_await owner.write(some_settings());
  });
}

TEST_F(ClaimOnYdb, IsTakenOverFromOneThatIsSilent) {
  with_access([](DatabaseAccess& access) -> Task<void> {
    YdbAdminSession session_of_silent(access);
    ImportClaim silent(session_of_silent, hasty);
    co_await silent.take("claimed");
    YdbAdminSession session_of_next(access);
    ImportClaim next(session_of_next, hasty);
    co_await next.take("claimed");

    // It wakes up: it may write nothing more, and leaves the other one alone.
    std::vector<std::string> refusals;
    try {
      co_await silent.keep();
    } catch (const database::Error& error) {
      refusals.emplace_back(error.what());
    }
    try {
      co_await silent.write(some_settings());
    } catch (const database::Error& error) {
      refusals.emplace_back(error.what());
    }
    EXPECT_THAT(refusals, testing::ElementsAre(HasSubstr("another import has taken over"),
                                               HasSubstr("another import has taken over")));
    co_await silent.release();
    co_await next.write(some_settings());
  });
  EXPECT_EQ(settings_of("claimed").warehouses, 7);
}

// Servers before 2026 may answer RETURNING with rows that there are not, or with none.
TEST_F(ClaimOnYdb, BelievesNoReturning) {
  for (const char* fault : {"returning_invented", "returning_lost"}) {
    SCOPED_TRACE(fault);
    server->set_faults(fmt::format(R"({{"{}": {{}}}})", fault));
    with_access([](DatabaseAccess& access) -> Task<void> {
      YdbAdminSession session_of_silent(access);
      ImportClaim silent(session_of_silent, hasty);
      co_await silent.take("claimed");
      YdbAdminSession session_of_next(access);
      ImportClaim next(session_of_next, hasty);
      co_await next.take("claimed");
      std::string refusal = "not refused";
      try {
        co_await silent.write(some_settings());
      } catch (const database::Error& error) {
        refusal = error.what();
      }
      EXPECT_THAT(refusal, HasSubstr("another import has taken over"));
      co_await silent.release();
      co_await next.write(some_settings());
      co_await next.release();
    });
    EXPECT_EQ(settings_of("claimed").warehouses, 7);
  }
}

TEST_F(ClaimOnYdb, IsTakenThroughFailures) {
  server->set_faults(R"({"overloaded": {"probability": 0.2}, "unavailable": {"probability": 0.2},
                         "undetermined_committed": {"probability": 0.2},
                         "transport_after": {"probability": 0.2, "methods": ["ExecuteQuery"]}})");
  with_access([](DatabaseAccess& access) -> Task<void> {
    for (int i = 0; i < 5; ++i) {
      YdbAdminSession session_of_claim(access);
      ImportClaim claim(session_of_claim, patient);
      co_await claim.take("claimed");
      co_await claim.write(some_settings());
      co_await claim.release();
    }
  });
  EXPECT_EQ(settings_of("claimed").warehouses, 7);
}

}  // namespace
}  // namespace drover::tpcc::ydb
