// What a program has left in its folder: pictures, plots, tables of .npy, .npz and .csv files.
import {element} from './editor.js';

const mostRows = 200, mostColumns = 60;

/** An element that shows a result; {id, name, bytes}. */
export async function shown(result) {
  const address = 'results/' + result.id;
  const figure = element('figure');
  const caption = element('figcaption');
  const link = element('a');
  Object.assign(link, {href: address, download: result.name, textContent: result.name});
  caption.append(link, ` ${sizeText(result.bytes)}`);
  figure.append(caption);
  try {
    if (/\.(svg|png)$/.test(result.name)) figure.append(await picture(address, result.name));
    else if (/\.csv$/.test(result.name)) figure.append(table(cellsOf(await (await load(address)).text())));
    else if (/\.npy$/.test(result.name)) figure.append(...tensor('', await (await load(address)).arrayBuffer()));
    else if (/\.npz$/.test(result.name)) {
      for (const [name, content] of await unzipped(await (await load(address)).arrayBuffer()))
        figure.append(...tensor(name.replace(/\.npy$/, ''), content));
    } else if (/\.(txt|json)$/.test(result.name)) {
      const text = element('pre');
      text.textContent = (await (await load(address)).text()).slice(0, 100000);
      figure.append(text);
    }
  } catch (error) {
    caption.append(` can not be shown: ${error.message}`);
  }
  return figure;
}

async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

async function picture(address, name) {
  const made = element('img');
  Object.assign(made, {src: address, alt: name});
  await made.decode();
  if (made.naturalWidth < 256 && !name.endsWith('.svg')) made.className = 'pixels';
  return made;
}

function sizeText(bytes) {
  return bytes < 10000 ? `${bytes} bytes` : bytes < 1e7 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(0)} MB`;
}

function cellsOf(text) {
  return text.trimEnd().split(/\r?\n/).map(line => line.split(','));
}

/** `head`: the first row names the columns. */
function table(rows, head = true) {
  const made = element('table');
  const cut = rows[0]?.length > mostColumns;
  rows.slice(0, mostRows + 1).forEach((cells, i) => {
    const row = made.insertRow();
    for (const cell of cells.slice(0, mostColumns)) {
      const one = document.createElement(head && i === 0 ? 'th' : 'td');
      one.textContent = cell;
      row.append(one);
    }
    if (cut) row.insertCell().textContent = '…';
  });
  if (rows.length > mostRows + 1) made.insertRow().insertCell().textContent = `… ${rows.length} rows`;
  const around = element('div', 'table');
  around.append(made);
  return around;
}

// ---- NumPy's files ----

const readers = {
  f8: ['getFloat64', 8], f4: ['getFloat32', 4], f2: ['getUint16', 2], i8: ['getBigInt64', 8], i4: ['getInt32', 4],
  i2: ['getInt16', 2], i1: ['getInt8', 1], u8: ['getBigUint64', 8], u4: ['getUint32', 4], u2: ['getUint16', 2],
  u1: ['getUint8', 1], b1: ['getUint8', 1],
};

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction);
}

function tensor(name, buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 10 || view.getUint8(0) !== 0x93 || new TextDecoder().decode(buffer.slice(1, 6)) !== 'NUMPY')
    throw new Error('this is no .npy file');
  const long = view.getUint8(6) > 1;
  const begin = (long ? 12 : 10) + (long ? view.getUint32(8, true) : view.getUint16(8, true));
  const head = new TextDecoder().decode(buffer.slice(long ? 12 : 10, begin));
  const kind = /'descr': *'[<>|=]?(\w+)'/.exec(head)?.[1];
  const shape = (/'shape': *\(([^)]*)\)/.exec(head)?.[1] ?? '').split(',').filter(one => one.trim()).map(Number);
  const title = element('figcaption');
  title.textContent = `${name} ${kind ?? '?'}[${shape.join(', ')}]`;
  if (!readers[kind]) return [title];
  const [read, size] = readers[kind];
  const value = index => {
    const raw = view[read](begin + index * size, true);
    const number = kind === 'f2' ? half(raw) : raw;
    if (kind === 'b1') return raw ? 'True' : 'False';
    return kind[0] === 'f' && Number.isFinite(number) ? String(+number.toPrecision(6)) : String(number);
  };
  const columns = shape.length ? shape.at(-1) : 1;
  const count = shape.reduce((product, extent) => product * extent, 1);
  const rows = [];
  for (let row = 0; columns && row < Math.min(count / columns, mostRows + 2); ++row)
    rows.push(Array.from({length: Math.min(columns, mostColumns + 1)}, (_, i) => value(row * columns + i)));
  return [title, table(rows, false)];
}

/** A number of 4 bytes that says when it stands in 8 elsewhere, as NumPy's archives have it. */
const elsewhere = 0xffffffff;

async function unzipped(buffer) {
  const view = new DataView(buffer);
  const long = offset => Number(view.getBigUint64(offset, true));
  let end = buffer.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) --end;
  if (end < 0) throw new Error('this is no .npz file');
  let at = view.getUint32(end + 16, true), count = view.getUint16(end + 10, true);
  if (at === elsewhere || count === 0xffff) {
    const longEnd = long(end - 20 + 8);
    [count, at] = [long(longEnd + 32), long(longEnd + 48)];
  }
  const found = [];
  for (; count > 0; --count) {
    const packed = view.getUint16(at + 10, true) === 8;
    const [nameLength, moreLength, noteLength] = [28, 30, 32].map(offset => view.getUint16(at + offset, true));
    const name = new TextDecoder().decode(buffer.slice(at + 46, at + 46 + nameLength));
    let size = view.getUint32(at + 20, true), local = view.getUint32(at + 42, true);
    for (let more = at + 46 + nameLength; more + 4 <= at + 46 + nameLength + moreLength; more += 4 + view.getUint16(more + 2, true)) {
      if (view.getUint16(more, true) !== 1) continue;
      let field = more + 4 + (view.getUint32(at + 24, true) === elsewhere ? 8 : 0);
      if (size === elsewhere) { size = long(field); field += 8; }
      if (local === elsewhere) local = long(field);
    }
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const bytes = buffer.slice(begin, begin + size);
    found.push([name, packed ? await inflated(bytes) : bytes]);
    at += 46 + nameLength + moreLength + noteLength;
  }
  return found;
}

function inflated(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer();
}
