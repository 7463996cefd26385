// A field of text with colors, squiggles, completion and help at a name: a text area that shows nothing but its caret
// and selection, over a layer that shows the same text in pieces.
import {colored} from './highlight.js';

const indent = '    ';

export class Editor {
  /** `help`: {complete(offset), hover(offset)}, each a promise. */
  constructor(place, help) {
    this.help = help;
    this.marks = [];
    this.onchange = () => {};
    this.place = place;
    this.numbers = element('div', 'numbers');
    this.layer = element('pre');
    this.area = element('textarea');
    Object.assign(this.area, {spellcheck: false, autocapitalize: 'off', autocomplete: 'off', wrap: 'off'});
    this.area.setAttribute('aria-label', 'Program');
    const layers = element('div', 'layers');
    layers.append(this.layer, this.area);
    const code = element('div', 'code');
    code.append(this.numbers, layers);
    place.append(code);
    this.list = popup('completion');
    this.tip = popup('hover');
    this.items = [];
    this.area.addEventListener('input', event => this.typed(event));
    this.area.addEventListener('keydown', event => this.key(event));
    this.area.addEventListener('blur', () => this.closeList());
    this.area.addEventListener('click', () => this.closeList());
    this.area.addEventListener('mousemove', event => this.moved(event));
    this.area.addEventListener('mouseleave', () => this.closeTip());
    place.addEventListener('scroll', () => { this.closeList(); this.closeTip(); });
  }

  get text() { return this.area.value; }
  set text(text) {
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.place.scrollTo(0, 0);
    this.changed();
  }

  /** Replaces a part of the text so that the browser can undo it. */
  replace(begin, end, text) {
    this.area.focus();
    this.area.setSelectionRange(begin, end);
    if (!(text ? document.execCommand('insertText', false, text) : document.execCommand('delete'))) {
      this.area.setRangeText(text, begin, end, 'end');
      this.changed();
    }
  }

  goTo(offset) {
    this.area.focus();
    this.area.setSelectionRange(offset, offset);
    const at = this.pointOf(offset);
    const box = this.place.getBoundingClientRect();
    if (at.y < box.top + 30 || at.y > box.bottom - 40) this.place.scrollTop += at.y - (box.top + box.bottom) / 2;
  }

  /** Marks are {begin, end, kind, message}: the squiggles. */
  mark(marks) {
    this.marks = marks;
    this.draw();
  }

  changed() {
    this.closeTip();
    this.marks = [];  // they speak of the text before
    this.draw();
    this.onchange(this.text);
  }

  draw() {
    const text = this.text;
    const edges = new Set([0, text.length]);
    const colors = [];
    colored(text, (begin, end, kind) => { colors.push([begin, end, kind]); edges.add(begin); edges.add(end); });
    for (const mark of this.marks) { edges.add(mark.begin); edges.add(mark.end); }
    const order = [...edges].filter(edge => edge <= text.length).sort((a, b) => a - b);
    const pieces = document.createDocumentFragment();
    let color = 0;
    for (let i = 0; i + 1 < order.length; ++i) {
      const [begin, end] = [order[i], order[i + 1]];
      while (color < colors.length && colors[color][1] <= begin) ++color;
      const kinds = color < colors.length && colors[color][0] <= begin ? [colors[color][2]] : [];
      for (const mark of this.marks) if (mark.begin <= begin && end <= mark.end) kinds.push('squiggle', mark.kind);
      const content = text.slice(begin, end);
      if (kinds.length === 0) pieces.append(content);
      else {
        const span = element('span', kinds.join(' '));
        span.textContent = content;
        pieces.append(span);
      }
    }
    pieces.append('\n');  // so that an empty last line has its height
    this.layer.replaceChildren(pieces);
    const lines = text.split('\n').length;
    if (this.lines !== lines) this.numbers.textContent = Array.from({length: lines}, (_, i) => i + 1).join('\n');
    this.lines = lines;
  }

  // ---- places on the screen ----

  /** Where a character stands on the screen: measured in the layer, whose text is the same. */
  pointOf(offset) {
    const range = this.rangeAt(offset);
    const box = range.getClientRects()[0] ?? this.layer.getBoundingClientRect();
    return {x: box.left, y: box.top, bottom: box.bottom};
  }

  rangeAt(offset) {
    const walker = document.createTreeWalker(this.layer, NodeFilter.SHOW_TEXT);
    let left = offset;
    let node = walker.nextNode();
    while (node && left >= node.length) { left -= node.length; node = walker.nextNode(); }
    const range = document.createRange();
    if (!node) { range.selectNodeContents(this.layer); range.collapse(false); return range; }
    range.setStart(node, left);
    range.setEnd(node, Math.min(left + 1, node.length));
    return range;
  }

  offsetAt(x, y) {
    this.area.style.pointerEvents = 'none';
    this.layer.style.pointerEvents = 'auto';
    const caret = document.caretRangeFromPoint?.(x, y);
    this.area.style.pointerEvents = this.layer.style.pointerEvents = '';
    if (!caret || !this.layer.contains(caret.startContainer)) return -1;
    const before = document.createRange();
    before.setStart(this.layer, 0);
    before.setEnd(caret.startContainer, caret.startOffset);
    return before.toString().length;
  }

  // ---- typing ----

  typed(event) {
    this.changed();
    const at = this.area.selectionStart;
    const last = this.text[at - 1] ?? '';
    const types = event.inputType === 'insertText' || event.inputType === 'insertCompositionText';
    if ((types && /[\w.]/.test(last)) || (!this.list.hidden && /\w/.test(last))) this.complete();
    else this.closeList();
  }

