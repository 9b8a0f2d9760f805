/** Waits for the default account of a namespace that has just been made: a controller creates it a moment later. */

import type { Clock } from "../base/clock.ts";
import type { AdmissionRequest } from "../registry/contract/admission.ts";

/** How long a pod waits for an account that a controller elsewhere may create, as in v1.21. */
export const foreignAccountWaitMs = 1_000;
/** How long it waits for the controller of this process, which runs for sure but may be slow on a busy machine. */
export const ownAccountWaitMs = 30_000;
const tryMs = 100;
/** Before the request times out there is time left for the answer, which says which account is missing. */
const answerMs = 500;

interface AccountWait {
  /** Of the deadlines of requests. */
  readonly clock: Clock;
  /** It goes on where `clock` stands still. */
  readonly waitClock: Clock;
  /** Whether a controller of this process creates default accounts. */
  readonly makesAccounts: boolean;
}

/** Undefined: it was not created in time. The request does not hold its seat meanwhile, since the controller needs one too. */
export async function waitForAccount<T>(
  find: () => T | undefined | Promise<T | undefined>,
  request: Pick<AdmissionRequest, "deadlineMs" | "signal" | "releaseSeat">,
  { clock, waitClock, makesAccounts }: AccountWait,
): Promise<T | undefined> {
  const leftMs = request.deadlineMs - clock.monotonic() - answerMs;
  const waitMs = makesAccounts
    ? Math.max(foreignAccountWaitMs, Math.min(ownAccountWaitMs, leftMs))
    : foreignAccountWaitMs;
  const comeBack = request.releaseSeat();
  try {
    for (const end = waitClock.monotonic() + waitMs; ; ) {
      const found = await find();
      if (found !== undefined || waitClock.monotonic() >= end) return found;
      request.signal.throwIfAborted();
      await new Promise<void>((resolve) => void waitClock.after(tryMs, resolve));
    }
  } finally {
    comeBack();
  }
}
