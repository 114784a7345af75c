// ImportModel: all that the screen of an import shows. Plain values, and the functions that keep
// them; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/history.h"
#include "ui/import/import_display.h"
#include "ui/panels.h"

namespace drover::ui {

// How much was loaded in a second.
struct ImportRate {
  double rows_per_second = 0;
  double bytes_per_second = 0;
};

// A step after the load: a key, an index, statistics, a reference.
struct ImportStep {
  std::string name;
  coro::Instant begin{};
  std::optional<coro::Duration> took;  // none: it is at work
};

enum class ImportStage : std::uint8_t { starting, waiting, loading, finishing };
enum class ImportChart : std::uint8_t { rows, bytes };

struct ImportModel : Viewer {
  // The rate of now is a mean over so many of them.
  static constexpr std::size_t rates_of_now = 10;

  ImportTitle title;
  ImportStage stage = ImportStage::starting;
  coro::Duration in_stage{};
  tpcc::ImportPlan plan;
  tpcc::ImportProgress load;
  History<ImportRate> rates;
  std::vector<ImportStep> steps;  // in the order in which they started
  std::size_t steps_total = 0;    // of all series that have begun
  coro::Instant now{};
  ImportChart chart = ImportChart::rows;

  // Adds what came since the last call to the rates.
  void take_load(const tpcc::ImportProgress& next);
  // `number` of `total` in a series of steps; another one may follow, from 1 on.
  void begin_step(std::string_view name, std::size_t number, std::size_t total, coro::Instant when);
  void end_step(std::string_view name, coro::Duration took);

  ImportRate rate_of_now() const;
  std::size_t steps_done() const;
  // How long the load still takes at the pace of now; none where nobody can tell yet.
  std::optional<coro::Duration> time_left() const;
};

// The screen of an import as a pure function of its model and the size of the canvas. From 80 x 24
// on all parts are there; a smaller one shows what matters most.
void draw_import(const ImportModel& model, Canvas& canvas);
std::vector<KeyHelp> import_keys();

// The lines of the log that are visible at this size: what a page is.
int log_rows_of_import(int rows, int columns);

}  // namespace drover::ui
