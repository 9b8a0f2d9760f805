/** What `forward.ts` is in a browser, where no port can be listened on. */

import type { ForwardedPort } from "./contract.ts";

export async function forwardPort(): Promise<ForwardedPort> {
  throw new TypeError("portForward needs a port, and pages of a browser have none");
}
