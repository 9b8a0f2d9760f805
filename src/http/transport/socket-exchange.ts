/** What an Exchange over HTTP/1.1 and one over HTTP/2 have in common. */

import type { Writable } from "node:stream";
import type { PeerCertificate } from "../../authn/contract.ts";
import type { AnswerBody, Exchange, ResponseHeaders } from "../contract/exchange.ts";
import type { HeaderTable } from "./header-table.ts";
import type { StallableAnswer, Stalls } from "./stall.ts";

const noHeaders: readonly string[] = [];

/** `T` is the stream to which the answer is written. */
export abstract class SocketExchange<T extends Writable> implements Exchange, StallableAnswer {
  abstract readonly transport: "http1" | "http2";
  abstract readonly method: string;
  abstract readonly target: string;
  abstract readonly remoteAddress: string;
  abstract readonly connection: object | undefined;
  abstract readonly certificate: PeerCertificate | undefined;
  abstract readonly gone: boolean;
  abstract readonly isOrphan: boolean;
  readonly presetUser = undefined;
  protected readonly output: T;
  protected readonly stalls: Stalls;
  readonly #headers: HeaderTable;
  protected fixedHeaders = noHeaders;
  #abort: AbortController | undefined;
  #onTaken: (() => void) | undefined;
  status = 0;
  sentBytes = 0;
  takenCount = 0;

  constructor(output: T, headers: HeaderTable, stalls: Stalls) {
    this.output = output;
    this.stalls = stalls;
    this.#headers = headers;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }
  headerValues(name: string): readonly string[] {
    return this.#headers.getAll(name);
  }
  headerNames(): readonly string[] {
    return this.#headers.names();
  }
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      if (this.gone) abort.abort();
      else this.onFinish(() => this.gone && abort.abort());
    }
    return this.#abort.signal;
  }
  abstract readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer>;
  abstract body(): AsyncIterable<Buffer>;

  fixHeaders(headers: readonly string[]): void {
    this.fixedHeaders = headers;
  }
  get responded(): boolean {
    return this.status !== 0;
  }
  abstract send(status: number, headers: ResponseHeaders, body?: AnswerBody): void;
  abstract respond(status: number, headers: ResponseHeaders): void;
  respondEvents(headers: ResponseHeaders): void {
    this.respond(200, headers);
  }
  write(chunk: Buffer, release?: () => void): boolean {
    if (this.output.destroyed || this.output.writableEnded) return false;
    this.sentBytes += chunk.length;
    return this.output.write(chunk, release === undefined ? this.onTaken : this.#thenRelease(release));
  }
  #thenRelease(release: () => void): (error?: Error | null) => void {
    return (error) => {
      this.takenCount++;
      if (!error) release();
    };
  }
  /** For writes: counts how often the client has read something. Made on first use, since most answers are sent whole. */
  protected get onTaken(): () => void {
    this.#onTaken ??= () => {
      this.takenCount++;
    };
    return this.#onTaken;
  }
  drained(): Promise<void> {
    return untilDrained(this.output);
  }
  abstract end(): void;
  abstract closeAfter(): void;
  abstract destroy(): void;
  abstract abandon(): void;
  get bufferedBytes(): number {
    return this.output.writableLength;
  }
  onFinish(callback: () => void): void {
    if (this.output.closed) callback();
    else this.output.once("close", callback);
  }
}

/** Without a listener an error on a stream would end the process. */
export function ignoreErrors(stream: Writable): void {
  stream.on("error", ignore);
}
function ignore(): void {}

/** Resolves when the client reads again or has disconnected. */
export function untilDrained(response: Writable): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
