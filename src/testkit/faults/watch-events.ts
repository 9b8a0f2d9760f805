/** The events of a watch as its faults let them through: dropped, twice, late or in another order. */

import type { Clock } from "../../base/clock.ts";
import type { Exchange, ResponseHeaders } from "../../http/contract/exchange.ts";
import { overrideExchange } from "../../http/contract/override-exchange.ts";
import type { EventFault, ExpiredWatch, SilentBookmarks } from "./contract.ts";

export interface EventAction {
  readonly action: EventFault | ExpiredWatch | SilentBookmarks;
  /** Whether it is the turn of this event. */
  isTurn(): boolean;
  hit(): void;
}

const expiredLine = `${JSON.stringify({
  type: "ERROR",
  object: {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "too old resource version: a fault has ended this watch",
    reason: "Expired",
    code: 410,
  },
})}\n`;

/** The events of the exchange pass through the faults. A watch in protobuf ends without a word where one in JSON says 410. */
export function withEventFaults(exchange: Exchange, faults: readonly EventAction[], clock: Clock): Exchange {
  let isProtobuf = false;
  let seen = 0;
  /** An event that waits for the next one. */
  let kept: Buffer | undefined;
  /** Events that wait for time to pass, in order; undefined: none do. */
  let late: Buffer[] | undefined;
  let isOver = false;
  /** A watch that begins with the state is a list until the bookmark that ends it; without that no client would ever know the state. */
  let isList = new URLSearchParams(exchange.target.split("?")[1]).get("sendInitialEvents") === "true";

  const pass = (frame: Buffer): void => {
    if (late !== undefined) late.push(frame);
    else exchange.write(frame);
  };
  const delay = (ms: number): void => {
    late ??= [];
    clock.after(ms, () => {
      const waiting = late ?? [];
      late = undefined;
      for (const frame of waiting) exchange.write(frame);
      if (isOver) exchange.end();
    });
  };
  const send = (frame: Buffer): void => {
    const isBookmark = frame.subarray(0, 64).includes("BOOKMARK");
    if (isList) {
      if (isBookmark && frame.includes("/initial-events-end")) isList = false;
      pass(frame);
      return;
    }
    if (!isBookmark) seen++;
    let copies = 1;
    for (const { action, isTurn, hit } of faults) {
      if ("bookmarks" in action) {
        if (!isBookmark) continue;
        hit();
        return;
      }
      if ("expireAfterEvents" in action) {
        if (isBookmark || seen <= action.expireAfterEvents || isOver) continue;
        hit();
        isOver = true;
        if (!isProtobuf) exchange.write(Buffer.from(expiredLine));
        exchange.end();
        return;
      }
      if (isBookmark || !isTurn()) continue;
      hit();
      if (action.events === "drop") return;
      if (action.events === "duplicate") copies++;
      if (action.events === "delay") delay(action.delayMs ?? 0);
      if (action.events === "reorder" && kept === undefined) {
        kept = frame;
        return;
      }
    }
    for (let copy = 0; copy < copies; copy++) pass(frame);
    if (kept === undefined) return;
    pass(kept);
    kept = undefined;
  };

  const begin = (headers: ResponseHeaders) => {
    isProtobuf = String(headers["content-type"] ?? "").includes("protobuf");
  };
  return overrideExchange(exchange, {
    respondEvents(headers) {
      begin(headers);
      exchange.respondEvents(headers);
    },
    write(chunk) {
      for (const frame of framesOf(chunk, isProtobuf)) if (!isOver) send(frame);
      return true;
    },
    end() {
      if (isOver) return;
      isOver = true;
      if (late === undefined) exchange.end();
    },
  });
}

/** A chunk holds whole events: lines of JSON, or messages behind their length. */
function framesOf(chunk: Buffer, isProtobuf: boolean): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < chunk.length; ) {
    const newline = isProtobuf ? -1 : chunk.indexOf(10, at);
    const end = isProtobuf ? at + 4 + chunk.readUInt32BE(at) : newline < 0 ? chunk.length : newline + 1;
    frames.push(chunk.subarray(at, end));
    at = end;
  }
  return frames;
}
