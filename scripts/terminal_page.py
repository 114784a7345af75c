"""A captured terminal (tmux capture-pane -e -p) as a page of HTML with the same cells.

Colours and attributes come from the SGR sequences; anything else that begins with ESC is left out.
Characters beyond ASCII are placed cell by cell, since the font that has them is seldom as wide as
the others.
"""

import html
import re

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.4, 17, 14
BACKGROUND, FOREGROUND = "#11151a", "#d7dce2"
# The sixteen colours of terminals, in a common theme.
PALETTE = ["#2a3038", "#f07178", "#7fd88f", "#e6b450", "#6cb4f5", "#c792ea", "#5cc8d6", "#c8ced6",
           "#6a7480", "#ff8f96", "#a3e8b0", "#ffd57d", "#9ccdfb", "#dcb6f5", "#8fe0ea", "#ffffff"]
NO_BREAK_SPACE = "\u00a0"  # several spaces of SVG are one
SGR = re.compile(r"\x1b\[([0-9;:]*)m")
OTHER_SEQUENCES = re.compile(r"\x1b(?:\[[0-9;:?]*[A-Za-ln-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()].)")


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.ink = None
        self.back = None
        self.bold = self.dim = self.reverse = False

    def take(self, parameters):
        numbers = [int(number or 0) for number in re.split("[;:]", parameters or "0")]
        while numbers:
            self._take_one(numbers.pop(0), numbers)

    def _take_one(self, number, rest):
        if number == 0:
            self.reset()
        elif number in (1, 2):
            self.bold, self.dim = self.bold or number == 1, self.dim or number == 2
        elif number == 22:
            self.bold = self.dim = False
        elif number in (7, 27):
            self.reverse = number == 7
        elif number in (38, 48):
            colour = self._extended(rest)
            if number == 38:
                self.ink = colour
            else:
                self.back = colour
        elif number in (39, 49):
            if number == 39:
                self.ink = None
            else:
                self.back = None
        elif 30 <= number <= 37 or 90 <= number <= 97:
            self.ink = PALETTE[number - 30 if number < 90 else number - 82]
        elif 40 <= number <= 47 or 100 <= number <= 107:
            self.back = PALETTE[number - 40 if number < 100 else number - 92]

    @staticmethod
    def _extended(rest):
        kind = rest.pop(0) if rest else 0
        if kind == 2:
            return "#" + "".join(f"{rest.pop(0) if rest else 0:02x}" for _ in range(3))
        index = rest.pop(0) if rest else 0
        if index < 16:
            return PALETTE[index]
        if index >= 232:
            return "#" + f"{8 + (index - 232) * 10:02x}" * 3
        index -= 16
        levels = (0, 95, 135, 175, 215, 255)
        return "#" + "".join(f"{levels[index // step % 6]:02x}" for step in (36, 6, 1))

    def colours(self):
        ink, back = self.ink or FOREGROUND, self.back
        if self.reverse:
            ink, back = back or BACKGROUND, ink
        return ink, back


def _cells(text, row, column, style):
    """The pieces of a text as SVG, and the column behind it."""
    parts = []
    for piece in re.findall(r"[\x20-\x7e]+|[^\x20-\x7e]", text):
        ink, back = style.colours()
        x, y, width = column * CELL_WIDTH, row * CELL_HEIGHT, len(piece) * CELL_WIDTH
        if back:
            parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width + .3:.1f}" '
                         f'height="{CELL_HEIGHT + .3}" fill="{back}"/>')
        if piece.strip():
            weight = ' font-weight="700"' if style.bold else ""
            faint = ' opacity=".62"' if style.dim else ""
            parts.append(f'<text x="{x:.1f}" y="{y + 13}" fill="{ink}"{weight}{faint} '
                         f'textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs">'
                         f'{html.escape(piece).replace(" ", NO_BREAK_SPACE)}</text>')
        column += len(piece)
    return parts, column


def page(capture, columns=None):
    """The whole page, and its size in pixels."""
    lines = OTHER_SEQUENCES.sub("", capture).rstrip("\n").split("\n")
    style, parts, widest = Style(), [], 0
    for row, line in enumerate(lines):
        column, at = 0, 0
        for sequence in SGR.finditer(line):
            more, column = _cells(line[at:sequence.start()], row, column, style)
            parts += more
            style.take(sequence.group(1))
            at = sequence.end()
        more, column = _cells(line[at:], row, column, style)
        parts += more
        widest = max(widest, column)
    width = round((columns or widest) * CELL_WIDTH) + 24
    height = len(lines) * CELL_HEIGHT + 24
    body = "".join(parts)
    return (f'<!doctype html><meta charset="utf-8"><body style="margin:0;background:{BACKGROUND}">'
            f'<svg width="{width}" height="{height}" style="display:block;'
            f"font:{FONT_SIZE}px 'DejaVu Sans Mono',monospace\">"
            f'<g transform="translate(12 12)">{body}</g></svg></body>', width, height)
