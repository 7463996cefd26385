// The code that a program becomes, beside its text. Where the cursor stands in one of them, the lines that belong to it
// are marked in the other; while the program is typed the code follows.
import * as vscode from "vscode";

// What the server's command `tessera.show` answers.
export interface Shown {
  title: string;
  uri: string;
  level: string;
  text: string;
  lines: (number | null)[]; // of the program, for each line of the text
}

// The argument of the command.
export interface Order {
  uri: string;
  level: string;
  position?: { line: number; character: number };
  target?: string;
}

type Ask = (order: Order) => Promise<Shown>;

const scheme = "tessera-code";
const pause = 400; // milliseconds without a keystroke, until the code is made again

interface View {
  order: Order;
  shown: Shown;
  function?: vscode.Position; // moves as lines above it come and go
}

export class CodeViews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly views = new Map<string, View>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightBackground"),
    isWholeLine: true,
  });
  private readonly parts: vscode.Disposable[];
  private timer: ReturnType<typeof setTimeout> | undefined;
  readonly onDidChange = this.changed.event;

  constructor(private readonly ask: Ask) {
    this.parts = [
      this.changed,
      this.mark,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.views.delete(document.uri.toString())),
      vscode.workspace.onDidChangeTextDocument((change) => this.edited(change)),
      vscode.window.onDidChangeTextEditorSelection((change) => this.follow(change.textEditor)),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const part of this.parts) part.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.views.get(uri.toString())?.shown.text ?? "";
  }

  async open(order: Order, shown: Shown): Promise<void> {
    const where = order.position ? `${order.position.line + 1}/` : "";
    const suffix = order.level === "ptx" ? "ptx" : "ir";
    const name = `${shown.title.replace(/[:/ ]+/g, "-")}.${suffix}`;
    const uri = vscode.Uri.from({ scheme, path: `/${where}${name}`, query: order.uri });
    const at = order.position && new vscode.Position(order.position.line, order.position.character);
    this.views.set(uri.toString(), { order, shown, function: at });
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
    });
    const program = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === order.uri);
    if (program) this.follow(program);
  }

  private edited(change: vscode.TextDocumentChangeEvent): void {
    const program = change.document.uri.toString();
    let shown = false;
    for (const view of this.views.values()) {
      if (vscode.Uri.parse(view.order.uri).toString() !== program) continue;
      shown = true;
      for (const edit of change.contentChanges) {
        if (!view.function || edit.range.end.isAfter(view.function)) continue;
        const lines = edit.text.split("\n").length - 1 - (edit.range.end.line - edit.range.start.line);
        view.function = view.function.translate(Math.max(lines, -view.function.line));
      }
    }
    if (!shown) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.renew(program), pause);
  }

  private async renew(program: string): Promise<void> {
    for (const [key, view] of this.views) {
      if (vscode.Uri.parse(view.order.uri).toString() !== program) continue;
      const at = view.function;
      const order = { ...view.order, position: at && { line: at.line, character: at.character } };
      try {
        view.shown = await this.ask(order);
        this.changed.fire(vscode.Uri.parse(key));
      } catch {
        // A program with a mistake has no code: that of the last one without stays.
      }
    }
  }

  // Marks in the other editors what belongs to the line of the cursor.
  private follow(from: vscode.TextEditor): void {
    const line = from.selection.active.line;
    const own = this.views.get(from.document.uri.toString());
    for (const editor of vscode.window.visibleTextEditors) {
      if (own && editor.document.uri.toString() === vscode.Uri.parse(own.order.uri).toString()) {
        const source = own.shown.lines[line];
        this.show(editor, source === null || source === undefined ? [] : [source]);
      }
      const view = own ? undefined : this.views.get(editor.document.uri.toString());
      if (view && vscode.Uri.parse(view.order.uri).toString() === from.document.uri.toString())
        this.show(editor, [...view.shown.lines.keys()].filter((row) => view.shown.lines[row] === line));
    }
  }

  private show(editor: vscode.TextEditor, lines: number[]): void {
    const rows = lines.filter((line) => line < editor.document.lineCount);
    const ranges = rows.map((line) => editor.document.lineAt(line).range);
    editor.setDecorations(this.mark, ranges);
    if (ranges.length > 0) editor.revealRange(ranges[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}
