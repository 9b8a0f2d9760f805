/** One filter of the chain that every request passes. */

import type { Call } from "../request/call.ts";

export interface Filter {
  /** Throws a StatusError to refuse the request; later filters and handlers do not see it then. */
  enter?(this: void, call: Call): void | Promise<void>;
  /** Called on the way out of every request that `enter` did not refuse. Must not throw. */
  leave?(this: void, call: Call): void;
}
