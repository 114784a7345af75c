#include "ui/import_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/number_text.h"

namespace drover::ui {

void ImportLines::on_wait() {
  print("waiting for another import of this schema, or for its sessions, to end");
}

void ImportLines::on_work(const ImportWork& work) {
  if (work.skipped > 0) {
    print(fmt::format("skipping {} of {} warehouses, which are loaded already", work.skipped,
                      work.warehouses));
  }
  if (work.nothing_to_load) return;
  if (work.has_keys) print("the tables have their keys already: loading is slower than without");
  print(fmt::format("loading {} from seed {} over {}, {}", counted(work.missing, "warehouse"),
                    work.seed, counted(title_.connections, "connection"),
                    counted(title_.threads, "thread")));
}

void ImportLines::on_load(const ImportLoad& load) {
  const double elapsed = std::max(seconds_of(load.elapsed), 1e-3);
  const auto rows = static_cast<double>(load.rows);
  std::string left;
  if (load.rows > 0 && load.warehouses < load.warehouses_total) {
    const double share = rows / static_cast<double>(std::max<std::int64_t>(load.rows_total, 1));
    left = fmt::format(", about {:.0f} s left", std::max(elapsed / share - elapsed, 0.0));
  }
  print(fmt::format("{:5.1f} s  {}/{} warehouses, {:.2f} M rows, {:.0f} k rows/s, {:.1f} MB/s{}",
                    elapsed, load.warehouses, load.warehouses_total, rows / 1e6,
                    rows / elapsed / 1e3, static_cast<double>(load.bytes) / elapsed / 1e6, left));
}

void ImportLines::on_step(std::string_view name, std::size_t number, std::size_t total) {
  print(fmt::format("{}/{} {}", number, total, name));
}

// A line that cannot be written is no reason to lose an import.
void ImportLines::print(const std::string& line) {
  std::fputs((line + '\n').c_str(), out_);
}

}  // namespace drover::ui
