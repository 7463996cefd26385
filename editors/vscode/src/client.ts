// The language server for documents in Tessera, started anew when its settings change; and what the server's commands
// answer, presented. How the server is reached, and whether programs can be run, the entries know: desktop.ts, browser.ts.
import * as vscode from "vscode";
import type { BaseLanguageClient, LanguageClientOptions } from "vscode-languageclient";

import { CodeViews, Order, Shown } from "./code";

// What the commands that run a program answer.
export interface CommandLine {
  title: string;
  words: string[];
  folder: string;
}

// Where the extension runs.
export interface Host {
  schemes: string[]; // of documents that the server is told
  makeClient(options: LanguageClientOptions): Promise<BaseLanguageClient>; // fails where there is no server
  accompany?(client: BaseLanguageClient): vscode.Disposable; // before it starts, until another takes its place
  explain(error?: unknown): Promise<void>; // why the server is not reached, to the user
  run?(command: CommandLine): Promise<void>; // none where processes can not be started
}

const runners = ["tessera.run", "tessera.sanitize", "tessera.checkGradients"];

let host: Host;
let client: BaseLanguageClient | undefined;
let beside: vscode.Disposable | undefined; // what goes with the client
let views: CodeViews | undefined;
let restarting = Promise.resolve();

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

// Commands of the server come by here from lenses, and from the palette without an argument.
async function execute(command: string, given: unknown[]): Promise<void> {
  const argument = (given[0] as Order | undefined) ?? order("tile");
  if (!argument) return;
  try {
    if (command === "tessera.show") {
      await views?.open(argument, await ask<Shown>(command, argument));
    } else if (host.run) {
      const answer = await ask<CommandLine>(command, argument);
      const program = vscode.workspace.textDocuments.find((document) => document.uri.toString() === argument.uri);
      await program?.save();
      await host.run(answer);
    }
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

function options(): LanguageClientOptions {
  return {
    // `tessera:` are the library's texts, which the server gives.
    documentSelector: [...host.schemes, "tessera"].map((scheme) => ({ scheme, language: "tessera" })),
    synchronize: {
      fileEvents: vscode.workspace.createFileSystemWatcher("**/*.tsr"),
      configurationSection: "tessera",
    },
    middleware: {
      executeCommand: (command, given) => execute(command, given),
      provideCodeLenses: async (document, token, next) => {
        const lenses = await next(document, token);
        return host.run ? lenses : lenses?.filter((lens) => !runners.includes(lens.command?.command ?? ""));
      },
    },
  };
}

async function startAnew(): Promise<void> {
  beside?.dispose();
  await client?.stop().catch(() => undefined); // of one whose server has ended it fails
  beside = client = undefined;
  try {
    client = await host.makeClient(options());
    beside = host.accompany?.(client);
    await client.start();
  } catch (error) {
    client = undefined;
    void host.explain(error); // until the user has answered
  }
}

// One at a time: settings may change while the server starts.
function restart(): Promise<void> {
  restarting = restarting.then(startAnew);
  return restarting;
}

export async function start(context: vscode.ExtensionContext, where: Host): Promise<void> {
  host = where;
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

export function stop(): Thenable<void> | undefined {
  return client?.stop().catch(() => undefined);
}
