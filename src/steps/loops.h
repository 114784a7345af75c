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

#include "steps/callable_step.h"

namespace drover::steps::detail {

struct LoopFrame : Attachment {
  static constexpr std::size_t label_size_max = 31;

  LoopFrame(const AttachmentOps& ops, const StepOps& iteration_ops, bool (*m)(LoopFrame&),
            std::string_view text) noexcept
      : Attachment(ops),
        iteration(&iteration_ops),
        more(m),
        label_size(static_cast<std::uint8_t>(text.size())) {
    if (!text.empty()) std::memcpy(label_text, text.data(), text.size());
  }

  std::string_view label() const noexcept { return {label_text, label_size}; }

  const StepOps* iteration;
  bool (*more)(LoopFrame& loop);  // whether there is another iteration
  std::uint8_t label_size;
  char label_text[label_size_max];  // NOLINT(*-member-init): read up to its size
};

// A step without callables of its own.
struct PlainStep final : Steps {
  PlainStep(Strand& strand, const StepOps& ops) noexcept : Steps(strand, ops) {}
};

inline void run_nothing(Steps&) {}

inline constexpr StepOps loop_step_ops{Kind::loop, sizeof(PlainStep), &run_nothing, nullptr,
                                       nullptr};

// A loop's step has no other attachment: nobody but the engine gets a reference to it.
inline LoopFrame& loop_frame(Steps& loop) noexcept {
  return static_cast<LoopFrame&>(*StepAccess::attachments(loop));
}

template <class Frame>
struct LoopOps {
  static void run_iteration(Steps& step) {
    Results& results = StepAccess::strand(step).results();
    if (results.size() != 0) results.clear();
    static_cast<Frame&>(loop_frame(*StepAccess::parent(step))).iterate(step);
  }
  static bool more(LoopFrame& loop) { return static_cast<Frame&>(loop).has_next(); }

  static constexpr StepOps iteration{Kind::step, sizeof(PlainStep), &run_iteration, nullptr,
                                     nullptr};
  static const AttachmentOps attachment;
};

template <class Frame>
const AttachmentOps LoopOps<Frame>::attachment{Slot::extended, sizeof(Frame), false,
                                               &destroy_attachment<Frame>, nullptr};

template <class Body>
struct EndlessLoop final : LoopFrame {
  template <class B>
  EndlessLoop(std::string_view label, B&& b)
      : LoopFrame(Ops::attachment, Ops::iteration, &Ops::more, label), body(std::forward<B>(b)) {}

  bool has_next() const noexcept { return true; }
  void iterate(Steps& steps) { body(steps); }

  using Ops = LoopOps<EndlessLoop>;
  [[no_unique_address]] Body body;
};

template <class Body>
struct RepeatLoop final : LoopFrame {
  template <class B>
  RepeatLoop(std::string_view label, std::size_t c, B&& b)
      : LoopFrame(Ops::attachment, Ops::iteration, &Ops::more, label),
        count(c),
        body(std::forward<B>(b)) {}

  bool has_next() const noexcept { return next_index < count; }
  void iterate(Steps& steps) { body(steps, next_index++); }

  using Ops = LoopOps<RepeatLoop>;
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
  ForEachLoop(std::string_view label, C&& c, B&& b)
      : LoopFrame(Ops::attachment, Ops::iteration, &Ops::more, label),
        container(std::forward<C>(c)),
        body(std::forward<B>(b)) {}

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

  using Ops = LoopOps<ForEachLoop>;
  Container container;
  decltype(std::begin(lent_or_own(std::declval<Container&>()))) position{};
  std::size_t next_index = 0;
  bool begun = false;
  [[no_unique_address]] Body body;
};

}  // namespace drover::steps::detail
