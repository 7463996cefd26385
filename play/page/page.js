// The page: what its buttons do, and what comes back.
import {Editor, element} from './editor.js';
import {Language, offsetOf} from './language.js';
import {shown} from './results.js';

const at = name => document.getElementById(name);

const first = `"""A curve and its plot."""

@kernel
def wave(x: f32[n], y: mut f32[n], pitch: f32):
    i = tile.linear_id()
    if i < n:
        y[i] = math.sin(pitch * x[i]) * math.exp(-x[i])

def main(pitch: f32 = 8.0):
    x = linspace(0.0, 4.0, 400)
    y = zeros((400,), f32)
    wave(x, y, pitch)
    print(f"largest: {max(y):.3f}")
    plot("wave.svg", {"wave": y}, title="a wave that fades")
`;

const levels = [
  ['output', 'Output'], ['graph', 'Graph'], ['tile', 'Tile IR'], ['target', 'Target IR'], ['ptx', 'PTX'],
  ['llvm', 'LLVM IR'], ['schedule', 'Schedule'], ['explain', 'Costs'],
];

const start = await (await fetch('start.json')).json();
const language = new Language('file://' + encodeURI(start.path), tell);
const editor = new Editor(at('editor'), {complete: offset => language.complete(offset), hover: offset => language.hover(offset)});
editor.onchange = text => {
  language.change(text);
  if (tab !== 'output') at('level').classList.add('old');
};
language.onend = () => state('the language server has ended: load the page again');

// ---- problems ----

const severities = {1: 'error', 2: 'warning', 3: 'hint', 4: 'hint'};

function tell(diagnostics) {
  const marks = diagnostics.map(({range, severity, code, message}) => {
    const begin = offsetOf(editor.text, range.start);
    let end = offsetOf(editor.text, range.end);
    if (end === begin) end = Math.min(begin + 1, editor.text.length);
    return {begin, end, kind: severities[severity] ?? 'error', message, code, line: range.start.line + 1};
  });
  editor.mark(marks);
  at('problems').replaceChildren(...marks.map(mark => {
    const row = element('li', mark.kind);
    const place = element('i'), code = element('b');
    place.textContent = `line ${mark.line}`;
    code.textContent = mark.code ?? mark.kind;
    row.append(place, code, mark.message);
    row.addEventListener('click', () => editor.goTo(mark.begin));
    return row;
  }));
}

function state(text) { at('state').textContent = text; }

// ---- jobs ----

let jobs = null;
let job = null;  // {prefix, showing, block}
let tab = 'output';

function connect() {
  const address = new URL('jobs', location.href);
  address.protocol = 'ws:';
  jobs = new WebSocket(address);
  jobs.addEventListener('message', event => take(JSON.parse(event.data)));
  jobs.addEventListener('close', () => { running(false); state('the server has ended'); });
  return new Promise(resolve => jobs.addEventListener('open', resolve));
}

function order(what) {
  if (jobs.readyState === WebSocket.OPEN) jobs.send(JSON.stringify(what));
}

function running(is) {
  at('stop').disabled = !is;
}

/** Words of a command line, with quotes as a shell has them. */
function words(line) {
  return [...line.matchAll(/(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double, single) => single ?? double.replace(/\\(.)/g, '$1')));
}

function run() {
  choose('output');
  at('output').replaceChildren();
  job = {showing: at('output'), prefix: '', last: null};
  running(true);
  state('compiling and running …');
  order({do: at('engine').value, text: editor.text, arguments: words(at('arguments').value)});
}

function showLevel(level) {
  at('level').textContent = '';
  at('level').classList.remove('old');
  job = {showing: at('level'), prefix: '', last: null};
  running(true);
  state('compiling …');
  order({do: 'show', level, text: editor.text});
}

function write(kind, text) {
  text = text.replaceAll(job.prefix, '');
  if (job.showing === at('level')) return job.showing.append(text);
  if (job.last?.className !== kind) {
    job.last = element('pre', kind);
    job.showing.append(job.last);
  }
  job.last.append(text);
}

const reasons = {
  time: `ended after ${start.timeLimit} seconds: that is the limit`, output: 'ended: it wrote too much', stopped: 'stopped',
};

async function take(message) {
  if (message.is === 'saved') return state('saved');
  if (message.is === 'refused') { running(false); return state(message.text); }
  if (!job) return;
  if (message.is === 'begun') job.prefix = message.path;
  else if (message.is === 'out' || message.is === 'err') write(message.is, message.text);
  else if (message.is === 'result') {
    if (job.showing !== at('output')) return;
    const place = element('div', 'result');
    job.showing.append(place);
    job.last = null;
    place.append(await shown(message));
  } else if (message.is === 'ended') {
    running(false);
    const seconds = message.seconds.toFixed(2);
    const how = reasons[message.why] ?? (message.code === 0 ? 'done' : `exit code ${message.code}`);
    state(`${how}, ${seconds} s`);
    at('state').dataset.code = message.code;
    if (job.showing === at('output') && (message.code !== 0 || message.why)) {
      const end = element('div', 'end');
      end.textContent = how;
      job.showing.append(end);
    }
  }
}

// ---- tabs ----

for (const [name, title] of levels) {
  const button = element('button');
  Object.assign(button, {textContent: title, id: 'tab-' + name});
  button.setAttribute('role', 'tab');
  button.addEventListener('click', () => { choose(name); if (name !== 'output') showLevel(name); });
  at('tabs').append(button);
}

function choose(name) {
  tab = name;
  at('output').hidden = name !== 'output';
  at('level').hidden = name === 'output';
  for (const button of at('tabs').children) button.setAttribute('aria-selected', button.id === 'tab-' + name);
}

// ---- the rest ----

for (const path of start.samples) {
  const option = element('option');
  Object.assign(option, {value: path, textContent: path.replace(/^samples\//, '').replace(/\.tsr$/, '')});
  at('samples').append(option);
}
at('samples').addEventListener('change', async () => {
  const path = at('samples').value;
  if (!path) return;
  const answer = await fetch(path);
  if (answer.ok) editor.text = await answer.text();
  at('samples').value = '';
  at('arguments').value = '';
});

async function save() {
  if (start.saves) return order({do: 'save', text: editor.text});
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([editor.text], {type: 'text/plain'}));
  link.download = 'program.tsr';
  link.click();
  URL.revokeObjectURL(link.href);
}

async function format() {
  const text = await language.format().catch(error => (state(error.message), null));
  if (text !== null && text !== editor.text) {
    const caret = editor.area.selectionStart;
    editor.replace(0, editor.text.length, text);
    editor.goTo(Math.min(caret, text.length));
  }
}

at('run').addEventListener('click', run);
at('stop').addEventListener('click', () => order({do: 'stop'}));
at('save').addEventListener('click', save);
at('format').addEventListener('click', format);
addEventListener('keydown', event => {
  if (!(event.ctrlKey || event.metaKey)) return;
  if (event.key === 'Enter') { event.preventDefault(); run(); }
  if (event.key === 's') { event.preventDefault(); save(); }
});

choose('output');
editor.text = start.saves ? start.text : first;
await connect();
document.body.dataset.ready = 'yes';
