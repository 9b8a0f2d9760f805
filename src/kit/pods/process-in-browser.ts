/** What `process.ts` is in a browser: a page cannot send the credentials of a stream. */

import type { RemoteProcess } from "./contract.ts";

export async function openProcess(): Promise<RemoteProcess> {
  throw new TypeError("exec and attach need a connection that pages of a browser cannot open");
}
