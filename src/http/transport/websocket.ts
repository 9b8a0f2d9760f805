/** WebSockets (RFC 6455), as far as sending events needs them: whole messages are sent, only control frames are read. */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { acceptOf, applyMask, encodeFrame, headBytesMax, opcodes, readFrameHead } from "../../base/websocket-frames.ts";

/** Close codes: 1000 for a normal end, 1002 for a protocol error, 1009 for a message that is too large. */
type CloseCode = 1000 | 1002 | 1009;

/** Clients of a watch have nothing to send; what they send is discarded, up to this size for each frame. */
export const frameBytesMax = 1024 * 1024;

/**
 * Whether a request asks for a WebSocket and may have it. Browsers let pages open WebSockets to any server and send the
 * user's certificate along, so a page of another origin gets a plain answer, which it cannot read.
 */
export function asksForWebSocket({ method, headers, rawHeaders }: IncomingMessage): boolean {
  if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket") return false;
  if (headers["sec-websocket-version"] !== "13") return false;
  if (!/^[A-Za-z0-9+/]{22}==$/.test(headers["sec-websocket-key"] ?? "")) return false;
  if (hasSeveral(rawHeaders, "origin")) return false;
  return (
    headers.origin === undefined || /^https:\/\/([^/]+)$/.exec(headers.origin.toLowerCase())?.[1] === host(headers)
  );
}

/**
 * Whether a request for another protocol may be forwarded: without a body, for one protocol, and from a page of this server if a page
 * sent it (behind `kubectl proxy` such a page has a plain http origin).
 */
export function mayBeForwarded({ headers, rawHeaders }: IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? "0") !== 0;
  if (hasBody || hasSeveral(rawHeaders, "origin") || !/^[\w./-]+$/.test(headers.upgrade ?? "")) return false;
  return (
    headers.origin === undefined || /^https?:\/\/([^/]+)$/.exec(headers.origin.toLowerCase())?.[1] === host(headers)
  );
}

const host = (headers: IncomingHttpHeaders) => headers.host?.toLowerCase() ?? "";

function hasSeveral(rawHeaders: readonly string[], header: string): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === header).length > 1;
}

/** The answer to the handshake; `protocols` are those that the client offers. */
export function handshake(key: string, protocols: readonly string[]): string {
  // One of them may be a token, which must not be repeated.
  const protocol = protocols.find((one) => one !== "" && !one.startsWith("base64url.bearer."));
  return [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${acceptOf(key)}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    "",
    "",
  ].join("\r\n");
}

export function closeFrame(code: CloseCode): Buffer {
  return encodeFrame(opcodes.close, Buffer.from([code >> 8, code & 0xff]));
}

interface FrameHandlers {
  ping(payload: Buffer): void;
  /** The client closes the connection, or must be closed. Nothing is read afterwards. */
  close(code: CloseCode): void;
}

const nothing: Buffer = Buffer.alloc(0);

/** The state of the reader. */
type Phase =
  /** In the first bytes of a frame. */
  | { readonly at: "head" }
  /** Discarding the rest of a message. */
  | { readonly at: "message"; left: number }
  /** Collecting the payload of a control frame. */
  | { readonly at: "control"; readonly opcode: number; readonly mask: Buffer; readonly length: number }
  | { readonly at: "closed" };

/** Reads the frames of a client, in chunks of any size, and keeps at most one control frame in memory. */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  #phase: Phase = { at: "head" };
  #kept = nothing;

  constructor(handlers: FrameHandlers) {
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    let at = 0;
    while (at < bytes.length && this.#phase.at !== "closed") {
      const used = this.#step(bytes, at);
      if (used === 0) break;
      at += used;
    }
    // A part of a head or of a control frame. It is copied, so that the chunk is not kept alive.
    this.#kept = at < bytes.length && this.#phase.at !== "closed" ? Buffer.from(bytes.subarray(at)) : nothing;
  }

  /** How many bytes it has used; 0: more must arrive first. */
  #step(bytes: Buffer, at: number): number {
    const phase = this.#phase;
    const arrived = bytes.length - at;
    if (phase.at === "message") {
      const skipped = Math.min(phase.left, arrived);
      phase.left -= skipped;
      if (phase.left === 0) this.#phase = { at: "head" };
      return skipped;
    }
    if (phase.at !== "control") return this.#head(bytes.subarray(at, at + headBytesMax));
    if (arrived < phase.length) return 0;
    this.#control(phase.opcode, phase.mask, bytes.subarray(at, at + phase.length));
    return phase.length;
  }

  /** The length of the head of a frame; 0: it has not fully arrived yet. */
  #head(bytes: Buffer): number {
    const head = readFrameHead(bytes);
    if (head === undefined) return 0;
    // Clients must mask.
    if (head === "broken" || head.mask === undefined) return this.#fail(1002);
    const { size, opcode, isControl, length, mask } = head;
    if (length > frameBytesMax) return this.#fail(1009);
    if (!isControl) this.#phase = length === 0 ? { at: "head" } : { at: "message", left: length };
    else if (length > 0) this.#phase = { at: "control", opcode, mask, length };
    else this.#control(opcode, mask, Buffer.alloc(0));
    return size;
  }

  #control(opcode: number, mask: Buffer, masked: Buffer): void {
    this.#phase = { at: "head" };
    if (opcode === opcodes.ping) {
      const payload = Buffer.from(masked);
      applyMask(payload, mask);
      this.#handlers.ping(payload);
    } else if (opcode === opcodes.close) this.#fail(1000);
    else if (opcode !== opcodes.pong) this.#fail(1002);
  }

  #fail(code: CloseCode): 0 {
    this.#phase = { at: "closed" };
    this.#handlers.close(code);
    return 0;
  }
}
