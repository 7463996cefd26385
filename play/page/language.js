// A client of the language server over a WebSocket: one document, whose whole text is sent when it changes.

export class Language {
  /** `told(problems)` is called with what the server says of the text that is there. */
  constructor(uri, told) {
    this.uri = uri;
    this.told = told;
    this.version = 0;
    this.ids = 0;
    this.waiting = new Map();
    this.text = '';
    this.ready = new Promise(resolve => { this.isReady = resolve; });
    const address = new URL('language', location.href);
    address.protocol = 'ws:';
    this.socket = new WebSocket(address);
    this.socket.addEventListener('open', () => this.begin());
    this.socket.addEventListener('message', event => this.take(JSON.parse(event.data)));
    this.socket.addEventListener('close', () => {
      for (const one of this.waiting.values()) one.reject(new Error('the language server has ended'));
      this.waiting.clear();
      this.onend?.();
    });
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({jsonrpc: '2.0', ...message}));
  }

  request(method, params) {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) return reject(new Error('there is no language server'));
      const id = ++this.ids;
      this.waiting.set(id, {resolve, reject});
      this.send({id, method, params});
    });
  }

  async begin() {
    await this.request('initialize', {
      processId: null, rootUri: null,
      capabilities: {textDocument: {hover: {contentFormat: ['markdown']}, publishDiagnostics: {versionSupport: true}}},
    });
    this.send({method: 'initialized', params: {}});
    this.send({method: 'textDocument/didOpen',
               params: {textDocument: {uri: this.uri, languageId: 'tessera', version: this.version, text: this.text}}});
    this.isOpen = true;
    this.isReady();
  }

  take(message) {
    if (message.method === 'textDocument/publishDiagnostics') {
      const {uri, version, diagnostics} = message.params;
      if (uri === this.uri && version === this.version) this.told(diagnostics);
    } else if (message.method !== undefined && message.id !== undefined) {
      this.send({id: message.id, result: null});
    } else if (this.waiting.has(message.id)) {
      const {resolve, reject} = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    }
  }

  change(text) {
    this.text = text;
    ++this.version;
    if (this.isOpen)
      this.send({method: 'textDocument/didChange',
                 params: {textDocument: {uri: this.uri, version: this.version}, contentChanges: [{text}]}});
  }

  async at(method, offset) {
    await this.ready;
    return this.request('textDocument/' + method, {textDocument: {uri: this.uri}, position: positionOf(this.text, offset)});
  }

  async complete(offset) {
    const answer = await this.at('completion', offset);
    const items = (Array.isArray(answer) ? answer : answer?.items) ?? [];
    return items.sort((a, b) => (a.sortText ?? a.label) < (b.sortText ?? b.label) ? -1 : 1);
  }

  async hover(offset) {
    const answer = await this.at('hover', offset);
    const contents = answer?.contents ?? '';
    return typeof contents === 'string' ? contents : contents.value ?? '';
  }

  /** The text in its layout; null where it has a mistake. */
  async format() {
    await this.ready;
    const edits = await this.request('textDocument/formatting',
                                     {textDocument: {uri: this.uri}, options: {tabSize: 4, insertSpaces: true}});
    let text = this.text;
    const back = (edits ?? []).map(edit => ({...edit, begin: offsetOf(text, edit.range.start), end: offsetOf(text, edit.range.end)}))
      .sort((a, b) => b.begin - a.begin);
    for (const {begin, end, newText} of back) text = text.slice(0, begin) + newText + text.slice(end);
    return text;
  }
}

/** Lines and columns count units of UTF-16, as texts of this language do. */
export function positionOf(text, offset) {
  const before = text.slice(0, offset);
  const line = before.split('\n').length - 1;
  return {line, character: offset - (before.lastIndexOf('\n') + 1)};
}

export function offsetOf(text, {line, character}) {
  let begin = 0;
  for (let i = 0; i < line; ++i) {
    const end = text.indexOf('\n', begin);
    if (end < 0) return text.length;
    begin = end + 1;
  }
  const end = text.indexOf('\n', begin);
  return Math.min(begin + character, end < 0 ? text.length : end);
}
