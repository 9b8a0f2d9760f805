/** One side of a WebSocket (RFC 6455) on a connection whose handshake is done: whole messages in both directions. */

import { isUtf8 } from "node:buffer";
import type { Duplex } from "node:stream";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import {
  applyMask,
  encodeFrame,
  type FrameHead,
  type Opcode,
  opcodes,
  readFrameHead,
} from "../../base/websocket-frames.ts";
import { StreamBroken } from "./contract.ts";

/** Servers send at most 32 KiB at a time; a message that is larger than this ends the connection. */
export const messageBytesMax = 4 * 1024 * 1024;
/** How long the other side has to close its side after ours. */
const closingMs = 2_000;

const closeCodes = { normal: 1000, protocolError: 1002, notUtf8: 1007, tooLarge: 1009 } as const;

interface Message {
  readonly isText: boolean;
  readonly data: Buffer;
}

interface WebSocketOptions {
  readonly socket: Duplex;
  /** What arrived together with the handshake. */
  readonly head: Buffer;
  /** That many random bytes, by which a client masks what it sends. Absent: this side is the server, which masks nothing. */
  readonly random?: (count: number) => Uint8Array;
}

export class WebSocketConnection {
  readonly #socket: Duplex;
  readonly #random: WebSocketOptions["random"];
  /** Who is on the other side, for messages. */
  readonly #other: "server" | "client";
  #isClosing = false;
  #failure: unknown;

  constructor({ socket, head, random }: WebSocketOptions) {
    this.#socket = socket;
    this.#random = random;
    this.#other = random === undefined ? "client" : "server";
    // An error that occurs while nothing is being read goes to the next reader.
    socket.on("error", (error) => {
      this.#failure ??= error;
    });
    if (head.length > 0) socket.unshift(head);
  }

  /** Resolves when more may be sent; what is sent after the end is dropped. */
  async send(data: Uint8Array, isText = false): Promise<void> {
    await this.#write(isText ? opcodes.text : opcodes.binary, data);
  }

  /** Whole messages until the other side closes the connection as the protocol requires. */
  async *messages(): AsyncGenerator<Message> {
    const fragments = new GatheredBytes();
    let isWithin = false;
    let isText = false;
    for await (const { head, payload } of this.#frames()) {
      if (head.isControl) {
        if (await this.#control(head.opcode, payload)) return;
        continue;
      }
      const isFirst = head.opcode !== opcodes.continuation;
      if (isFirst === isWithin || head.opcode > opcodes.binary)
        this.#fail(closeCodes.protocolError, `the ${this.#other} sent a fragment out of order`);
      if (isFirst) isText = head.opcode === opcodes.text;
      isWithin = !head.isLast;
      if (fragments.length + payload.length > messageBytesMax) this.#failTooLarge();
      if (!isFirst || isWithin) fragments.push(payload);
      if (isWithin) continue;
      const data = isFirst ? payload : fragments.take();
      if (isText && !isUtf8(data)) this.#fail(closeCodes.notUtf8, `the ${this.#other} sent text that is not UTF-8`);
      yield { isText, data };
    }
    throw new StreamBroken("the connection was lost", { cause: this.#failure });
  }

  /** Sends a close frame and does not wait long for an answer. */
  close(): void {
    if (this.#isClosing) return;
    this.#sayClose(closeCodes.normal);
  }

  async *#frames(): AsyncGenerator<{ head: FrameHead; payload: Buffer }> {
    const begun = new GatheredBytes();
    let needed = 2;
    const isMasked = this.#other === "client";
    // One read may bring ten thousand frames.
    const slice = new TimeSlice();
    try {
      for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
        const isWhole = begun.length === 0 && chunk.length >= needed;
        if (!isWhole) begun.push(chunk);
        if (!isWhole && begun.length < needed) continue;
        let bytes = isWhole ? chunk : begun.take();
        for (;;) {
          const head = readFrameHead(bytes);
          if (head === "broken" || (head !== undefined && (head.mask !== undefined) !== isMasked))
            this.#fail(closeCodes.protocolError, `the ${this.#other} sent a frame that is not one of a WebSocket`);
          if (head !== undefined && head.length > messageBytesMax) this.#failTooLarge();
          needed = head === undefined ? bytes.length + 1 : head.size + head.length;
          if (head === undefined || bytes.length < needed) break;
          const payload = bytes.subarray(head.size, needed);
          if (head.mask !== undefined) applyMask(payload, head.mask);
          yield { head, payload };
          if (slice.isOver) await slice.next();
          bytes = bytes.subarray(needed);
        }
        begun.push(bytes);
      }
    } catch (error) {
      if (error instanceof StreamBroken) throw error;
      this.#failure ??= error;
    }
  }

  /** Whether the connection has ended. */
  async #control(opcode: number, payload: Buffer): Promise<boolean> {
    // Who does not read the answers is not read either.
    if (opcode === opcodes.ping) await this.#write(opcodes.pong, payload);
    else if (opcode === opcodes.close) return this.#closed(payload);
    else if (opcode !== opcodes.pong)
      this.#fail(closeCodes.protocolError, `the ${this.#other} sent an unknown control frame`);
    return false;
  }

  #closed(payload: Buffer): true {
    const code = payload.length >= 2 ? payload.readUInt16BE(0) : undefined;
    const isValid = payload.length !== 1 && (code === undefined || isCloseCode(code));
    if (!isValid) this.#fail(closeCodes.protocolError, `the ${this.#other} closed the connection with an invalid code`);
    const reason = payload.subarray(2);
    if (!isUtf8(reason))
      this.#fail(closeCodes.notUtf8, `the ${this.#other} closed the connection with a reason that is not UTF-8`);
    this.close();
    if (code !== undefined && code !== closeCodes.normal && code !== 1001)
      throw new StreamBroken(
        `the ${this.#other} closed the connection with code ${code}${reason.length > 0 ? `: ${reason}` : ""}`,
      );
    return true;
  }

  #failTooLarge(): never {
    this.#fail(closeCodes.tooLarge, `the ${this.#other} sent a message of more than ${messageBytesMax} bytes`);
  }

  #fail(code: number, message: string): never {
    if (!this.#isClosing) this.#sayClose(code);
    throw new StreamBroken(message);
  }

  #sayClose(code: number): void {
    void this.#write(opcodes.close, Buffer.from([code >> 8, code & 0xff]));
    this.#isClosing = true;
    this.#socket.end();
    const timer = setTimeout(() => this.#socket.destroy(), closingMs);
    this.#socket.once("close", () => clearTimeout(timer));
    // Its answer to our close frame must be read, or the connection would stay half open.
    this.#socket.resume();
  }

  async #write(opcode: Opcode, payload: Uint8Array): Promise<void> {
    if (this.#isClosing || !this.#socket.writable) return;
    const hasSpace = this.#socket.write(encodeFrame(opcode, payload, this.#random?.(4)));
    if (!hasSpace) await drained(this.#socket);
  }
}

/** Codes that may be sent: those of the RFC that are not reserved, and those of libraries and applications. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

/** Also resolves when the connection ends; otherwise callers would wait forever. */
export function drained(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    if (socket.destroyed) resolve();
    else socket.on("drain", done).on("close", done);
  });
}
