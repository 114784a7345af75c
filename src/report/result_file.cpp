#include "report/result_file.h"

#include "report/result_json.h"

namespace drover::report {

namespace {

WantedFile result_file(const std::filesystem::path& path) {
  return {path, "result file"};
}

}  // namespace

void write_result_file(const std::filesystem::path& path, const Result& result) {
  write_atomically(result_file(path), document_text(to_json(result)));
}

void check_result_file(const std::filesystem::path& path) {
  check_can_write(result_file(path));
}

}  // namespace drover::report
