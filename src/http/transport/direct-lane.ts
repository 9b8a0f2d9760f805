/**
 * Connections whose requests are read without node:http, which takes more CPU than all of a get. A connection stays here as long as its
 * client sends ordinary requests, one after another; with the first of another kind it goes to node:http for good.
 */

import type { TLSSocket } from "node:tls";
import type { Exchange } from "../contract/exchange.ts";
import { DirectExchange, type DirectLine } from "./direct-exchange.ts";
import type { ListenerState } from "./http1-exchange.ts";
import { lingerMsMax } from "./linger.ts";
import { HeadReader, ordinaryHeadBytes } from "./read-head.ts";
import { tooSlow } from "./receive-limit.ts";
import type { Stalls } from "./stall.ts";

interface LaneOptions {
  readonly serve: (exchange: Exchange) => void;
  readonly stalls: Stalls;
  readonly state: ListenerState;
  /** Takes a connection over, with what its client has sent of a request that is not answered here. */
  readonly handOver: (socket: TLSSocket) => void;
  /** How long a client may take for its first request. */
  readonly headersTimeoutMs: number;
  /** How long it may take for the body of a request. */
  readonly receiveTimeoutMs: number;
  readonly idleMs: number;
  /** How often the lane looks for connections that are too slow. */
  readonly scanMs: number;
}

interface DirectLane {
  accept(socket: TLSSocket): void;
  /** Closes connections on which no request is in progress. */
  closeIdle(): void;
  close(): void;
}

