// What a person sees of an import while it goes on: the screen, plain lines, or nothing. Knows no
// database: whoever imports tells it, on the main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "ui/display.h"

namespace drover::ui {

struct ImportTitle {
  std::string database;  // "the private server"
  std::size_t connections = 0;
  std::size_t threads = 0;
};

// What is to be done.
struct ImportWork {
  std::int32_t warehouses = 0;  // when it is done
  std::int32_t skipped = 0;     // loaded already
  std::int32_t missing = 0;     // to be loaded
  bool nothing_to_load = false;
  bool has_keys = false;  // so that loading is slow
  std::uint64_t seed = 0;
};

struct ImportTable {
  std::string_view name;  // of a constant
  std::int64_t rows = 0;
  std::int64_t rows_total = 0;
};

// How far the load is. Of this command; what an earlier one loaded is not in it.
struct ImportLoad {
  coro::Duration elapsed{};
  std::int32_t warehouses = 0;
  std::int32_t warehouses_total = 0;
  std::int64_t rows = 0;
  std::int64_t rows_total = 0;
  std::int64_t bytes = 0;
  std::vector<ImportTable> tables;
};

class ImportDisplay {
 public:
  virtual ~ImportDisplay() = default;

  // How often it wants to be told how far the load is.
  virtual coro::Duration interval() const { return std::chrono::seconds(2); }
  // Beside the import, on its worker, until it is cancelled.
  virtual coro::Task<void> attend() { co_return; }

  virtual void on_wait() {}
  virtual void on_work(const ImportWork& /*work*/) {}
  virtual void on_load(const ImportLoad& /*load*/) {}
  virtual void on_step(std::string_view /*name*/, std::size_t /*number*/, std::size_t /*total*/) {}
  virtual void on_step_done(std::string_view /*name*/, coro::Duration /*took*/) {}
};

// As make_run_display() in display.h.
std::unique_ptr<ImportDisplay> make_import_display(Choice choice, ImportTitle title,
                                                   std::function<void()> on_quit);

}  // namespace drover::ui
