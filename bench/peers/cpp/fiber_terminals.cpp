// The terminals on Boost.Fiber: each is a fiber with a stack of 16 KiB from a pool; each thread has
// a scheduler of its own.
#include <fmt/format.h>

#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>
#include <boost/fiber/pooled_fixedsize_stack.hpp>
#include <boost/version.hpp>
#include <memory>
#include <vector>

#include "terminals.h"

namespace drover::peers {
namespace {

constexpr std::size_t stack_bytes = 16 * 1024;

void terminal(Loop& loop) {
  while (!loop.is_stopping()) {
    boost::this_fiber::sleep_for(pause_time);
    for (int i = 0; i < requests_per_task; ++i) boost::this_fiber::sleep_for(request_time);
    loop.count_task();
  }
}

void drive(Loop& loop) {
  boost::fibers::pooled_fixedsize_stack stacks(stack_bytes);
  std::vector<boost::fibers::fiber> fibers;
  fibers.reserve(loop.terminals);
  for (std::size_t i = 0; i < loop.terminals; ++i) {
    fibers.emplace_back(std::allocator_arg, stacks, terminal, std::ref(loop));
  }
  for (boost::fibers::fiber& fiber : fibers) fiber.join();
}

}  // namespace
}  // namespace drover::peers

int main(int argc, char** argv) {
  const std::string version =
      fmt::format("Boost.Fiber {}.{}", BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1'000);
  return drover::peers::run_terminals(argc, argv, version, drover::peers::drive);
}
