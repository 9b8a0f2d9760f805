/** One stream of an HTTP/2 connection: sends frames, and hands what it receives to a handler. */

/** Each stream tells these in this order: `headers` and `data` any number of times, then `closed` once; nothing after `close`. */
export interface StreamHandler {
  headers(headers: ReadonlyMap<string, string>): void;
  data(chunk: Buffer): void;
  /** `code` is that of a reset; absent: the server ended the stream, or with `error` the connection broke. */
  closed(end: { readonly code?: number; readonly error?: Error }): void;
}

interface Waiting {
  readonly frame: Buffer;
  readonly isLast: boolean;
}

/** What a stream asks of its connection. */
interface Pumping {
  /** Sends what waits, as far as the windows allow. */
  pump(stream: Http2Stream): void;
  reset(stream: Http2Stream, code: number): void;
}

/** One stream, which may not have begun. */
export class Http2Stream {
  readonly #connection: Pumping;
  readonly headers: Buffer;
  readonly handler: StreamHandler;
  /** For the connection: 0 until it begins. */
  number = 0;
  window = 0;
  received = 0;
  waiting: Waiting[] = [];
  isEndedHere = false;

  constructor(connection: Pumping, headers: Buffer, handler: StreamHandler) {
    this.#connection = connection;
    this.headers = headers;
    this.handler = handler;
  }

  write(frame: Buffer, isLast: boolean): void {
    this.waiting.push({ frame, isLast });
    this.#connection.pump(this);
  }

  /** Resets the stream; the handler is not called again. */
  close(code: number): void {
    this.#connection.reset(this, code);
  }
}
