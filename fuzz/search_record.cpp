// The record of a search: what it takes is written and read as the same, and the next step of it is
// within its bounds.
#include "search/search.h"

#include "fuzz.h"

using namespace drover;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  search::Record record;
  try {
    record = search::read_record(fuzz::text_of(data, size));
  } catch (const search::RecordError& error) {
    fuzz::require_message(error.what());
    return 0;
  }
  (void)search::answer_text(record);
  const search::Step step = search::next_step(record.bounds, record.probes());
  fuzz::require(step.kind == search::Step::Kind::done || step.load > 0, "a load is above 0");
  const nlohmann::json document = search::to_json(record);
  try {
    const search::Record again = search::read_record(document.dump());
    fuzz::require(search::to_json(again) == document, "what was read is written as the same");
    fuzz::require(search::differences(again, record).empty(), "and is the same question");
  } catch (const search::RecordError& error) {
    fuzz::require(false, "what was written can be read", error.what());
  }
  return 0;
}
