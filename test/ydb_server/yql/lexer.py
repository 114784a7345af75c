"""The words of a YQL text: names, numbers, strings, parameters, signs; comments are passed over."""

import dataclasses
import re

from ydb_server.error import refused, syntax_error

NAME = "name"            # keywords are names; the parser knows them by their place
QUOTED = "quoted name"   # `…`
NUMBER = "number"        # value: (int or float, suffix)
STRING = "string"        # value: (text, suffix)
PARAMETER = "parameter"  # value: the name with its $
SIGN = "sign"
END = "end"


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    place: tuple
    value: object = None

    def is_word(self, *words):
        return self.kind == NAME and self.text.upper() in words

    def is_sign(self, *signs):
        return self.kind == SIGN and self.text in signs

    def quoted(self):
        return "the end of the text" if self.kind == END else f"'{self.text}'"


_SPACE = re.compile(r"(?:\s+|--[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_PARAMETER = re.compile(r"\$[A-Za-z_][A-Za-z_0-9]*")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)"
                     r"([A-Za-z]*)")
_SIGNS = ("==", "<>", "!=", "<=", ">=", "||", "??", "::", "->",
          "(", ")", ",", ";", ".", "=", "<", ">", "+", "-", "*", "/", "%", "?", "[", "]", "{",
          "}", ":", "|", "&", "^", "~", "@")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


class _Lexer:
    def __init__(self, text):
        self.text = text
        self.position = 0

    def place(self, position=None):
        position = self.position if position is None else position
        row = self.text.count("\n", 0, position) + 1
        return row, position - self.text.rfind("\n", 0, position)

    def tokens(self):
        while True:
            self.position = _SPACE.match(self.text, self.position).end()
            if self.position == len(self.text):
                yield Token(END, "", self.place())
                return
            yield self._token()

    def _token(self):
        letter = self.text[self.position]
        if self.text.startswith("/*", self.position):
            raise syntax_error("a comment that begins here does not end", self.place())
        if self.text.startswith("@@", self.position):
            return self._raw_string()
        if letter in "'\"":
            return self._string(letter)
        if letter == "`":
            return self._quoted_name()
        for kind, pattern in ((NAME, _NAME), (PARAMETER, _PARAMETER)):
            match = pattern.match(self.text, self.position)
            if match:
                return self._take(kind, match.end(), match[0])
        if letter.isdigit():
            return self._number()
        for sign in _SIGNS:
            if self.text.startswith(sign, self.position):
                return self._take(SIGN, self.position + len(sign), sign)
        raise syntax_error(f"unexpected character '{letter}'", self.place())

    def _take(self, kind, end, value):
        token = Token(kind, self.text[self.position:end], self.place(), value)
        self.position = end
        return token

    def _number(self):
        match = _NUMBER.match(self.text, self.position)
        digits, suffix = match[1], match[2]
        if digits[:2] in ("0x", "0X"):
            value = int(digits, 16)
        elif digits.isdigit():
            value = int(digits)
        else:
            value = float(digits)
        return self._take(NUMBER, match.end(), (value, suffix.lower()))

    def _string(self, quote):
        letters = []
        position = self.position + 1
        while position < len(self.text) and self.text[position] != quote:
            letter = self.text[position]
            if letter == "\\":
                position, letter = self._escape(position)
            else:
                position += 1
            letters.append(letter)
        if position >= len(self.text):
            raise syntax_error("a string that begins here does not end", self.place())
        return self._with_suffix("".join(letters), position + 1)

    def _escape(self, position):
        """The position behind an escape, and the letter that it stands for."""
        letter = self.text[position + 1:position + 2]
        for sign, digits in (("x", 2), ("u", 4), ("U", 8)):
            if letter == sign:
                code = self.text[position + 2:position + 2 + digits]
                if not re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", code) or int(code, 16) > 0x10ffff:
                    raise syntax_error(f"'\\{sign}' wants {digits} hexadecimal digits",
                                       self.place(position))
                if sign == "x" and int(code, 16) > 127:
                    raise refused("a byte above 127 in a string", self.place(position))
                return position + 2 + digits, chr(int(code, 16))
        return position + 2, _ESCAPES.get(letter, letter)

    def _raw_string(self):
        end = self.text.find("@@", self.position + 2)
        while end >= 0 and self.text.startswith("@@@@", end):
            end = self.text.find("@@", end + 4)
        if end < 0:
            raise syntax_error("a string that begins here does not end", self.place())
        return self._with_suffix(self.text[self.position + 2:end].replace("@@@@", "@@"), end + 2)

    def _with_suffix(self, value, end):
        match = _NAME.match(self.text, end)
        suffix = match[0].lower() if match else ""
        if suffix not in ("", "s", "u"):
            raise refused(f"the suffix '{suffix}' of a string", self.place())
        return self._take(STRING, end + len(suffix), (value, suffix))

    def _quoted_name(self):
        end = self.text.find("`", self.position + 1)
        if end < 0:
            raise syntax_error("a name that begins here does not end", self.place())
        name = self.text[self.position + 1:end]
        if "\\" in name or not name:
            raise refused("an empty name, or one with a backslash", self.place())
        return self._take(QUOTED, end + 1, name)


def tokens_of(text):
    """All tokens of the text, the last one END."""
    return list(_Lexer(text).tokens())
