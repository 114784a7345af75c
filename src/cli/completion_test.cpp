#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// The end-to-end tests ask real shells; here is what our own texts do not hold today.
CommandOutline example() {
  CommandOutline program;
  program.path = {"drover"};
  program.commands = {{.path = {"drover", "run"},
                       .description = "It's [the] run: $(x) `y` \\ \"z\".",
                       .group = "Subcommands",
                       .options = {{.names = {"-s", "--style"},
                                    .description = "It's [a] style: $HOME",
                                    .kind = ValueKind::text,
                                    .value = "one|HOST:PORT",
                                    .choices = {"one"},
                                    .repeatable = true},
                                   {.names = {"--now"}, .description = "At once"}},
                       .arguments = {{.names = {"file"}, .kind = ValueKind::file}}}};
  return program;
}

TEST(Completion, Quotes) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's $x"), "'it'\\''s $x'");
}

TEST(Completion, Commands) {
  const CommandOutline program = example();
  const std::vector<const CommandOutline*> commands = all_commands(program);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[1]->full_name(), "drover run");
}

TEST(Completion, Bash) {
  const std::string script = bash_completion(example());
  EXPECT_THAT(script, HasSubstr("'drover run -s' | 'drover run --style') kind=text words='one'"));
  EXPECT_THAT(script, HasSubstr("options='-s --style --now'"));
  EXPECT_THAT(script, Not(HasSubstr("drover run --now')")));  // it takes no value
}

TEST(Completion, ZshEscapesWhatItWouldRead) {
  const std::string script = zsh_completion(example());
  EXPECT_THAT(script, HasSubstr("'*'{-s+,--style=}'[It'\\''s \\[a\\] style\\: $HOME]"
                                ":one|HOST\\:PORT:(one)'"));
  EXPECT_THAT(script, HasSubstr("--now'[At once]'"));
  EXPECT_THAT(script, HasSubstr("'1:file:_files'"));
  EXPECT_THAT(script, HasSubstr("'run:It'\\''s [the] run: $(x) `y` \\ \"z\"'"));
}

TEST(Completion, FishEscapesWhatItWouldRead) {
  const std::string script = fish_completion(example());
  EXPECT_THAT(script, HasSubstr("-s s -l style -x -a 'one' -d 'It\\'s [a] style: $HOME'"));
  EXPECT_THAT(script, HasSubstr("-a run -d 'It\\'s [the] run: $(x) `y` \\\\ \"z\"'"));
  EXPECT_THAT(script, HasSubstr("complete -c drover -n '__drover_at drover run' -F\n"));
}

}  // namespace
}  // namespace drover::cli
