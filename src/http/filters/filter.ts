/** One station on the way of a request. */

import type { Call } from "../call.ts";

export interface Filter {
  /** Throws a StatusError to refuse the request; nothing behind it sees the request then. */
  enter?(call: Call): void | Promise<void>;
  /** On the way out, also when `enter` itself refused. Must not throw. */
  leave?(call: Call): void;
}
