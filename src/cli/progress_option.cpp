#include "cli/progress_option.h"

#include "cli/option/quantity.h"

namespace drover::cli {

void add_progress_option(Command& command, std::string& written) {
  command.add_options("Output", {{"--ui", &written, "plain|quiet|auto",
                                  "Progress on the error stream. plain, auto: lines; quiet: "
                                  "none"}});
}

bool is_quiet(const std::string& written) {
  return parse_choice<bool>("--ui", written, {{"auto", false}, {"plain", false}, {"quiet", true}});
}

}  // namespace drover::cli
