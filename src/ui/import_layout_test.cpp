#include "ui/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace drover::ui {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

tpcc::ImportProgress load_at(int seconds) {
  tpcc::ImportProgress load{.elapsed = std::chrono::seconds(seconds),
                            .warehouses = seconds / 10,
                            .warehouses_total = 4,
                            .rows = std::int64_t{50'000} * seconds,
                            .rows_total = 2'500'000,
                            .bytes = std::int64_t{5'000'000} * seconds};
  load.tables[static_cast<std::size_t>(tpcc::Table::Warehouse)] = {2, 4};
  load.tables[static_cast<std::size_t>(tpcc::Table::OrderLine)] = {std::int64_t{40'000} * seconds,
                                                                   1'200'000};
  return load;
}

ImportModel import_model_at(int seconds) {
  ImportModel model;
  model.title = {"the private server", 2, 1};
  model.stage = ImportStage::loading;
  model.plan.warehouses = 5;
  model.plan.skipped = 1;
  model.plan.missing = {2, 3, 4, 5};
  model.plan.population.seed = 42;
  for (int second = 1; second <= seconds; ++second) model.take_load(load_at(second));
  return model;
}

std::string drawn(const ImportModel& model, int rows, int columns, bool unicode = false) {
  Canvas canvas(rows, columns, unicode);
  draw_import(model, canvas);
  return canvas.text();
}

TEST(ImportModel, KnowsItsPace) {
  const ImportModel model = import_model_at(20);
  EXPECT_DOUBLE_EQ(model.rate_of_now().rows_per_second, 50'000);
  EXPECT_DOUBLE_EQ(model.rate_of_now().bytes_per_second, 5e6);
  EXPECT_EQ(model.time_left(), 30s);
  EXPECT_EQ(ImportModel().time_left(), std::nullopt);
}

TEST(ImportModel, ARepeatedReportIsNoRate) {
  ImportModel model = import_model_at(5);
  model.take_load(load_at(5));
  EXPECT_EQ(model.rates.samples().size(), 5u);
}

TEST(ImportModel, CountsStepsThatRunSideBySide) {
  ImportModel model;
  model.begin_step("primary key a", 1, 2, coro::Instant(1s));
  model.begin_step("primary key b", 2, 2, coro::Instant(2s));
  model.end_step("primary key b", 3s);
  EXPECT_EQ(model.steps_done(), 1u);
  EXPECT_EQ(model.steps_total, 2u);
  EXPECT_EQ(model.steps[0].took, std::nullopt);
  EXPECT_EQ(model.steps[1].took, 3s);
  // References are a series of their own.
  model.end_step("primary key a", 3s);
  model.begin_step("foreign key c", 1, 10, coro::Instant(9s));
  EXPECT_EQ(model.steps_total, 12u);
  model.begin_step("foreign key d", 2, 10, coro::Instant(9s));
  EXPECT_EQ(model.steps_total, 12u);
  model.end_step("nobody", 1s);
}

TEST(ImportLayout, ShowsTheLoadAt80x24) {
  ImportModel model = import_model_at(20);
  model.log.add(Level::note, "loading 4 warehouses with seed 42");
  const std::string text = drawn(model, 24, 80);
  EXPECT_THAT(text, HasSubstr(" Drover: import into the private server"));
  EXPECT_THAT(text, HasSubstr(" loading  "));
  EXPECT_THAT(text, HasSubstr("2 of 4 warehouses, about 0:30 left"));
  EXPECT_THAT(text, HasSubstr(" 50,000 rows/s   4.77 MiB/s   total 1,000,000 rows, 95.4 MiB"));
  EXPECT_THAT(text, HasSubstr("\n  rows/s"));
  EXPECT_THAT(text, HasSubstr(" order_line        800,000     1,200,000   67%  ####"));
  EXPECT_THAT(text, HasSubstr(" item                    0             0     -\n"));
  EXPECT_THAT(text, HasSubstr("loading 4 warehouses with seed 42"));
  model.charts = ChartChoice::second;
  EXPECT_THAT(drawn(model, 24, 80), HasSubstr(" MiB/s\n"));
}

TEST(ImportLayout, ShowsStepsInThePlaceOfTheChart) {
  ImportModel model = import_model_at(20);
  model.stage = ImportStage::finishing;
  model.begin_step("primary key stock_pkey", 1, 19, coro::Instant(10s));
  model.begin_step("index customer_name", 2, 19, coro::Instant(11s));
  model.end_step("primary key stock_pkey", 1500ms);
  model.now = coro::Instant(13s);
  const std::string text = drawn(model, 24, 80);
  EXPECT_THAT(text, HasSubstr(" keys, indexes, statistics"));
  EXPECT_THAT(text, HasSubstr("1 of 19 steps"));
  EXPECT_THAT(text, HasSubstr(" primary key stock_pkey                          1.5 s\n"));
  EXPECT_THAT(text, HasSubstr(" index customer_name                             2.0 s running\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n  rows/s")));
  // The rows were fewer than estimated, and all the same are all there.
  EXPECT_THAT(text, HasSubstr(" order_line        800,000     1,200,000  100%"));
  const std::string wide = drawn(model, 50, 200, true);
  EXPECT_THAT(wide, HasSubstr("\n  rows/s"));
  EXPECT_THAT(wide, HasSubstr(" MiB/s\n"));
  EXPECT_THAT(wide, HasSubstr("1 of 19 done"));
}

TEST(ImportLayout, FitsAnySize) {
  for (ImportModel model : {ImportModel(), import_model_at(1), import_model_at(300)}) {
    for (int i = 0; i < 30; ++i) {
      model.begin_step("step " + std::to_string(i), static_cast<std::size_t>(i) + 1, 30,
                       coro::Instant(1s));
      if (i % 2 == 0) model.end_step("step " + std::to_string(i), 1s);
    }
    for (const ImportStage stage : {ImportStage::starting, ImportStage::waiting,
                                    ImportStage::loading, ImportStage::finishing}) {
      model.stage = stage;
      for (const bool help : {false, true}) {
        model.help = help;
        for (int rows = 1; rows <= 60; rows += 3) {
          for (const int columns : {1, 7, 40, 72, 80, 140, 200}) {
            const std::string text = drawn(model, rows, columns, true);
            EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), rows);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace drover::ui
