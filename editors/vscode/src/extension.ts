// Starts the language server for documents in Tessera, and anew when its settings change.
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
  };
  return new LanguageClient("tessera", "Tessera", server, options);
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
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("tessera.server")) void restart();
    }),
  );
  await restart();
}

export function deactivate(): Thenable<void> | undefined {
  return client?.stop();
}
