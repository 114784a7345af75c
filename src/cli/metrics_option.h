// --metrics ADDRESS: the run as Prometheus sees it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "load/plan.h"
#include "load/snapshot.h"
#include "metrics/listen_address.h"
#include "metrics/metrics_endpoint.h"

namespace drover::cli {

void add_metrics_option(CLI::App& command, std::string& written);

// Nothing if nothing was written. Throws UsageError, saying what was expected.
std::optional<metrics::ListenAddress> parse_metrics_address(const std::string& written);

// Listens from then on, and says where as a note to `log`; a second note says who can read it, if
// that is more than this machine. `server_version` is empty where there is no database. Throws
// std::runtime_error if the address cannot be listened on.
std::unique_ptr<metrics::MetricsEndpoint> open_metrics_endpoint(
    const metrics::ListenAddress& address, const load::Plan& plan,
    const std::string& server_version, load::Observer& log);

}  // namespace drover::cli
