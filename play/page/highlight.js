// Text of Tessera as pieces with a class, for the layer of colors below the text that is typed.

export const keywords = new Set([
  'and', 'as', 'assert', 'break', 'class', 'continue', 'def', 'elif', 'else', 'False', 'for', 'from', 'if', 'import',
  'in', 'lambda', 'mut', 'None', 'not', 'or', 'param', 'pass', 'return', 'static', 'True', 'while']);

export const types = new Set([
  'bf16', 'bool', 'c64', 'e8m0', 'f16', 'f32', 'f64', 'fp4_e2m1', 'fp6_e2m3', 'fp6_e3m2', 'fp8_e4m3', 'fp8_e5m2', 'i16',
  'i32', 'i4', 'i64', 'i8', 'index', 'u16', 'u32', 'u64', 'u8']);

const piece = new RegExp([
  /(?<comment>#[^\n]*)/,
  /(?<string>[fF]?(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?))/,
  /(?<number>\b(?:0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?(?:_[KMG]iB)?))/,
  /(?<decorator>@[A-Za-z_][\w.]*)/,
  /(?<word>[A-Za-z_]\w*)/,
].map(one => one.source).join('|'), 'g');

/** Calls `take(begin, end, class)` for each piece that has a color, in order. */
export function colored(text, take) {
  let previous = '';
  for (const match of text.matchAll(piece)) {
    const groups = match.groups;
    let kind = '';
    if (groups.word) {
      if (keywords.has(groups.word)) kind = 'keyword';
      else if (types.has(groups.word)) kind = 'type';
      else if (previous === 'def' || previous === 'class') kind = 'defined';
      previous = groups.word;
    } else {
      previous = '';
      kind = ['comment', 'string', 'number'].find(name => groups[name]) ?? '';
      // `a @ b` is a product; a decorator begins its line.
      if (groups.decorator) {
        const line = text.slice(text.lastIndexOf('\n', match.index - 1) + 1, match.index);
        if (/^\s*(@[\w.]+(\([^)]*\))?\s+)*$/.test(line)) kind = 'decorator';
      }
    }
    if (kind) take(match.index, match.index + match[0].length, kind);
  }
}
