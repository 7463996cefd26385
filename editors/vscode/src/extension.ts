// Starts the language server for documents in Tessera, and anew when its settings change; presents what the server's
// commands answer: command lines in a terminal, code beside the program.
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

import { CodeViews, Order, Shown } from "./code";

let client: LanguageClient | undefined;
let views: CodeViews | undefined;

// What the commands that run a program answer.
interface CommandLine {
  title: string;
  words: string[];
  folder: string;
}

async function ask<T>(command: string, argument: object): Promise<T> {
  if (!client) throw new Error("the language server is not running");
  return client.sendRequest<T>("workspace/executeCommand", { command, arguments: [argument] });
}

// A command of the palette is about the place of the cursor.
function order(level: string): Order | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "tessera") return undefined;
  const { line, character } = editor.selection.active;
  return { uri: editor.document.uri.toString(), position: { line, character }, level };
}

async function run(answer: CommandLine, uri: string): Promise<void> {
  await vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri)?.save();
  const [program, ...words] = answer.words;
  const execution = new vscode.ProcessExecution(program, words, { cwd: answer.folder });
  const task = new vscode.Task({ type: "tessera" }, vscode.TaskScope.Workspace, answer.title, "Tessera", execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}

// Commands of the server come by here from lenses, and from the palette without an argument.
async function execute(command: string, given: unknown[]): Promise<void> {
  const argument = (given[0] as Order | undefined) ?? order("tile");
  if (!argument) return;
  try {
    if (command === "tessera.show") {
      await views?.open(argument, await ask<Shown>(command, argument));
    } else {
      await run(await ask<CommandLine>(command, argument), argument.uri);
    }
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

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
    middleware: { executeCommand: (command, given) => execute(command, given) },
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
  views = new CodeViews((asked) => ask<Shown>("tessera.show", asked));
  const show = (name: string, level: string) =>
    vscode.commands.registerCommand(name, () => {
      const asked = order(level);
      return asked && execute("tessera.show", [asked]);
    });
  context.subscriptions.push(
    views,
    show("tessera.showGraph", "graph"),
    show("tessera.showTile", "tile"),
    show("tessera.showSchedule", "schedule"),
    show("tessera.showPtx", "ptx"),
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
