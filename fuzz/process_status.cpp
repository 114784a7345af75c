// /proc/self/status, whatever a kernel writes there.
#include "fuzz.h"
#include "measure/process.h"

using namespace drover;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const measure::ProcessUsage usage = measure::parse_process_status(text);
  const auto require_said = [&](std::uint64_t figure, std::string_view name) {
    fuzz::require(figure == 0 || text.find(name) != std::string_view::npos, "what is not said is 0",
                  name);
  };
  require_said(usage.rss_bytes, "VmRSS:");
  require_said(usage.peak_rss_bytes, "VmHWM:");
  require_said(usage.threads, "Threads:");
  return 0;
}
