/**
 * /clock: the virtual clock of a server for tests, for people and for programs in any language.
 *
 *   GET /clock     what time it is there, and whether it is moving: {"now": "2026-01-01T00:00:00.000Z", "isMoving": false}
 *   POST /clock    begins to move it: {"advance": "1h30m"}; the answer does not wait for what that causes
 */

import { parseDuration } from "../../base/duration.ts";
import type { Log } from "../../base/log.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { Route } from "../../http/contract/routes.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { badRequest, methodNotAllowed, tooManyRequests } from "../../machinery/status/status.ts";

/** How far one request moves it: what comes due on the way is done, and takes its time. */
export const advanceMsMax = 31 * 86_400_000;
const bodyBytesMax = 4_096;
const retryAfterSeconds = 1;
const subject = { group: "", kind: "Clock", resource: "clock" };

interface MovedClock {
  now(): number;
  advance(ms: number): Promise<void>;
}

export function createClockRoute(clock: () => MovedClock, log: Log): Route {
  let isMoving = false;
  const move = (ms: number) => {
    isMoving = true;
    clock()
      .advance(ms)
      .catch((error: unknown) => log.warn("the clock could not be moved", { error }))
      .finally(() => {
        isMoving = false;
      });
  };
  return {
    path: "/clock",
    async handle(exchange) {
      if (exchange.method === "POST") {
        const ms = await advanceIn(exchange);
        if (isMoving) throw tooManyRequests("the clock is moving", retryAfterSeconds);
        move(ms);
      } else if (exchange.method !== "GET") throw methodNotAllowed(subject, exchange.method);
      const body = { now: new Date(clock().now()).toISOString(), isMoving };
      const headers = { "content-type": "application/json", "cache-control": "no-store" };
      exchange.send(exchange.method === "POST" ? 202 : 200, headers, `${JSON.stringify(body)}\n`);
    },
  };
}

async function advanceIn(exchange: Exchange): Promise<number> {
  const body = await exchange.readBody(bodyBytesMax);
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    value = undefined;
  }
  const by = isObject(value) ? value["advance"] : undefined;
  const ms = typeof by === "string" ? Number(parseDuration(by) ?? Number.NaN) / 1e6 : Number.NaN;
  if (!(ms >= 0)) throw badRequest('the body must say how far: {"advance": "1h30m"}');
  if (ms > advanceMsMax) throw badRequest("advance: must be at most 744h");
  return ms;
}
