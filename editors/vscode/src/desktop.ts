// The extension where it can start processes: the language server is one, and programs run in a terminal.
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

import { CommandLine, Host, start, stop } from "./client";

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("tessera.server");
}

const host: Host = {
  schemes: ["file", "untitled"],

  async makeClient(options: LanguageClientOptions): Promise<LanguageClient> {
    const server: ServerOptions = {
      command: settings().get<string>("path", "tessera-lsp"),
      args: settings().get<string[]>("arguments", []),
    };
    return new LanguageClient("tessera", "Tessera", server, options);
  },

  async explain(error: unknown): Promise<void> {
    const path = settings().get<string>("path");
    void vscode.window.showErrorMessage(`The Tessera language server \`${path}\` does not start: ${String(error)}`);
  },

  async run(command: CommandLine): Promise<void> {
    const [program, ...words] = command.words;
    const execution = new vscode.ProcessExecution(program, words, { cwd: command.folder });
    const task = new vscode.Task({ type: "tessera" }, vscode.TaskScope.Workspace, command.title, "Tessera", execution);
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
    await vscode.tasks.executeTask(task);
  },
};

export function activate(context: vscode.ExtensionContext): Promise<void> {
  return start(context, host);
}

export const deactivate = stop;
