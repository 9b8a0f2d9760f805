/** Reads the bodies of requests, within a memory budget for all that are read or processed at once. */

import { BudgetHold, createMemoryBudget, type MemoryBudget, Suspended } from "../../base/memory-budget.ts";
import { atOnceBytesMax, nextTimeSlice } from "../../base/time-slice.ts";
import { timeout, tooManyRequests } from "../../machinery/status/status.ts";
import type { Call } from "../request/call.ts";
import type { Context } from "./context.ts";

/**
 * Large bodies that are processed at once: an object takes ten times the memory of its bytes or more, so hundreds of them would
 * exceed any heap. The rest wait in line, as bytes.
 */
export const workedOnBytesMax = 4 * 1024 * 1024;

/** Further large bodies that may wait for admission; more are refused with 429. */
export const suspendedBodyBytesMax = 32 * 1024 * 1024;

/** All bodies of one server. */
export interface BodyTotal {
  bytes: number;
  readonly budget: MemoryBudget;
  readonly suspended: Suspended;
}
const totals = new WeakMap<Context, BodyTotal>();

/** Begins to count; once for each server. */
export function openBodyTotal(context: Context): BodyTotal {
  const budget = createMemoryBudget(workedOnBytesMax);
  const total: BodyTotal = { bytes: 0, budget, suspended: new Suspended(suspendedBodyBytesMax) };
  totals.set(context, total);
  return total;
}

/** The whole body of the request; 413 over the limit of one body, 429 over that of all. Large ones wait for memory budget. */
export async function readBody(context: Context, call: Call): Promise<Buffer> {
  const total = totals.get(context)!;
  const body = await call.exchange.readBody(context.limits.bodyBytesMax, (bytes) => {
    total.bytes += bytes;
    call.bodyBytes += bytes;
    if (total.bytes > context.limits.bodiesBytesMax) {
      throw tooManyRequests("too many bytes of requests are in progress, please try again later", 1);
    }
  });
  call.mark("body");
  if (body.length <= atOnceBytesMax) return body;
  const waiting = total.budget.enter(body.length);
  if (waiting !== undefined) await waiting;
  call.memory = new BudgetHold(total.budget, total.suspended, body.length);
  // Bodies that arrive together are not processed in one time slice: other requests are served between two of them.
  await nextTimeSlice();
  call.mark("memory budget");
  // The client no longer waits for the outcome.
  if (call.gone) throw timeout("the request waited too long to be processed");
  return body;
}
