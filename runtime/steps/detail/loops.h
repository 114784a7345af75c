// The frames of the loops. A loop is a step with such a frame; it adds a plain step an iteration,
// which calls the frame's body. For the engine's own use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steps/detail/callable_step.h"

namespace drover::steps::detail {

struct LoopFrame;

struct LoopOps : AttachmentOps {
  const StepOps* iteration;
  bool (*more)(LoopFrame& loop);  // whether there is another iteration
};

// Only the loops that have a label have one of these, behind their frame.
struct LabelAttachment final : AttachmentOf<LabelAttachment, Slot::other, false> {
  static constexpr std::size_t size_max = 31;

  explicit LabelAttachment(std::string_view label) noexcept
      : size(static_cast<std::uint8_t>(label.size())) {
    std::memcpy(text, label.data(), label.size());
  }

  std::uint8_t size;
  char text[size_max];  // NOLINT(*-member-init): read up to its size
};

struct LoopFrame : Attachment {
  static constexpr Slot slot = Slot::extended;
  static constexpr bool ends_with_wait = false;

  explicit LoopFrame(const LoopOps& o) noexcept : Attachment(o) {}

  const LoopOps& loop() const noexcept { return static_cast<const LoopOps&>(*ops); }

  std::string_view label() const noexcept {
    if (next == nullptr) return {};
    const auto& label = static_cast<const LabelAttachment&>(*next);
    return {label.text, label.size};
  }
};

inline constexpr StepOps loop_step_ops{Kind::loop, sizeof(PlainStep), [](Steps&) {}, nullptr,
                                       nullptr};

// The frame is the newest attachment of a loop's step, and a label the only other one: nobody but
// the engine gets a reference to it.
inline LoopFrame& loop_frame(Steps& loop) noexcept {
  return static_cast<LoopFrame&>(*StepAccess::attachments(loop));
}

template <class Frame>
inline constexpr StepOps iteration_ops{
    Kind::step, sizeof(PlainStep),
    [](Steps& step) { static_cast<Frame&>(loop_frame(*StepAccess::parent(step))).iterate(step); },
    nullptr, nullptr};
template <class Frame>
inline constexpr LoopOps loop_ops{
    attachment_ops<Frame>, &iteration_ops<Frame>,
    [](LoopFrame& loop) { return static_cast<Frame&>(loop).has_next(); }};

template <class Body>
struct EndlessLoop final : LoopFrame {
  template <class B>
  explicit EndlessLoop(B&& b) : LoopFrame(loop_ops<EndlessLoop>), body(std::forward<B>(b)) {}

  bool has_next() const noexcept { return true; }
  void iterate(Steps& steps) { body(steps); }

  [[no_unique_address]] Body body;
};

template <class Body>
struct RepeatLoop final : LoopFrame {
  template <class B>
  RepeatLoop(std::size_t c, B&& b)
      : LoopFrame(loop_ops<RepeatLoop>), count(c), body(std::forward<B>(b)) {}

  bool has_next() const noexcept { return next_index < count; }
  void iterate(Steps& steps) { body(steps, next_index++); }

  std::size_t count;
  std::size_t next_index = 0;
  [[no_unique_address]] Body body;
};

template <class Container>
Container& lent_or_own(Container& container) noexcept {
  return container;
}
template <class Container>
Container& lent_or_own(std::reference_wrapper<Container>& container) noexcept {
  return container.get();
}

template <class Container>
concept MapLike = requires { typename std::remove_reference_t<Container>::mapped_type; };

template <class Container, class Body>
struct ForEachLoop final : LoopFrame {
  template <class C, class B>
  ForEachLoop(C&& c, B&& b)
      : LoopFrame(loop_ops<ForEachLoop>), container(std::forward<C>(c)), body(std::forward<B>(b)) {}

  auto& range() noexcept { return lent_or_own(container); }

  bool has_next() {
    if (!begun) {
      begun = true;
      position = std::begin(range());
    }
    return position != std::end(range());
  }

  // Steps on first, so that a body may erase its own element of a map that was lent.
  void iterate(Steps& steps) {
    auto& element = *position;
    ++position;
    if constexpr (MapLike<decltype(range())>) {
      body(steps, element.first, element.second);
    } else {
      body(steps, next_index++, element);
    }
  }

  Container container;
  decltype(std::begin(lent_or_own(std::declval<Container&>()))) position{};
  std::size_t next_index = 0;
  bool begun = false;
  [[no_unique_address]] Body body;
};

}  // namespace drover::steps::detail