export function createDirectLane(options: LaneOptions): DirectLane {
  const connections = new Set<DirectConnection>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const connection of connections) connection.scan(now);
  }, options.scanMs);
  timer.unref();
  const keeping = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(options.idleMs / 1_000)}\r\n`;
  return {
    accept(socket) {
      connections.add(new DirectConnection(socket, options, keeping, connections));
    },
    closeIdle() {
      for (const connection of connections) if (connection.isIdle) connection.socket.destroySoon();
    },
    close: () => clearInterval(timer),
  };
}

/** What a connection waits for; "answer": for us. */
type Waiting = "request" | "body" | "answer";

class DirectConnection implements DirectLine {
  readonly socket: TLSSocket;
  readonly stalls: Stalls;
  readonly listener: ListenerState;
  readonly keeping: string;
  readonly #lane: LaneOptions;
  readonly #all: Set<DirectConnection>;
  readonly #heads = new HeadReader();
  /** The newest request, if there was one. */
  #exchange: DirectExchange | undefined;
  #isBusy = false;
  /** Whether the request in progress is answered, and another may follow. */
  #mayGoOn = false;
  bodyLeft = 0;
  /** What the client has sent behind the request in progress. */
  #ahead: Buffer | undefined;
  #requests = 0;
  #seen = { waiting: "request" as Waiting, requests: 0, sinceMs: performance.now() };

  constructor(socket: TLSSocket, lane: LaneOptions, keeping: string, all: Set<DirectConnection>) {
    this.socket = socket;
    this.stalls = lane.stalls;
    this.listener = lane.state;
    this.keeping = keeping;
    this.#lane = lane;
    this.#all = all;
    socket.on("error", ignore).on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose);
    // The listener holds connections until their handshake begins, and that pauses what is read after it too.
    socket.resume();
  }

  get isIdle(): boolean {
    return !this.#isBusy;
  }

  readonly #onData = (bytes: Buffer): void => {
    let rest = bytes;
    if (this.bodyLeft > 0) {
      const part = rest.subarray(0, this.bodyLeft);
      rest = rest.subarray(part.length);
      this.bodyLeft -= part.length;
      this.#exchange?.receive(part);
      if (this.bodyLeft === 0 && this.#mayGoOn) this.#next();
    }
    if (rest.length === 0) return;
    if (!this.#isBusy) this.#begin(rest);
    else {
      this.#ahead = this.#ahead === undefined ? rest : Buffer.concat([this.#ahead, rest]);
      // Until then it is read, so that a client that disconnects is noticed.
      if (this.#ahead.length >= aheadBytes) this.socket.pause();
    }
  };

  #begin(bytes: Buffer): void {
    const end = bytes.indexOf(headEnd);
    const head =
      end < 0 || end > ordinaryHeadBytes ? undefined : this.#heads.read(bytes.toString("latin1", 0, end + 2));
    const begun = bytes.subarray(end + headEnd.length);
    // What follows a request at once belongs to the next, and node:http answers several at a time.
    if (head === undefined || begun.length > head.bodyBytes) {
      this.#handOver(bytes);
      return;
    }
    this.bodyLeft = head.bodyBytes - begun.length;
    this.#isBusy = true;
    this.#mayGoOn = false;
    this.#requests++;
    this.#exchange = new DirectExchange(this, head, begun);
    this.#lane.serve(this.#exchange);
  }

  answered(closes: boolean): void {
    this.#mayGoOn = !closes;
    if (this.#mayGoOn && this.bodyLeft === 0) this.#next();
  }

  /** Waits for the next request, once the client has read enough of the answers before it. */
  #next(): void {
    const { socket } = this;
    if (socket.writableNeedDrain) {
      socket.pause();
      socket.once("drain", () => this.#resume());
    } else this.#resume();
  }
  #resume(): void {
    this.#isBusy = false;
    if (this.socket.isPaused()) this.socket.resume();
    const ahead = this.#ahead;
    this.#ahead = undefined;
    // A client may have the whole of an answer before this side knows that it has sent it.
    if (ahead !== undefined) this.#begin(ahead);
  }

  #handOver(bytes: Buffer): void {
    const { socket } = this;
    this.#all.delete(this);
    socket.off("data", this.#onData).off("end", this.#onEnd).pause();
    socket.unshift(bytes);
    this.#lane.handOver(socket);
    socket.resume();
  }

  hangUp(): void {
    const { socket } = this;
    if (this.bodyLeft === 0) {
      socket.destroySoon();
      return;
    }
    // A connection that is closed with unread bytes is reset, and its client might not see the answer.
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMsMax);
    socket.once("close", () => clearTimeout(timer));
  }

  /** Clients that close their side expect no answer. */
  readonly #onEnd = (): void => {
    if (this.#isBusy) this.socket.destroy();
    else this.socket.end();
  };

  readonly #onClose = (): void => {
    this.#all.delete(this);
    this.#exchange?.disconnected();
  };

  scan(nowMs: number): void {
    const waiting = this.#waiting();
    const { waiting: before, requests, sinceMs } = this.#seen;
    if (waiting !== before || requests !== this.#requests) {
      this.#seen = { waiting, requests: this.#requests, sinceMs: nowMs };
    } else if (nowMs - sinceMs >= this.#limitMs(waiting)) this.#end(waiting);
  }
  #waiting(): Waiting {
    if (!this.#isBusy) return "request";
    return this.bodyLeft > 0 && this.#exchange?.isForwarded !== true ? "body" : "answer";
  }
  #limitMs(waiting: Waiting): number {
    const { headersTimeoutMs, receiveTimeoutMs, idleMs } = this.#lane;
    if (waiting === "answer") return Number.POSITIVE_INFINITY;
    if (waiting === "body") return receiveTimeoutMs;
    return this.#requests === 0 ? headersTimeoutMs : idleMs;
  }
  /** An answer that has begun is aborted; otherwise the client gets the reason. */
  #end(waiting: Waiting): void {
    if (waiting === "body" && this.#exchange?.responded === false) this.socket.write(tooSlow);
    this.socket.destroy();
  }
}

const headEnd = Buffer.from("\r\n\r\n");
/** How much of the next requests is read while one is in progress. */
const aheadBytes = 16_384;

function ignore(): void {}
