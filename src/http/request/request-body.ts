/** Reads the bodies of requests, within a memory budget for all that are read or processed at once. */

import { BudgetHold, createMemoryBudget, Suspended } from "../../base/memory-budget.ts";
import { atOnceBytesMax, nextTimeSlice } from "../../base/time-slice.ts";
import { timeout, tooManyRequests } from "../../machinery/status/status.ts";
import type { RequestLimits } from "../contract/handler-options.ts";
import type { Call } from "./call.ts";

/**
 * Large bodies that are processed at once: an object takes ten times the memory of its bytes or more, so hundreds of them would
 * exceed any heap. The rest wait in line, as bytes.
 */
export const workedOnBytesMax = 4 * 1024 * 1024;

/** Further large bodies that may wait for admission; more are refused with 429. */
export const suspendedBodyBytesMax = 32 * 1024 * 1024;

/** What the body of one request takes, until the request has ended. */
export interface HeldBody {
  bytes: number;
  /** Undefined: the body is small. */
  memory: BudgetHold | undefined;
}

/** All bodies of one server. */
export class RequestBodies {
  readonly #limits: RequestLimits;
  readonly #budget = createMemoryBudget(workedOnBytesMax);
  readonly #suspended = new Suspended(suspendedBodyBytesMax);
  #bytes = 0;

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /** The whole body of the request; 413 over the limit of one body, 429 over that of all. Large ones wait for memory budget. */
  async read(call: Call): Promise<Buffer> {
    const { bodyBytesMax, bodiesBytesMax } = this.#limits;
    const held: HeldBody = { bytes: 0, memory: undefined };
    call.body = held;
    // Its bytes came with those of the whole, which holds the memory for all of them.
    if (call.whole !== undefined) {
      held.memory = call.whole.body?.memory;
      return call.exchange.readBody(bodyBytesMax, (bytes) => {
        held.bytes += bytes;
      });
    }
    const body = await call.exchange.readBody(bodyBytesMax, (bytes) => {
      this.#bytes += bytes;
      held.bytes += bytes;
      if (this.#bytes > bodiesBytesMax) {
        throw tooManyRequests("too many bytes of requests are in progress, please try again later", 1);
      }
    });
    call.mark("body");
    if (body.length <= atOnceBytesMax) return body;
    const waiting = this.#budget.enter(body.length);
    if (waiting !== undefined) await waiting;
    held.memory = new BudgetHold(this.#budget, this.#suspended, body.length);
    // Bodies that arrive together are not processed in one time slice: other requests are served between two of them.
    await nextTimeSlice();
    call.mark("memory budget");
    // The client no longer waits for the outcome.
    if (call.gone) throw timeout("the request waited too long to be processed");
    return body;
  }

  /** The request has ended. */
  release({ bytes, memory }: HeldBody): void {
    this.#bytes -= bytes;
    memory?.end();
  }
}
