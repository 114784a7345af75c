// started_thread(): a thread, or an error that says which one it was to be and what may be in the
// way: the system's own is "Resource temporarily unavailable", whatever the resource.
//
// From any thread.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace drover::coro {

// What the system refused to start, and the limits that may be why.
std::system_error thread_refused(const std::error_code& error, const std::string& name);

// `name` is what the message calls it, such as "worker 3 of 8". Throws std::system_error.
template <class Thread = std::jthread, class F>
Thread started_thread(const std::string& name, F function) {
  try {
    return Thread(std::move(function));
  } catch (const std::system_error& error) {
    throw thread_refused(error.code(), name);
  }
}

}  // namespace drover::coro
