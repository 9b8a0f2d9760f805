/** A write that controllers get in the way of is tried again with what they made of the object. */

import { retryOnConflict } from "../../client/requests/retry-on-conflict.ts";
import type { Context } from "../context.ts";

const attemptsMax = 10;

/** `write` reads the object each time. */
export const whileOthersWrite = <T>(context: Context, write: () => Promise<T>): Promise<T> =>
  retryOnConflict(write, { attempts: attemptsMax, signal: context.signal, clock: context.environment.clock });
