"""The circumstances in which each request is tested: a sound text, characters of several bytes before the place in both
encodings, a mistake at the place; always with an import that was never saved.
"""

from client import Client

PART = "file:///tmp/none/shapes.tsr"
MAIN = "file:///tmp/none/main.tsr"

PART_TEXT = '''WIDTH = 4


def area(w: i32, h: i32 = 2) -> i32:
    """The area of a rectangle.

    Both sides are whole numbers.
        for example 2 and 3
    """
    return w * h
'''

# `WIDE` stands before places on their lines, `BROKEN` behind them.
MAIN_TEXT = '''import shapes
from shapes import area

SIZE = 3


class Layer:
    w: f32[m]
    scale: f32 = 1.0

    def size(self) -> index:
        return len(self.w)


@kernel
def fill(x: mut f32[n], value: f32):
    i = tile.linear_id()
    if i < n:
        x[i] = value


def twice(x):
    return x + x


def main():
    total = area(SIZE, h=2)
    y = zeros((5,), f32)
    fill(y, value=1.5)
    layer = Layer(y, scale=0.5)
    print("WIDE", total, area(SIZE), layer.size(), y)BROKEN
    print(twice(total), twice(1.5), softmax(y))
'''


class Circumstance:
    def __init__(self, server, name, encoding, wide, broken, capabilities):
        self.name = name
        self.broken = broken != ""
        self.client = Client(server, encoding, capabilities)
        self.part = self.client.open(PART, PART_TEXT)
        self.text = self.client.open(MAIN, MAIN_TEXT.replace("WIDE", wide).replace("BROKEN", broken))

    def at(self, word, nth=1, end=False):
        """The place of a word in the main text."""
        return self.text.range_of(word, nth)["end" if end else "start"]


def circumstances(server, capabilities=None):
    for name, encoding, wide, broken in (("sound", "utf-16", "e", ""), ("wide, utf-16", "utf-16", "🐙é🐙", ""), ("wide, utf-8", "utf-8", "🐙é🐙", ""),
                                         ("broken", "utf-16", "🐙", " +"), ("unclosed", "utf-8", "🐙", " + (1, [")):
        one = Circumstance(server, name, encoding, wide, broken, capabilities)
        try:
            yield one
        except Exception as error:
            raise AssertionError(f"where the text is {name}: {error}") from error
        assert one.client.end() == 0
