/** `import { createServer } from "orch"`: a whole server inside another program, in memory, without a socket until needed. */

import { checkOptions } from "./library/check-options.ts";
import { OpenServer } from "./library/open-server.ts";
import type { CreateServerOptions, OrchServer } from "./library/options.ts";
import { createProcessHold } from "./process-hold.ts";

// For programs that write admission plugins.
export { refuse } from "../admission/context.ts";
export type { AdmissionPlugin } from "../admission/contract.ts";
export { on, plugin, type RequestOn, under } from "../admission/on.ts";
export type { AdmissionRequest, Operation } from "../registry/contract/admission.ts";
export * as kinds from "./kinds.ts";
export type { ClientConfig, CreateServerOptions, OrchServer } from "./library/options.ts";

// Node loads the implementation of `fetch` on first use; without this line the first request of a test would pay for it.
void globalThis.Response;

/** One for all servers of the process. */
const hold = createProcessHold();

/**
 * Resolves when the server is ready. It prints nothing and handles no signals. An idle server does not keep the process alive;
 * a request that waits for its answer, or a reader that waits for the next event of a watch, does.
 */
export async function createServer(options: CreateServerOptions = {}): Promise<OrchServer> {
  checkOptions(options);
  const release = hold();
  try {
    return await OpenServer.open(options, hold);
  } finally {
    release();
  }
}
