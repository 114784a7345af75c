#include "coro/started_thread.h"

#include <sys/resource.h>

namespace drover::coro {
namespace {

std::string limit_text(__rlimit_resource resource, rlim_t unit, const char* unit_name) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "unlimited";
  return std::to_string(limit.rlim_cur / unit) + unit_name;
}

}  // namespace

std::system_error thread_refused(const std::error_code& error, const std::string& name) {
  return {error,
          "cannot start the thread of " + name +
              ": a user's threads (ulimit -u: " + limit_text(RLIMIT_NPROC, 1, "") +
              ") or a process's memory (ulimit -v: " + limit_text(RLIMIT_AS, 1 << 20, " MiB") +
              ") are limited; use fewer threads or raise the limit"};
}

}  // namespace drover::coro
