// The folder of the test as a file system of the workbench: what is read and written goes to the server of the page.
const vscode = require("vscode");

class Files {
  constructor(base) {
    this.base = base;
    this.changed = new vscode.EventEmitter();
    this.onDidChangeFile = this.changed.event;
  }

  async ask(uri, method, body) {
    const answer = await fetch(`${this.base}${uri.path}`, { method, body });
    if (answer.status === 404) throw vscode.FileSystemError.FileNotFound(uri);
    if (!answer.ok) throw vscode.FileSystemError.Unavailable(uri);
    return answer;
  }

  async look(uri) {
    const answer = await this.ask(uri, "GET");
    const entries = answer.headers.get("X-Folder") ? await answer.json() : undefined;
    return { entries, bytes: entries ? new Uint8Array() : new Uint8Array(await answer.arrayBuffer()) };
  }

  async stat(uri) {
    const { entries, bytes } = await this.look(uri);
    return { type: entries ? vscode.FileType.Directory : vscode.FileType.File, ctime: 0, mtime: 0, size: bytes.length };
  }

  async readDirectory(uri) {
    const { entries } = await this.look(uri);
    return (entries ?? []).map((name) => [name, vscode.FileType.File]);
  }

  async readFile(uri) {
    return (await this.look(uri)).bytes;
  }

  async writeFile(uri, content) {
    await this.ask(uri, "PUT", content);
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch() {
    return { dispose() {} };
  }

  createDirectory(uri) {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri) {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri) {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

exports.activate = (context) => {
  const base = context.extensionUri.with({ path: "/disk" }).toString(true);
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider("tests", new Files(base)));
};
