"""Words of YQL."""

import unittest

from ydb_server.yql import lexer
from ydb_server.error import YdbError


def words(text):
    return [(token.kind, token.value) for token in lexer.tokens_of(text)][:-1]


class LexerTest(unittest.TestCase):
    def test_strings(self):
        self.assertEqual(words(r"'it\'s'"), [(lexer.STRING, ("it's", ""))])
        self.assertEqual(words(r'"a\"b\n\u0416"u'), [(lexer.STRING, ('a"b\nЖ', "u"))])
        self.assertEqual(words("'-- no comment; /* nor this */'"),
                         [(lexer.STRING, ("-- no comment; /* nor this */", ""))])
        self.assertEqual(words("@@raw \\n @@@@ text@@"), [(lexer.STRING, ("raw \\n @@ text", ""))])

    def test_comments(self):
        self.assertEqual(words("a -- 'b\n/* \" ` */ c"), [(lexer.NAME, "a"), (lexer.NAME, "c")])

    def test_names(self):
        self.assertEqual(words("`dir/t.1` $x"), [(lexer.QUOTED, "dir/t.1"),
                                                 (lexer.PARAMETER, "$x")])

    def test_numbers(self):
        self.assertEqual(words("1 2ul 0x1F 1.5 2e3 1.f"),
                         [(lexer.NUMBER, value) for value in
                          [(1, ""), (2, "ul"), (31, ""), (1.5, ""), (2000.0, ""), (1.0, "f")]])

    def test_signs(self):
        self.assertEqual([value for _, value in words("a<>b!=c==d??e||f<=g")][1::2],
                         ["<>", "!=", "==", "??", "||", "<="])

    def test_places(self):
        tokens = lexer.tokens_of("a\n  b /* \n */ c")
        self.assertEqual([token.place for token in tokens], [(1, 1), (2, 3), (3, 5), (3, 6)])

    def test_what_does_not_end(self):
        for text, place in (("x 'abc", (1, 3)), ("/* a", (1, 1)), ("\n`a", (2, 1)),
                            ("@@a@@@@", (1, 1))):
            with self.assertRaises(YdbError) as caught:
                lexer.tokens_of(text)
            self.assertEqual(caught.exception.place, place, text)
            self.assertIn("does not end", caught.exception.message)

    def test_bad_escapes_and_signs(self):
        for text in (r"'\xzz'", r"'\xff'", "a ! b", "'a'y"):
            with self.assertRaises(YdbError, msg=text):
                lexer.tokens_of(text)


if __name__ == "__main__":
    unittest.main()
