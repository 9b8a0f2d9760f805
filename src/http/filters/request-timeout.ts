/** Answers 504 for requests that take too long. Watches and streams have their own timeouts. */

import { parseDuration } from "../../base/duration.ts";
import { badRequest, timeout } from "../../machinery/status/status.ts";
import { answerError } from "../answer/errors.ts";
import type { Call } from "../request/call.ts";
import { Expiry } from "../request/expiry.ts";
import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

/** The precision of timeouts: requests are scanned this often and have no timers. */
const sweepMs = 500;

export function requestTimeout(context: ServerContext): Filter {
  const { clock, limits } = context;
  // In no particular order; most requests have ended before the next scan.
  let head: Expiry<Call> | undefined;
  let sweeping = false;

  const sweep = () => {
    sweeping = false;
    const now = clock.monotonic();
    for (let expiry = head; expiry !== undefined; ) {
      const { next } = expiry;
      if (expiry.atMs <= now) {
        if (expiry.upload?.continues() === true) expiry.atMs = now + limits.requestTimeoutMs;
        else {
          remove(expiry.call);
          expire(context, expiry.call);
        }
      }
      expiry = next;
    }
    if (head !== undefined) schedule();
  };
  const schedule = () => {
    if (sweeping) return;
    sweeping = true;
    clock.after(sweepMs, sweep);
  };
  const remove = (call: Call) => {
    if (call.expiry === undefined) return;
    const { previous, next } = call.expiry;
    call.expiry.atMs = Number.POSITIVE_INFINITY; // a scan may be at this one
    call.expiry = undefined;
    if (previous !== undefined) previous.next = next;
    else head = next;
    if (next !== undefined) next.previous = previous;
  };
  return {
    enter(call) {
      if (call.isLongRunning) return;
      const expiry = new Expiry(call, call.startedMs + allowedMs(call, limits.requestTimeoutMs), head);
      if (head !== undefined) head.previous = expiry;
      head = expiry;
      call.expiry = expiry;
      if (!sweeping) schedule();
    },
    leave: remove,
  };
}

/** A client may request less time, never more. */
function allowedMs(call: Call, mostMs: number): number {
  const asked = call.info.query.empty ? undefined : call.info.query.get("timeout");
  if (asked === undefined || asked === "") return mostMs;
  const nanos = parseDuration(asked);
  if (nanos === undefined) {
    throw badRequest(
      `invalid timeout specified in the request URL: "${asked.slice(0, 100)}" is not a duration such as 30s`,
    );
  }
  // Zero or a negative timeout means the maximum.
  return nanos <= 0n ? mostMs : Math.min(Number(nanos / 1_000_000n), mostMs);
}

function expire(context: ServerContext, call: Call): void {
  // The connection speaks another protocol now; the code that forwards it has its own limit.
  if (call.exchange.status === 101) return;
  // An answer that has begun cannot be replaced; a broken connection shows that it is incomplete.
  if (call.exchange.responded) call.exchange.destroy();
  else answerError(context, call, timeout("request did not complete within the allotted timeout"));
  call.expire();
}
