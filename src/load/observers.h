// Several observers as one, told in the order in which they were added.
#pragma once

#include <string_view>
#include <vector>

#include "load/snapshot.h"

namespace drover::load {

class Observers final : public Observer {
 public:
  // The observer must outlive this object.
  void add(Observer& observer) { observers_.push_back(&observer); }

  void on_started(coro::Duration ramp_up) override {
    for (Observer* one : observers_) one->on_started(ramp_up);
  }
  void on_snapshot(const Snapshot& snapshot) override {
    for (Observer* one : observers_) one->on_snapshot(snapshot);
  }
  void on_ended(bool database_away) override {
    for (Observer* one : observers_) one->on_ended(database_away);
  }
  void on_note(std::string_view text) override {
    for (Observer* one : observers_) one->on_note(text);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace drover::load
