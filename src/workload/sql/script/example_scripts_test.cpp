// Whole scripts and the statements that they send. The statements were taken from the log of a server that pgbench 15.18
// sent them to, with the simple protocol and scale 1; only blanks at their ends and variables in comments differ.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workload/sql/script/parser.h"
#include "workload/sql/script/script_run.h"

namespace drover::sql {
namespace {

struct ExampleScript {
  const char* text;
  std::vector<std::string> statements;
};

const std::vector<ExampleScript> example_scripts = {
    {"\\set row 1 + :client_id % :scale\n\\set many 100000 * :scale\nSELECT :row, :many;\n",
     {"SELECT 1, 100000;"}},
    {"\\set a 3 + 4 * 5 - 6 / 4 % 7\n\\set b (3 + 4) * (5 - 6) \\\n  / 4 \\\n  % 7\n\\set c - :a * "
     "- :b\nSELECT :a, :b, :c;",
     {"SELECT 22, -1, -22;"}},
    {"\\set b1 1 <> 2 and not 3 >= 4\n\\set b2 null is null or 1/0 = 1\nSELECT :b1, :b2;",
     {"SELECT true, true;"}},
    {"\\set n null\n\\set v case when :n isnull then 7 end\nSELECT 1;", {"SELECT 1;"}},
    {"\\set bits (1 << 4 | 3) # 5 & ~0 >> 1\n\\set neg ~:bits\nSELECT :bits, :neg;",
     {"SELECT 11, -12;"}},
    {"\\set d 1.5e3 + .25 - 2.\n\\set e :d / 3\n\\set f int(:e)\n\\set g double(:f) / 7\nSELECT "
     ":d, :e, :f, :g;",
     {"SELECT 1498.25, 499.416666666667, 499, 71.2857142857143;"}},
    {"\\set c pi() * 2\n\\set s sqrt(:c * :c)\n\\set l ln(exp(1.25))\n\\set p pow(2, 0.5) + "
     "power(2, 3)\nSELECT :c, :s, :l, :p;",
     {"SELECT 6.28318530717959, 6.28318530717959, 1.25, 9.4142135623731;"}},
    {"\\set l least(3, 1.5, 2)\n\\set g greatest(3, 1, 2)\n\\set m mod(:g, 2) + abs(-4) + 7 % "
     "4\nSELECT :l, :g, :m;",
     {"SELECT 1.5, 3, 8;"}},
    {"\\set h hash(:scale, 7)\n\\set f hash_fnv1a(:h, 3)\n\\set m hash_murmur2(:h, :f)\nSELECT :h, "
     ":m;",
     {"SELECT -8123251712474194501, 5555546211161097402;"}},
    {"\\set p permute(:scale + 41, 100, 17)\n\\set q permute(:p, 1000000007, -3)\nSELECT :p, :q;",
     {"SELECT 84, 996875399;"}},
    {"\\set size 1000\n\\set r random(1, :size) + random_exponential(1, :size, 2.5) + "
     "random_gaussian(1, :size, 2.0) + random_zipfian(1, :size, 1.5)\n\\set ok :r >= 4 and :r <= 4 "
     "* :size\nSELECT :ok;",
     {"SELECT true;"}},
    {"\\set cond 2\n\\if :cond = 1\nSELECT 'one';\n\\elif :cond = 2\nSELECT 'two';\n\\elif "
     "1/0\nSELECT 'three';\n\\else\nSELECT 'four';\n\\endif\n",
     {"SELECT 'two';"}},
    {"\\if 0\n\\if 1\nSELECT 1;\n\\else\nSELECT 2;\n\\endif\n\\elif null\nSELECT 3;\n\\else\n  "
     "\\if 0.5\nSELECT 4;\n  \\endif\nSELECT 5;\n\\endif\nSELECT 6",
     {"SELECT 4;", "SELECT 5;", "SELECT 6"}},
    {"BEGIN \\; SELECT 1 \\; SELECT 2;\nCOMMIT;\n\\sleep 1 us\n\\sleep 1us\n\\set t 2\n\\sleep :t "
     "us\n\\sleep 0\nSELECT 3;",
     {"BEGIN ; SELECT 1 ; SELECT 2;", "COMMIT;", "SELECT 3;"}},
    {"-- a comment\nSELECT /* :scale; */ 1 -- ; and one more\n  , 2;\n-- the end\n",
     {"SELECT /* :scale; */ 1 -- ; and one more\n  , 2;"}},
    {"SELECT 'it''s; ' || E'\\';' || $$;'$$ || $q$;$$;$q$ || U&';' AS \"a;b\";\nSELECT 2;",
     {"SELECT 'it''s; ' || E'\\';' || $$;'$$ || $q$;$$;$q$ || U&';' AS \"a;b\";", "SELECT 2;"}},
    {"SELECT :scale::text::int, 5::int, (ARRAY[1,2,3])[1:2];\n",
     {"SELECT 1::text::int, 5::int, (ARRAY[1,2,3])[1:2];"}},
    {"CREATE OR REPLACE FUNCTION pg_temp.f(n int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT "
     "CASE WHEN n > 1 THEN n END; SELECT n + 1; END;\nSELECT pg_temp.f(:scale);",
     {"CREATE OR REPLACE FUNCTION pg_temp.f(n int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT "
      "CASE WHEN n > 1 THEN n END; SELECT n + 1; END;",
      "SELECT pg_temp.f(1);"}},
    {"\\set i debug(-9223372036854775808)\n\\set j debug(:i + 9223372036854775807)\n\\set k "
     "debug(not null is null)\nSELECT :i, :j, :k;",
     {"SELECT -9223372036854775808, -1, false;"}},
    {"\\set x 1\n\\set x :x + :x\n\\set x :x * :x + :x\nSELECT :x, :x, -:x;;\n",
     {"SELECT 6, 6, -6;", ";"}},
    {"\\Set Größe 5\nSELECT :Größe, 1 AS größe;SELECT 2 \\set y 1\nSELECT :y",
     {"SELECT 5, 1 AS größe;", "SELECT 2", "SELECT 1"}},
    {"\\set v1 :client_id + 1\n\\set  v2\t:v1+:v1\r\n\\set v3 \\\r\n :v2 *2\r\nSELECT :v1,:v2 , "
     ":v3 ;\r\n",
     {"SELECT 1,2 , 4 ;"}},
};

std::vector<std::string> sent_by(const std::string& text) {
  VariableNames names;
  const Script script = parse_script("example", text, names);
  Variables variables(names);
  set_builtin_variables(names, {}, variables);
  random::Rng rng(1);
  Environment environment{variables, rng};
  std::vector<std::string> result;
  for (ScriptRun run(script, environment); const Command* command = run.next();) {
    if (const auto* sql = std::get_if<SqlCommand>(&command->action)) {
      sql->sql.render(variables, result.emplace_back());
    }
  }
  return result;
}

TEST(ExampleScripts, SendWhatPgbenchSends) {
  for (const ExampleScript& example : example_scripts) {
    EXPECT_EQ(sent_by(example.text), example.statements) << example.text;
  }
}

}  // namespace
}  // namespace drover::sql
