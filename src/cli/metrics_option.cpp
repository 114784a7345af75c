#include "cli/metrics_option.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/usage_error.h"
#include "cli/version.h"

namespace drover::cli {

void add_metrics_option(CLI::App& command, std::string& written) {
  command
      .add_option("--metrics", written,
                  "Shows the run to Prometheus at http://ADDRESS/metrics while it goes on. A port\n"
                  "alone is one of 127.0.0.1; 0 takes any free one, and says which; 0.0.0.0:9464\n"
                  "may be read from other machines")
      ->type_name("[ADDRESS:]PORT")
      ->group("Output");
}

std::optional<metrics::ListenAddress> parse_metrics_address(const std::string& written) {
  if (written.empty()) return std::nullopt;
  const auto address = metrics::parse_listen_address(written);
  if (!address) {
    throw UsageError(fmt::format(
        "--metrics {}: expected a port, or an address of this machine in digits and a port, such "
        "as 9464, 127.0.0.1:9464, [::1]:9464, 0.0.0.0:9464 (for other machines too) or 0 (any "
        "free port)",
        written));
  }
  return address;
}

std::unique_ptr<metrics::MetricsEndpoint> open_metrics_endpoint(
    const metrics::ListenAddress& address, const load::Plan& plan,
    const std::string& server_version, load::Observer& log) {
  const report::Tool self = tool();
  std::vector<std::pair<std::string, std::string>> info = {{"version", self.version},
                                                           {"commit", self.commit}};
  if (!server_version.empty()) info.emplace_back("server_version", server_version);
  auto endpoint = std::make_unique<metrics::MetricsEndpoint>(address, plan, std::move(info));
  log.on_note(fmt::format("metrics: {}", endpoint->url()));
  if (!address.loopback) {
    log.on_note(fmt::format("note: whoever reaches {} over the network can read the metrics",
                            endpoint->url()));
  }
  return endpoint;
}

}  // namespace drover::cli
