// The display of a TPC-C import: the live screen, plain lines, or nothing. For the main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "ui/dashboard.h"
#include "ui/display.h"
#include "ui/terminal/chart.h"
#include "workload/tpcc/database.h"

namespace drover::ui {

struct ImportTitle {
  std::string database;  // "the private server"
  std::size_t connections = 0;
  std::size_t threads = 0;
};

// The base class prints notes only, for --ui quiet.
class ImportDisplay : public tpcc::ImportObserver {
 public:
  void on_note(std::string_view line) override;
  // Returns the time between two reports of the load's progress.
  virtual coro::Duration interval() const { return std::chrono::seconds(2); }
  // Serves the keys and the signals of the terminal until it is cancelled.
  virtual coro::Task<void> attend() { co_return; }
};

// Like make_run_display().
std::unique_ptr<ImportDisplay> make_import_display(DisplayMode mode, ImportTitle title,
                                                   std::function<void()> on_quit);

struct ImportRate {
  double rows_per_second = 0;
  double bytes_per_second = 0;
};

// The creation of a key, an index, a reference or statistics, after the load.
struct ImportStep {
  std::string name;
  coro::Instant begin{};
  std::optional<coro::Duration> took;  // none: in progress
};

enum class ImportStage : std::uint8_t { starting, waiting, loading, finishing };

// The state of an import's screen.
struct ImportModel : Viewer {
  // The current rate is the mean of this number of rates.
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

  void take_load(const tpcc::ImportProgress& next);
  // Begins step `number` of `total` in a series of steps. A later series starts from 1 again.
  void begin_step(std::string_view name, std::size_t number, std::size_t total, coro::Instant when);
  void end_step(std::string_view name, coro::Duration took);

  ImportRate rate_of_now() const;
  std::size_t steps_done() const;
  // Returns the rest of the load's time at the current rate; none if the rate is not known.
  std::optional<coro::Duration> time_left() const;
};

// Draws the screen of an import. Returns the number of visible lines of the log.
int draw_import(const ImportModel& model, Canvas& canvas);
std::vector<KeyHelp> import_keys();

}  // namespace drover::ui
