// Hundreds of small ways to spoil a database, freshly loaded or used by all five transactions: one
// row deleted, added, doubled or changed, by as little as a cent. The condition named must find
// each, and name its key. Prints a line for each, and at the end how many of how many were found:
//
//   tpcc_postgres_test --gtest_filter='Corruptions.*'
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "workload/tpcc/postgres/check/corruption_test.h"

namespace drover::tpcc::postgres {
namespace {

using Data = CheckedDatabase::Data;

std::string_view name_of(Data data) {
  return data == Data::fresh ? "fresh" : "used";
}

// Why it counts as missed; nothing where it was found. Undoes it.
std::string miss_of(const Corruption& corruption, Data data) {
  const UndoneTransaction undo(data);
  CheckedDatabase& database = CheckedDatabase::instance();
  database.execute(corruption.sql);
  const auto offenders =
      database.run(sql_condition_named(corruption.condition), 1, corruption.last_warehouse);
  if (offenders.empty()) return "no offender";
  const FoundOffender& first = offenders.front();
  const bool counted = corruption.count == 0 || first.count == corruption.count;
  if (first.key == corruption.key && counted) return "";
  return fmt::format("{} ({} offenders) in place of {} ({})", first.key, first.count,
                     corruption.key, corruption.count);
}

std::string in_one_line(const std::string& sql) {
  constexpr std::size_t width = 110;
  return sql.size() <= width ? sql : sql.substr(0, width - 3) + "...";
}

using Group = std::vector<Corruption>;

bool may_join(const Corruption& one, const Group& group) {
  const bool changes_tables = one.sql.find("TABLE ") != std::string::npos;
  return !changes_tables && std::ranges::all_of(group, [&one](const Corruption& other) {
    return other.condition == one.condition && other.last_warehouse == one.last_warehouse &&
           other.key != one.key;
  });
}

// Groups the corruptions of different keys that one check of a condition must find together. A
// corruption that changes the definition of a table forms a group of its own.
std::vector<Group> groups_of(const std::vector<Corruption>& corruptions) {
  std::vector<Group> groups;
  for (const Corruption& one : corruptions) {
    const auto joined =
        std::ranges::find_if(groups, [&one](const Group& group) { return may_join(one, group); });
    if (joined == groups.end()) {
      groups.push_back({one});
    } else {
      joined->push_back(one);
    }
  }
  return groups;
}

// Returns true if the condition finds each corruption of the group, and nothing else, when all of
// them are present. Otherwise the test checks them one by one: a corruption may hide another one.
bool finds_all(const Group& group, Data data) {
  const UndoneTransaction undo(data);
  CheckedDatabase& database = CheckedDatabase::instance();
  for (const Corruption& one : group) database.execute(one.sql);
  const auto offenders =
      database.run(sql_condition_named(group[0].condition), 1, group[0].last_warehouse, 1'000'000);
  const auto is_found = [&offenders](const Corruption& one) {
    return std::ranges::find(offenders, one.key, &FoundOffender::key) != offenders.end();
  };
  const auto is_counted = [](const Corruption& one) { return one.count != 0; };
  int expected = 0;
  for (const Corruption& one : group) expected += one.count;
  return std::ranges::all_of(group, is_found) &&
         (!std::ranges::all_of(group, is_counted) || offenders.front().count == expected);
}

// How many were found.
std::size_t try_each(const Group& group, Data data) {
  const bool all_found = group.size() > 1 && finds_all(group, data);
  std::size_t found = 0;
  for (const Corruption& corruption : group) {
    const std::string miss = all_found ? "" : miss_of(corruption, data);
    fmt::print("{:<6} {:<5} {:<20} {:<44} {}\n", miss.empty() ? "found" : "MISSED", name_of(data),
               corruption.condition, corruption.key, in_one_line(corruption.sql));
    if (miss.empty()) ++found;
    EXPECT_EQ(miss, "") << corruption.sql << " / " << corruption.condition;
  }
  return found;
}

std::size_t try_all(const std::vector<Corruption>& corruptions, Data data) {
  std::size_t found = 0;
  for (const Group& group : groups_of(corruptions)) found += try_each(group, data);
  return found;
}

TEST(Corruptions, AreFoundEachByItsConditionAndItsKey) {
  const auto of_fresh = corruptions_of_fresh_data();
  CheckedDatabase::instance().use(Data::used);
  const auto of_used = corruptions_of_used_data();
  fmt::print("{:<6} {:<5} {:<20} {:<44} {}\n", "", "data", "condition", "key", "corruption");
  const std::size_t found = try_all(of_fresh, Data::fresh) + try_all(of_used, Data::used);
  fmt::print("Corruptions: {} of {} found\n", found, of_fresh.size() + of_used.size());
}

TEST(Corruptions, AreNotFoundWhereThereAreNone) {
  for (const Data data : {Data::fresh, Data::used}) {
    CheckedDatabase::instance().use(data);
    for (const SqlCondition& condition : catalogue_of(data, Money::exact))
      for (const FoundOffender& offender : CheckedDatabase::instance().run(condition, 1, 2))
        ADD_FAILURE() << "false alarm on " << name_of(data) << " data: " << condition.rule.name
                      << ", " << offender;
  }
}

// The harness itself: what changes nothing, another key and another number are misses.
TEST(Corruptions, ThatAreMissedAreCalledMissed) {
  EXPECT_EQ(miss_of({"UPDATE warehouse SET w_ytd = w_ytd", "1", "w_id=2"}, Data::used),
            "no offender");
  const std::string spoil = "UPDATE warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2";
  EXPECT_EQ(miss_of({spoil, "1", "w_id=2"}, Data::used), "");
  EXPECT_EQ(miss_of({spoil, "9", "w_id=2"}, Data::used), "no offender");
  EXPECT_EQ(miss_of({spoil, "1", "w_id=1"}, Data::used),
            "w_id=2 (1 offenders) in place of w_id=1 (1)");
  EXPECT_EQ(miss_of({spoil, "1", "w_id=2", 2}, Data::used),
            "w_id=2 (1 offenders) in place of w_id=2 (2)");
}

// A condition without a corruption might as well find nothing at all.
TEST(Corruptions, CoverEveryConditionAndEveryColumn) {
  CheckedDatabase::instance().use(Data::used);
  std::set<std::string> conditions;
  std::string statements;
  for (const auto& list : {corruptions_of_fresh_data(), corruptions_of_used_data()}) {
    for (const Corruption& corruption : list) {
      conditions.insert(corruption.condition);
      statements += corruption.sql + "\n";
    }
  }
  for (const SqlCondition& condition : catalogue_of(Data::fresh, Money::exact)) {
    // The shares and means are no matter of one row: conditions_test.cpp.
    const bool of_many_rows = condition.rule.name.ends_with(".mean") ||
                              condition.rule.name.ends_with(".original") ||
                              condition.rule.name == "customer.credit";
    EXPECT_TRUE(of_many_rows || conditions.contains(condition.rule.name)) << condition.rule.name;
  }
  const auto columns = CheckedDatabase::instance().query(
      "SELECT column_name FROM information_schema.columns WHERE table_schema = 'used' "
      "AND table_name NOT LIKE 'drover%'");
  EXPECT_EQ(columns.size(), 92U);
  for (const auto& column : columns)
    EXPECT_NE(statements.find(" " + column[0] + " = "), std::string::npos) << column[0];
}

}  // namespace
}  // namespace drover::tpcc::postgres
