/** The contract of streams to containers, whatever protocol carries them: how a connection is taken over, and its channels. */

import type { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import type { FetchResponse, ReceivedHeaders } from "../contract.ts";

export interface UpgradeRequest {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the attempt; afterwards the connection belongs to the caller. */
  readonly signal?: AbortSignal | undefined;
}

/** A connection that the server agreed to use for another protocol. The caller closes it. */
export interface Upgraded {
  readonly socket: Duplex;
  /** What has arrived after the headers. */
  readonly head: Buffer;
  readonly headers: ReceivedHeaders;
}

/** Asks the server to speak another protocol on the connection; an answer without one is a Response. */
export type Upgrade = (path: string, request: UpgradeRequest) => Promise<Upgraded | FetchResponse>;

/** The server did not accept the requested protocol; the body is not read yet. */
export class UpgradeRefused extends Error {
  readonly response: FetchResponse;
  constructor(response: FetchResponse) {
    super(`the server answered with status ${response.status} to a request for a stream`);
    this.name = "UpgradeRefused";
    this.response = response;
  }
}

/** The other side, or a proxy in between, violated the protocol or disconnected. */
export class StreamBroken extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "StreamBroken";
  }
}

export interface ChannelData {
  readonly channel: number;
  readonly data: Buffer;
}

/** Numbered channels of bytes, each in order, over one connection. */
export interface ChannelConnection {
  /** Whether one channel can be ended while the others continue. */
  readonly canEnd: boolean;
  /**
   * The incoming data, until the other side ends the connection; read once. Nothing is read from the network before it
   * is requested.
   */
  received(): AsyncIterable<ChannelData>;
  /** Resolves when more may be written. */
  send(channel: number, data: Uint8Array): Promise<void>;
  /** Nothing more will be sent on the channel; without an effect if `canEnd` is false. */
  end(channel: number): Promise<void>;
  close(): void;
}
