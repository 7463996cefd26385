// The extension's entry for the desktop in node, with a stand-in for the editor's interface: the language server is started as
// a process and answers, and a program's command line is executed. What the editor itself does with answers is tested in the
// real workbench, with the other entry.
//   node desktop.js EXTENSION TYPES SERVER PROGRAM
// EXTENSION: the folder of the unpacked extension; TYPES: npm's @types/vscode, which says what the interface has.
const fs = require("fs");
const Module = require("module");
const path = require("path");

const [folder, types, server, program] = process.argv.slice(2);

const text = fs.readFileSync(program, "utf8");
class Uri {
  constructor(scheme, path) {
    Object.assign(this, { scheme, path, authority: "", query: "", fragment: "", fsPath: path });
  }
  static parse(uri) {
    return new Uri(uri.split(":")[0], decodeURI(uri.replace(/^\w+:(\/\/)?/, "")));
  }
  static file(path) {
    return new Uri("file", path);
  }
  static from({ scheme, path }) {
    return new Uri(scheme, path);
  }
  toString() {
    return `${this.scheme}://${encodeURI(this.path)}`;
  }
}
const document = { uri: Uri.file(program), languageId: "tessera", version: 1, isClosed: false, getText: () => text, save: async () => true, lineCount: 1 };
const settings = { "tessera.server.path": server, "tessera.server.arguments": [] };
const commands = new Map();
const seen = { shown: undefined, providers: {}, task: undefined, errors: [], provided: new Set() };

// What is asked for and not written here does nothing: functions give what can be disposed, classes are empty.
function standIn(name, own) {
  return new Proxy(own, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || key === "then") return target[key];
      if (/^on[A-Z]/.test(key)) return event;
      if (/^register/.test(key)) return () => (seen.provided.add(key), nothing);
      if (/^[A-Z]/.test(key)) return (target[key] = standIn(`${name}.${key}`, class {}));
      return (target[key] = () => nothing);
    },
  });
}

const nothing = standIn("nothing", { dispose() {} });
const event = () => nothing;

const vscode = standIn("vscode", {
  version: "1.91.1",
  Uri,
  EventEmitter: class {
    event = event;
    fire() {}
    dispose() {}
  },
  CancellationTokenSource: class {
    token = { isCancellationRequested: false, onCancellationRequested: event };
    cancel() {}
    dispose() {}
  },
  ProcessExecution: class {
    constructor(program, words, options) {
      Object.assign(this, { program, words, options });
    }
  },
  Task: class {
    constructor(kind, scope, name, source, execution) {
      Object.assign(this, { name, execution });
    }
  },
  ViewColumn: { Beside: -2 },
  workspace: standIn("workspace", {
    textDocuments: [document],
    workspaceFolders: undefined,
    notebookDocuments: [],
    fs: standIn("fs", {}),
    getConfiguration: (section) => ({
      get: (key, otherwise) => settings[section ? `${section}.${key}` : key] ?? otherwise,
    }),
    openTextDocument: async (uri) => ({ ...document, uri }),
    registerTextDocumentContentProvider: (scheme, provider) => ((seen.providers[scheme] = provider), nothing),
  }),
  window: standIn("window", {
    visibleTextEditors: [],
    activeTextEditor: { document, selection: { active: { line: 1, character: 5 } } },
    tabGroups: { all: [], onDidChangeTabs: event, onDidChangeTabGroups: event },
    createOutputChannel: () => standIn("channel", { appendLine: (line) => console.log(`# ${line}`) }),
    showErrorMessage: async (message) => void seen.errors.push(message),
    showTextDocument: async (shown) => void (seen.shown = seen.providers[shown.uri.scheme].provideTextDocumentContent(shown.uri)),
  }),
  languages: standIn("languages", {
    match: (selector, one) => (JSON.stringify(selector).includes('"tessera"') && one.languageId === "tessera" ? 10 : 0),
    createDiagnosticCollection: () => standIn("diagnostics", { get: () => [], has: () => false }),
  }),
  commands: standIn("commands", { registerCommand: (name, call) => (commands.set(name, call), nothing) }),
  tasks: standIn("tasks", { executeTask: async (task) => void (seen.task = task) }),
  env: standIn("env", { language: "en", appName: "a stand-in" }),
});

for (const [, name] of fs.readFileSync(path.join(types, "index.d.ts"), "utf8").matchAll(/^\texport (?:class|enum|namespace) (\w+)/gm)) {
  if (!(name in vscode)) vscode[name] = /^[A-Z]/.test(name) ? standIn(name, class {}) : standIn(name, {});
}

const load = Module._load;
Module._load = (request, ...more) => (request === "vscode" ? vscode : load(request, ...more));

async function main() {
  const { activate, deactivate } = require(path.join(folder, JSON.parse(fs.readFileSync(path.join(folder, "package.json"))).main));
  await activate({ subscriptions: [], extensionUri: Uri.file(folder) });
  for (const line of seen.errors) console.log(`error: ${line}`);
  console.log("provided:", [...seen.provided].sort().join(" "));
  await commands.get("tessera.showTile")();
  console.log(seen.shown);
  const library = await seen.providers.tessera.provideTextDocumentContent(new Uri("tessera", "/stdlib/losses.tsr"), { isCancellationRequested: false });
  console.log("library:", library.split("\n").find((line) => line.startsWith("def mse(")));
  await commands.get("tessera.run")();
  console.log("run:", seen.task.name, "|", seen.task.execution.program, ...seen.task.execution.words, "in", seen.task.execution.options.cwd);
  settings["tessera.server.path"] = "/no/such/server";
  await commands.get("tessera.restartServer")();
  for (const line of seen.errors) console.log(`error: ${line}`);
  await deactivate();
  console.log("ended");
}

main().then(() => process.exit(0), (error) => (console.error(error), process.exit(1)));
