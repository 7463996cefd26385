"""The text of a cell: its statements, what it defines and assigns."""

import re


def masked(text):
    """The text with `s` for each character of a string, and blanks for comments: as long as the text."""
    pieces = r"""#[^\n]*|(\"{3}|'{3})(?:\\.|.)*?(?:\1|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?"""
    return re.sub(pieces, lambda one: (" " if one[0][0] == "#" else "s") * len(one[0]), text, flags=re.DOTALL)


def outermost(text):
    """The masked text without what stands in brackets."""
    depth, kept = 0, []
    for here in masked(text):
        depth = max(0, depth - (here in ")]}"))
        kept.append("b" if depth > 0 else here)
        depth += here in "([{"
    return "".join(kept)


def statements(text):
    """The statements of the outermost level, each with all its lines: [(first line, text)]."""
    bare = outermost(text)
    starts, decorated = [], False
    for one in re.finditer(r"^\S[^\n]*", bare, re.MULTILINE):
        # Decorators stand before what they decorate.
        if not decorated and not re.match(r"(else|elif)\b", one[0]):
            starts.append(one.start())
        decorated = one[0].startswith("@") and not re.search(r"\b(def|class)\b", one[0])
    ends = [*starts[1:], len(text)]
    return [(text.count("\n", 0, begin), text[begin:end].rstrip()) for begin, end in zip(starts, ends)]


def defined_names(statement):
    """What a definition or an import names; nothing of another statement."""
    head = re.sub(r"^(?:@[^\n]*?(?=\bdef\b|\bclass\b|\n)\n?)+", "", statement)
    named = re.match(r"(?:def|class)\s+(\w+)", head)
    if named:
        return [named[1]]
    if re.match(r"(import|from)\b", statement):
        behind = re.sub(r"^from\s+\S+\s+import|^import", "", statement).strip("() \n")
        return [re.split(r"\s+as\s+", one.strip())[-1].split(".")[0] for one in behind.split(",") if one.strip()]
    return []


def is_expression(statement):
    bare = outermost(statement).strip()
    word = re.match(r"@|(def|class|if|for|while|return|pass|break|continue|assert|import|from)\b", bare)
    return not word and "\n" not in bare and not re.search(r"(?<![=!<>])=(?!=)|<<=|>>=", bare)


def assigned_names(text):
    """Names that a cell assigns, outside its definitions: [(name, line, column)], the last place of each."""
    found = {}
    for first, statement in statements(text):
        if defined_names(statement):
            continue
        for number, line in enumerate(statement.split("\n")):
            target = re.match(r"(\s*)((?:for\s+)?)([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*(?::[^=\n]*)?(=(?!=)|in\b)", line)
            if not target or (target[4] == "in") != bool(target[2].strip()):
                continue
            for name in re.finditer(r"\w+", target[3]):
                found[name[0]] = (first + number, target.start(3) + name.start())
    return [(name, *place) for name, place in found.items()]
