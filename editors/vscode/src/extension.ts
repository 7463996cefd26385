// Starts the language server for documents in Tessera, and anew when its settings change.
import { execFile } from "child_process";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function makeClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("tessera.server");
  const server: ServerOptions = {
    command: settings.get<string>("path", "tessera-lsp"),
    args: settings.get<string[]>("arguments", []),
  };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "tessera" },
      { scheme: "untitled", language: "tessera" },
    ],
    synchronize: {
      fileEvents: vscode.workspace.createFileSystemWatcher("**/*.tsr"),
      configurationSection: "tessera",
    },
    initializationOptions: vscode.workspace.getConfiguration("tessera"),
  };
  const made = new LanguageClient("tessera", "Tessera", server, options);
  made.registerFeature({
    // The commands of lenses that this extension carries out.
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { commands: { commands: ["tessera.run", "tessera.interpret", "tessera.show"] } };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  });
  return made;
}

// The compiler: the server is it, by the name `tessera-lsp` or with the argument `lsp`.
function compiler(): string {
  const path = vscode.workspace.getConfiguration("tessera.server").get<string>("path", "tessera-lsp");
  return path.replace(/tessera-lsp$/, "tesserac");
}

async function savedFile(uri: string): Promise<string> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  await document.save();
  return document.uri.fsPath;
}

async function runInTerminal(uri: string, options: string[]): Promise<void> {
  const file = await savedFile(uri);
  vscode.window.createTerminal({ name: "Tessera", shellPath: compiler(), shellArgs: ["run", ...options, file] }).show();
}

// Texts of IR and PTX, beside the program.
class Emitted implements vscode.TextDocumentContentProvider {
  provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return new Promise((resolve) => {
      const words = [uri.path, `--emit=${uri.query}`, "-o", "-"];
      execFile(compiler(), words, { maxBuffer: 1 << 28, timeout: 60000 }, (error, out, said) => {
        resolve(error ? said || String(error) : out);
      });
    });
  }
}

async function show(uri: string, name: string, level: string): Promise<void> {
  const file = await savedFile(uri);
  const text = await vscode.workspace.openTextDocument(
    vscode.Uri.from({ scheme: "tessera-ir", path: file, query: level, fragment: String(Date.now()) }),
  );
  const editor = await vscode.window.showTextDocument(text, vscode.ViewColumn.Beside, true);
  const at = text.getText().indexOf(name);
  if (at >= 0) editor.revealRange(new vscode.Range(text.positionAt(at), text.positionAt(at)));
}

async function restart(): Promise<void> {
  await client?.stop().catch(() => undefined); // one that did not start does not stop either
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    const path = vscode.workspace.getConfiguration("tessera.server").get<string>("path");
    void vscode.window.showErrorMessage(`The Tessera language server \`${path}\` does not start: ${String(error)}`);
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("tessera.restartServer", restart),
    vscode.commands.registerCommand("tessera.run", (uri: string) => runInTerminal(uri, [])),
    vscode.commands.registerCommand("tessera.interpret", (uri: string) => runInTerminal(uri, ["--interpret", "--sanitize=race,bounds,nan"])),
    vscode.commands.registerCommand("tessera.show", show),
    vscode.workspace.registerTextDocumentContentProvider("tessera-ir", new Emitted()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("tessera.server")) void restart();
    }),
  );
  await restart();
}

export function deactivate(): Thenable<void> | undefined {
  return client?.stop();
}
