// The extension where it runs in a browser, which starts no processes: the language server is that of `tesserac play` on
// the user's machine, over a WebSocket.
import * as vscode from "vscode";
import { CloseAction, ErrorAction, ErrorHandler, LanguageClient, LanguageClientOptions } from "vscode-languageclient/browser";

import { Host, start, stop } from "./client";
import { Imports } from "./imports";
import { connect } from "./socket";

const setting = "tessera.server.address";
const mostRestarts = 5;

function address(): string {
  return vscode.workspace.getConfiguration().get<string>(setting, "").trim();
}

// Documents of the open folders come from what the browser can reach: a repository, a folder that the user has chosen.
function schemes(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return [...new Set(["file", "untitled", ...folders.map((folder) => folder.uri.scheme)])];
}

const host: Host = {
  get schemes() {
    return schemes();
  },

  async makeClient(options: LanguageClientOptions): Promise<LanguageClient> {
    let connected = await connect(address());
    let anew = 0;
    const errorHandler: ErrorHandler = {
      error: () => ({ action: ErrorAction.Continue }),
      // Either the language server has ended, and another answers; or `tesserac play` has.
      closed: async () => {
        try {
          if (++anew > mostRestarts) throw new Error("the language server ends again and again");
          connected = await connect(address());
          return { action: CloseAction.Restart, handled: true };
        } catch {
          void host.explain();
          return { action: CloseAction.DoNotRestart, handled: true };
        }
      },
    };
    return new LanguageClient("tessera", "Tessera", async () => connected, { ...options, errorHandler });
  },

  accompany: (client) => new Imports(client),

  async explain(): Promise<void> {
    const command = `tesserac play --origin=${self.origin}`;
    const what = address()
      ? `Nothing answers at ${address()} (${setting}). Is \`${command}\` running?`
      : `Start \`${command}\` on this machine, and put the address that it prints into the setting ${setting}.`;
    const copy = "Copy the command";
    const open = "Open the setting";
    const chosen = await vscode.window.showErrorMessage(`Tessera: ${what}`, copy, open);
    if (chosen === copy) await vscode.env.clipboard.writeText(command);
    if (chosen === open) await vscode.commands.executeCommand("workbench.action.openSettings", setting);
  },
};

export function activate(context: vscode.ExtensionContext): Promise<void> {
  return start(context, host);
}

export const deactivate = stop;
