// What a person sees of the workbench: the text of editors as it is shown, and what is marked in it.
const look = {
  // The first editor that has the focus; with a number that one, from the left.
  editor(number) {
    const groups = [...document.querySelectorAll(".editor-group-container")];
    groups.sort((one, other) => one.getBoundingClientRect().left - other.getBoundingClientRect().left);
    return number === undefined ? groups.find((one) => one.classList.contains("active")) : groups[number];
  },

  rows(number) {
    const rows = [...(look.editor(number)?.querySelectorAll(".editor-instance .view-line") ?? [])];
    return rows.sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top);
  },

  text(row) {
    return row.textContent.replace(/\u00a0/g, " ").replace(/\u200b/g, "");
  },

  lines(number) {
    return look.rows(number).map(look.text);
  },

  // Each character of a row with its box.
  characters(row) {
    const found = [];
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (let at = 0; at < node.data.length; ++at) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        found.push({ text: node.data[at], box: range.getBoundingClientRect() });
      }
    }
    return found;
  },

  // The middle of a word, the one of that number from the top, and its line.
  place(word, nth, number) {
    for (const [line, row] of look.rows(number).entries()) {
      const characters = look.characters(row);
      const text = characters.map((one) => one.text).join("");
      for (const one of text.matchAll(new RegExp(`(?<!\\w)${word}(?!\\w)`, "g"))) {
        if (--nth > 0) continue;
        const [first, last] = [characters[one.index].box, characters[one.index + word.length - 1].box];
        return [(first.left + last.right) / 2, (first.top + first.bottom) / 2, line + 1];
      }
    }
    return null;
  },

  // What stands above each line of errors.
  squiggles(number) {
    return [...(look.editor(number)?.querySelectorAll(".squiggly-error") ?? [])].map((mark) => {
      const box = mark.getBoundingClientRect();
      const inside = ({ box: own }) => {
        const [x, y] = [(own.left + own.right) / 2, (own.top + own.bottom) / 2];
        return x > box.left && x < box.right && y > box.top - 2 && y < box.bottom + 2;
      };
      return look.rows(number).flatMap(look.characters).filter(inside).map((one) => one.text).join("");
    });
  },

  // The lines that an extension has marked.
  marked(number) {
    const boxes = [...(look.editor(number)?.querySelectorAll("[class*=TextEditorDecorationType]") ?? [])].map((mark) => mark.getBoundingClientRect());
    return look.rows(number).filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return boxes.some((box) => (top + bottom) / 2 > box.top && (top + bottom) / 2 < box.bottom);
    }).map(look.text);
  },

  // The text of what is visible.
  shown(selector) {
    return [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 0)
      .map((one) => one.innerText.replace(/\u00a0/g, " "));
  },

  // Whether what is typed goes there.
  writesInto(selector) {
    return !!document.activeElement?.closest(selector);
  },

  // A part of the line below everything.
  state(name) {
    return look.shown(`[id="status.${name}"]`).join().trim();
  },
};
