// Plain output of an import: a line for each thing that it is told, on the error stream, as what
// they say is about the work and not its result. One thread.
#pragma once

#include <cstdio>
#include <string>

#include "ui/import_display.h"

namespace drover::ui {

class ImportLines final : public ImportDisplay {
 public:
  ImportLines(std::FILE* out, ImportTitle title) : out_(out), title_(std::move(title)) {}

  void on_wait() override;
  void on_work(const ImportWork& work) override;
  void on_load(const ImportLoad& load) override;
  void on_step(std::string_view name, std::size_t number, std::size_t total) override;

 private:
  void print(const std::string& line);

  std::FILE* out_;
  ImportTitle title_;
};

}  // namespace drover::ui
