/** One request and its answer, as every transport gives it to the chain. */

import type { Duplex } from "node:stream";
import type { Credentials } from "../../authn/contract.ts";
import type { User } from "../../machinery/meta/user.ts";

/** Names in lower case. A list is sent as one header for each value. */
export type ResponseHeaders = Readonly<Record<string, string | number | readonly string[]>>;

/** Content that is copied to where it is sent from; `bytes` puts it together for those that cannot copy it. */
interface CopiedContent {
  readonly length: number;
  readonly bytes: Buffer;
  /** Writes the bytes from `start` on to `target` at the position `at`; returns where they end. */
  copyTo(target: Buffer, at: number, start: number): number;
}

/** Texts are sent in UTF-8. */
export type AnswerBody = Buffer | string | CopiedContent;

export function wholeBody(body: AnswerBody): Buffer | string {
  return typeof body === "string" || body instanceof Uint8Array ? body : body.bytes;
}

/**
 * One request and its answer over any transport: HTTP/1.1, an HTTP/2 stream, or memory. The transport checks only the
 * framing; the chain checks the target, the headers and the body.
 */
export interface Exchange extends Credentials {
  readonly transport: "http1" | "http2" | "memory";
  readonly method: string;
  /** The request target as received: path and query, escapes untouched. */
  readonly target: string;
  /** The client's address, for logs and the audit record; "" in memory. */
  readonly remoteAddress: string;
  /** The user, if the transport itself knows it (memory only); authenticators are not called then. */
  readonly presetUser: User | undefined;
  /** Who the user is now, where another server has said it: asked again for a watch. Undefined: nobody that is let in. */
  readonly userNow?: (() => Promise<User | undefined>) | undefined;

  /** Why the request is refused once its user is known: another server, which it was for, has decided that. */
  readonly refusal?: Refusal | undefined;

  /** Aborts when the client goes away before the answer has ended. Made on first use. */
  readonly signal: AbortSignal;
  /** Whether the client has gone away. */
  readonly gone: boolean;

  /**
   * Reads the whole body; can be called once. Above `bytesMax` it throws `tooLarge` from machinery/status and does not read
   * the rest. `onBytes` is called for every chunk as it arrives (for the limit on the bytes of all bodies) and may throw.
   */
  readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer>;
  /** The body as it arrives, for code that forwards it. Can be called once, and not together with readBody. */
  body(): AsyncIterable<Buffer>;

  /** Present if the client asks for another protocol, on a path whose handler may forward it, over HTTP/1.1. */
  readonly upgrade?: ProtocolUpgrade | undefined;

  /**
   * Headers that the answer will have whatever the handler sends, as name, value, name, value; a handler's headers of
   * the same names are dropped. The last call counts.
   */
  fixHeaders(headers: readonly string[]): void;

  /** Whether the status line and headers have been sent; after that an error can no longer be sent as a Status. */
  readonly responded: boolean;
  /** The status that was answered; 0: none yet. */
  readonly status: number;
  /**
   * Sends a whole answer in one step. Answers to HEAD leave the body out. A second answer (after a timeout has answered) is
   * ignored, also by `write` and `end`.
   */
  send(status: number, headers: ResponseHeaders, body?: AnswerBody): void;
  /** Begins an answer that is written in chunks. */
  respond(status: number, headers: ResponseHeaders): void;
  /** Responds with status 200 for a stream of events, which a client that asked for a WebSocket gets as messages. */
  respondEvents(headers: ResponseHeaders): void;
  /**
   * False: the client accepts no more for now; `drained` resolves when it does, or when it has disconnected. Never
   * throws. `release` is called when the chunk has been sent, and may be changed; not if something keeps it, or the connection breaks.
   */
  write(chunk: Buffer, release?: () => void): boolean;
  drained(): Promise<void>;
  /** Bytes that are written but that the client has not read yet. */
  readonly bufferedBytes: number;
  end(): void;
  /** Closes the connection after this answer (unauthenticated clients may not keep an HTTP/2 connection open). */
  closeAfter(): void;
  /** Destroys the connection (the stream, for HTTP/2): the only way left to show that an answer is incomplete. */
  destroy(): void;
  /** Bytes of the body that were handed to the transport so far. */
  readonly sentBytes: number;
  /** Calls back once, when the answer has been sent or the client has disconnected. */
  onFinish(callback: () => void): void;
}

interface Refusal {
  readonly error: unknown;
  /** What the audit event says about it. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** A request for another protocol on the same connection. */
export interface ProtocolUpgrade {
  /** The Upgrade header: "websocket", "SPDY/3.1". */
  readonly protocol: string;
  /** Answers 101 with these headers and hands over the connection, which the caller closes. Can be called once. */
  accept(headers: ResponseHeaders): Duplex;
}

/** Whether the handler of a target may forward a request for another protocol; otherwise such a request is an ordinary one. */
export type MayUpgrade = (method: string, target: string) => boolean;

/** Undefined: the request was answered without waiting for anything. */
export type Handler = (exchange: Exchange) => Promise<void> | undefined;
