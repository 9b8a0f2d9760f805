/** One request and its answer, as every transport gives it to the chain. */

import type { Credentials, User } from "../../authn/contract.ts";

/** Names in lower case. A list is sent as that many headers of the name. */
export type ResponseHeaders = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * One request and its answer, whatever carries them: HTTP/1.1, an HTTP/2 stream, or memory. The transport checks nothing
 * but framing; everything about the target, the headers and the body is judged by the chain.
 */
export interface Exchange extends Credentials {
  readonly transport: "http1" | "http2" | "memory";
  readonly method: string;
  /** The request target as it came: path and query, escapes untouched. */
  readonly target: string;
  /** The client's address, for logs and the audit record; "" in memory. */
  readonly remoteAddress: string;
  /** Who asks, where the transport itself knows (memory only); authenticators are not asked then. */
  readonly presetUser: User | undefined;

  /** Aborts when the client goes away before the answer has ended. Made on first use. */
  readonly signal: AbortSignal;
  /** Whether the client has gone away. */
  readonly gone: boolean;

  /**
   * The whole body. More than `bytesMax`: throws `tooLarge` from machinery/status; the rest is not read. Once only.
   * `onBytes` hears of every chunk as it arrives (the cap on bytes of all bodies under way) and may throw.
   */
  readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer>;
  /** The body as it arrives, for whoever passes it on. Once only, and not together with readBody. */
  body(): AsyncIterable<Buffer>;

  /** Status line and headers have gone out; a refusal can no longer be sent as a Status. */
  readonly responded: boolean;
  /** The status that was answered; 0: none yet. */
  readonly status: number;
  /**
   * A whole answer in one step. Answers to HEAD leave the body out. A second answer (after a timeout has answered) is
   * ignored, by `respond`, `write` and `end` as well.
   */
  send(status: number, headers: ResponseHeaders, body?: Buffer | string): void;
  /** Begins an answer that is written in pieces. */
  respond(status: number, headers: ResponseHeaders): void;
  /** The same with status 200 for an answer of events, which a client that asked for a WebSocket gets as messages. */
  respondEvents(headers: ResponseHeaders): void;
  /** False: the client takes no more for now; `drained` resolves when it does, or when it is gone. Never throws. */
  write(chunk: Buffer): boolean;
  drained(): Promise<void>;
  end(): void;
  /** Lets the connection go once this answer is out (clients that nobody knows hold none open on HTTP/2). */
  closeAfter(): void;
  /** Breaks the connection off (the stream, for HTTP/2): the only way left to say that an answer is incomplete. */
  destroy(): void;
  /** Written but not yet taken by the client. */
  readonly bufferedBytes: number;
  /** Calls back once when the answer has gone out or the client has gone away. */
  onFinish(callback: () => void): void;
}

export type Handler = (exchange: Exchange) => Promise<void>;
