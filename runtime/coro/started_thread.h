// started_thread(): starts a thread, or throws an error that names the thread and the limits that
// may be the cause. From any thread.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace drover::coro {

// Returns the error of a thread that the system refused to start, with the limits of the process.
// The system's own text is "Resource temporarily unavailable" for every limit.
std::system_error thread_refused(const std::error_code& error, const std::string& name);

// `name` is the thread's name in the message, such as "worker 3 of 8". Throws std::system_error.
template <class Thread = std::jthread, class F>
Thread started_thread(const std::string& name, F function) {
  try {
    return Thread(std::move(function));
  } catch (const std::system_error& error) {
    throw thread_refused(error.code(), name);
  }
}

}  // namespace drover::coro
