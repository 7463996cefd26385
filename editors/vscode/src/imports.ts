// Modules that programs import, where the server can not read their folder: it is told their texts, as if they were open.
import * as vscode from "vscode";
import { BaseLanguageClient, State } from "vscode-languageclient/browser";

// The files, beside that of the program, in which its imports are looked for first.
function filesOf(program: vscode.Uri, text: string): vscode.Uri[] {
  const names: string[] = [];
  for (const [, module] of text.matchAll(/^[ \t]*from[ \t]+([\w.]+)[ \t]+import\b/gm)) names.push(module);
  for (const [, list] of text.matchAll(/^[ \t]*import[ \t]+([\w., \t]+)/gm))
    for (const one of list.split(",")) names.push(one.trim().split(/\s/)[0]);
  const found = names.filter((name) => name !== "");
  return found.map((name) => vscode.Uri.joinPath(program, "..", `${name.replaceAll(".", "/")}.tsr`));
}

export class Imports implements vscode.Disposable {
  private readonly told = new Set<string>();
  private readonly missing = new Set<string>(); // modules of the library; and files that are not there yet
  private readonly watcher = vscode.workspace.createFileSystemWatcher("**/*.tsr");
  private readonly parts: vscode.Disposable[];

  constructor(private readonly client: BaseLanguageClient) {
    this.parts = [
      this.watcher,
      client.onDidChangeState((change) => change.newState === State.Running && this.begin()),
      this.watcher.onDidCreate((file) => this.changed(file)),
      this.watcher.onDidChange((file) => this.changed(file)),
      this.watcher.onDidDelete((file) => this.changed(file)),
      vscode.workspace.onDidOpenTextDocument((document) => {
        this.told.delete(document.uri.toString()); // the client has told it
        this.follow(document);
      }),
      vscode.workspace.onDidChangeTextDocument((change) => this.follow(change.document)),
      vscode.workspace.onDidCloseTextDocument(() => this.followAll()),
    ];
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  // A server that has started knows nothing.
  private begin(): void {
    this.told.clear();
    this.missing.clear();
    this.followAll();
  }

  private followAll(): void {
    for (const document of vscode.workspace.textDocuments) this.follow(document);
  }

  private follow(document: vscode.TextDocument): void {
    if (document.languageId === "tessera" && document.uri.scheme !== "untitled") void this.tellImports(document.uri, document.getText());
  }

  private async tellImports(program: vscode.Uri, text: string): Promise<void> {
    for (const file of filesOf(program, text)) await this.tell(file);
  }

  private isOpen(file: vscode.Uri): boolean {
    return vscode.workspace.textDocuments.some((document) => document.uri.toString() === file.toString());
  }

  private async tell(file: vscode.Uri): Promise<void> {
    const key = file.toString();
    if (this.told.has(key) || this.missing.has(key) || this.isOpen(file)) return;
    this.told.add(key);
    let text: string;
    try {
      text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    } catch {
      this.told.delete(key);
      this.missing.add(key);
      return;
    }
    if (!this.told.has(key) || this.isOpen(file)) return; // opened meanwhile
    const uri = this.client.code2ProtocolConverter.asUri(file);
    await this.client.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "tessera", version: 0, text } });
    await this.tellImports(file, text);
  }

  private async changed(file: vscode.Uri): Promise<void> {
    const key = file.toString();
    this.missing.delete(key);
    if (this.told.delete(key)) {
      const uri = this.client.code2ProtocolConverter.asUri(file);
      await this.client.sendNotification("textDocument/didClose", { textDocument: { uri } });
    }
    this.followAll();
  }
}