  async complete() {
    const at = this.area.selectionStart;
    const items = await this.help.complete(at).catch(() => []);
    if (this.area.selectionStart !== at || document.activeElement !== this.area) return;
    const begin = at - (/\w*$/.exec(this.text.slice(0, at))[0].length);
    const word = this.text.slice(begin, at).toLowerCase();
    this.items = items.filter(item => item.label.toLowerCase().startsWith(word)).slice(0, 100);
    if (this.items.length === 0 || /^\d/.test(word) || (this.items.length === 1 && this.items[0].label === word))
      return this.closeList();
    this.begin = begin;
    this.list.replaceChildren(...this.items.map((item, i) => {
      const row = element('div');
      row.append(item.label);
      if (item.detail) { const detail = element('small'); detail.textContent = item.detail; row.append(detail); }
      row.addEventListener('mousedown', event => { event.preventDefault(); this.take(i); });
      return row;
    }));
    this.choose(0);
    const point = this.pointOf(begin);
    show(this.list, point.x, point.bottom + 2, point.y);
  }

  choose(index) {
    this.chosen = (index + this.items.length) % this.items.length;
    [...this.list.children].forEach((row, i) => row.setAttribute('aria-selected', i === this.chosen));
    this.list.children[this.chosen].scrollIntoView({block: 'nearest'});
  }

  take(index) {
    const label = this.items[index].label;
    this.closeList();
    this.replace(this.begin, this.area.selectionStart, label);
    this.closeList();
  }

  closeList() { this.list.hidden = true; }

  key(event) {
    const {key, shiftKey, ctrlKey, metaKey} = event;
    if (!this.list.hidden) {
      const moves = {ArrowDown: 1, ArrowUp: -1}[key];
      if (moves) { event.preventDefault(); return this.choose(this.chosen + moves); }
      if (key === 'Enter' || key === 'Tab') { event.preventDefault(); return this.take(this.chosen); }
      if (key === 'Escape') { event.preventDefault(); return this.closeList(); }
    }
    if (ctrlKey && key === ' ') { event.preventDefault(); return this.complete(); }
    if (ctrlKey || metaKey || event.altKey) return;
    if (key === 'Tab') { event.preventDefault(); this.indentLines(shiftKey); }
    if (key === 'Enter' && !event.isComposing) { event.preventDefault(); this.newLine(); }
    if (key === 'Escape') this.closeTip();
  }

  newLine() {
    const {selectionStart: begin, selectionEnd: end} = this.area;
    const line = this.text.slice(this.text.lastIndexOf('\n', begin - 1) + 1, begin);
    const opens = /:\s*(#.*)?$/.test(line) ? indent : '';
    this.replace(begin, end, '\n' + /^\s*/.exec(line)[0] + opens);
  }

  indentLines(back) {
    const {selectionStart: begin, selectionEnd: end} = this.area;
    if (begin === end && !back) {
      const column = begin - (this.text.lastIndexOf('\n', begin - 1) + 1);
      return this.replace(begin, end, ' '.repeat(4 - column % 4));
    }
    const first = this.text.lastIndexOf('\n', begin - 1) + 1;
    const lines = this.text.slice(first, end).split('\n');
    const made = lines.map(line => back ? line.replace(/^ {1,4}/, '') : line && indent + line).join('\n');
    this.replace(first, end, made);
    this.area.setSelectionRange(begin === end ? first + made.length : first, first + made.length);
  }

  // ---- help at a name ----

  moved(event) {
    clearTimeout(this.waiting);
    this.closeTip();
    this.waiting = setTimeout(() => this.tell(event.clientX, event.clientY), 350);
  }

  async tell(x, y) {
    const at = this.offsetAt(x, y);
    if (at < 0) return;
    const text = this.text;
    const said = this.marks.filter(mark => mark.begin <= at && at <= mark.end).map(mark => mark.message);
    const told = await this.help.hover(at).catch(() => '');
    if (text !== this.text || (!told && said.length === 0)) return;
    this.tip.replaceChildren(...said.map(message => paragraph(message)), markdown(told));
    show(this.tip, x, y + 16, y - 8);
  }

  closeTip() {
    clearTimeout(this.waiting);
    this.tip.hidden = true;
  }
}

export function element(name, classes = '') {
  const made = document.createElement(name);
  made.className = classes;
  return made;
}

function popup(kind) {
  const made = element('div', 'popup ' + kind);
  made.hidden = true;
  document.body.append(made);
  return made;
}

/** Below a place, or above it where there is no room. */
function show(box, x, below, above) {
  box.hidden = false;
  const {width, height} = box.getBoundingClientRect();
  box.style.left = Math.max(4, Math.min(x, innerWidth - width - 8)) + 'px';
  box.style.top = (below + height > innerHeight - 4 ? Math.max(4, above - height) : below) + 'px';
}

function paragraph(text) {
  const made = element('p');
  text.split('`').forEach((part, i) => {
    const piece = i % 2 ? element('code') : null;
    if (piece) piece.textContent = part;
    made.append(piece ?? part);
  });
  return made;
}

/** What of Markdown the language server writes: blocks of code, paragraphs, headings, `code`. */
export function markdown(text) {
  const made = document.createDocumentFragment();
  text.split(/^```.*$/m).forEach((part, i) => {
    if (i % 2) {
      const block = element('pre');
      block.textContent = part.replace(/^\n|\n$/g, '');
      made.append(block);
    } else {
      for (const one of part.split(/\n\s*\n/)) {
        const words = one.trim().replace(/^#+ /, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
        if (words === '---') made.append(element('hr'));
        else if (words) made.append(paragraph(words));
      }
    }
  });
  return made;
}
