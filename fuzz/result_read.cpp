// The reader of result documents: what it takes can be summed up and written again, and what was
// written is read as the same.
#include "report/document/result_json.h"

#include "fuzz.h"
#include "report/page/report.h"
#include "text/utf8.h"

using namespace drover;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  report::Result result;
  try {
    result = report::read_result(fuzz::text_of(data, size));
  } catch (const report::ResultReadError& error) {
    fuzz::require_message(error.what());
    return 0;
  }
  const std::string summary = text::terminal_text(report::summary_text(result));
  for (const char c : summary) {
    fuzz::require(static_cast<unsigned char>(c) >= 0x20 || c == '\n', "a summary is printable",
                  summary);
  }
  (void)report::count_errors(result);
  const nlohmann::json document = report::to_json(result);
  const std::string text = report::document_text(document);
  try {
    const report::Result again = report::read_result(text);
    fuzz::require(report::to_json(again) == document, "what was read is written as the same", text);
  } catch (const report::ResultReadError& error) {
    fuzz::require(false, "what was written can be read", error.what());
  }
  return 0;
}
