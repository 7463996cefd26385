// Messages of the language server over a WebSocket: each is one text.
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  DataCallback,
  Disposable,
  Message,
  MessageReader,
  MessageTransports,
  MessageWriter,
} from "vscode-languageclient/browser";

class SocketReader extends AbstractMessageReader implements MessageReader {
  private early: Message[] = []; // what comes before somebody listens
  private callback: DataCallback = (message) => this.early.push(message);

  constructor(socket: WebSocket) {
    super();
    socket.addEventListener("message", (event) => this.receive(String(event.data)));
    socket.addEventListener("close", () => this.fireClose());
  }

  listen(callback: DataCallback): Disposable {
    this.callback = callback;
    for (const message of this.early.splice(0)) callback(message);
    return Disposable.create(() => (this.callback = () => undefined));
  }

  private receive(text: string): void {
    try {
      this.callback(JSON.parse(text) as Message);
    } catch (error) {
      this.fireError(error);
    }
  }
}

class SocketWriter extends AbstractMessageWriter implements MessageWriter {
  constructor(private readonly socket: WebSocket) {
    super();
    socket.addEventListener("close", () => this.fireClose());
  }

  async write(message: Message): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) throw new Error("the connection to the language server is closed");
    this.socket.send(JSON.stringify(message));
  }

  end(): void {
    this.socket.close();
  }
}

// `address` is what `tesserac play` prints.
export async function connect(address: string): Promise<MessageTransports> {
  if (!URL.canParse(address)) throw new Error(`\`${address}\` is no address`);
  const url = new URL("language", address.endsWith("/") ? address : `${address}/`);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("close", () => reject(new Error(`nothing answers at ${url.origin}`)), { once: true });
  });
  return { reader: new SocketReader(socket), writer: new SocketWriter(socket) };
}
