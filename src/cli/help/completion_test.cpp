#include "cli/help/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// The end-to-end tests ask real shells; here is what our own texts do not hold today.
Command completed_example() {
  static std::vector<std::string> list;
  static std::string text;
  Command program("drover");
  program.options.clear();
  Command& run = program.add_command("run", "It's [the] run: $(x) `y` \\ \"z\".");
  run.options.clear();
  run.add_options({{"-s,--style", &list, "one|HOST:PORT", "It's [a] style: $HOME"},
                   {"--now", {}, "", "At once"},
                   {"file", &text, "FILE", ""}});
  return program;
}

TEST(Completion, Quotes) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's $x"), "'it'\\''s $x'");
}

TEST(Completion, HelpHasAllCommandsBelowIt) {
  Command program = completed_example();
  program.add_command("help", "Help");
  const Command with_topics = with_help_topics(program);
  const Command& help = with_topics.commands.back();
  ASSERT_EQ(help.name(), "help");
  ASSERT_EQ(help.commands.size(), 1U);
  EXPECT_EQ(help.commands.front().full_name(), "drover help run");
  EXPECT_THAT(help.commands.front().options, testing::IsEmpty());
}

TEST(Completion, Bash) {
  const std::string script = bash_completion(completed_example());
  EXPECT_THAT(script, HasSubstr("'drover run -s' | 'drover run --style') kind=text words='one'"));
  EXPECT_THAT(script, HasSubstr("options='-s --style --now'"));
  EXPECT_THAT(script, Not(HasSubstr("drover run --now')")));  // it takes no value
}

TEST(Completion, ZshEscapesWhatItWouldRead) {
  const std::string script = zsh_completion(completed_example());
  EXPECT_THAT(script, HasSubstr("'*'{-s+,--style=}'[It'\\''s \\[a\\] style\\: $HOME]"
                                ":one|HOST\\:PORT:(one)'"));
  EXPECT_THAT(script, HasSubstr("--now'[At once]'"));
  EXPECT_THAT(script, HasSubstr("'1:file:_files'"));
  EXPECT_THAT(script, HasSubstr("'run:It'\\''s [the] run: $(x) `y` \\ \"z\"'"));
}

TEST(Completion, FishEscapesWhatItWouldRead) {
  const std::string script = fish_completion(completed_example());
  EXPECT_THAT(script, HasSubstr("-s s -l style -x -a 'one' -d 'It\\'s [a] style: $HOME'"));
  EXPECT_THAT(script, HasSubstr("-a run -d 'It\\'s [the] run: $(x) `y` \\\\ \"z\"'"));
  EXPECT_THAT(script, HasSubstr("complete -c drover -n '__drover_at drover run' -F\n"));
}

}  // namespace
}  // namespace drover::cli
