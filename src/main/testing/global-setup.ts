/** One state for all processes in which a test runner runs tests: made once, and read by each of them. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "../library.ts";
import { stateVariable, type TestServerOptions } from "./warm.ts";

let folder: string | undefined;

/**
 * A global setup for vitest and jest: `export default globalSetup({ load: "config/crd" })`. Servers of tests begin with its state, and with those of
 * its options that are not functions. vitest calls what it returns at the end; jest needs `globalTeardown` for that.
 * @example
 * export default globalSetup({ load: "config/crd" });
 */
export function globalSetup(options: TestServerOptions = {}): () => Promise<() => Promise<void>> {
  return async () => {
    const { load, prepare, ...others } = options;
    await using server = await createServer(others);
    if (load !== undefined) await server.load(load);
    await prepare?.(server);
    await server.settled();
    folder = await mkdtemp(join(tmpdir(), "orch-tests-"));
    const from = join(folder, "state.backup");
    await server.snapshot(from);
    // Processes and threads that are started from now on have it in their environment.
    process.env[stateVariable] = JSON.stringify({ vocabulary: "orch", ...others, from });
    return globalTeardown;
  };
}

/**
 * For jest: `export { globalTeardown as default } from "orch/testing"`.
 * @example
 * export { globalTeardown as default } from "orch/testing";
 */
export async function globalTeardown(): Promise<void> {
  const made = process.env[stateVariable];
  delete process.env[stateVariable];
  if (folder !== undefined && made !== undefined) await rm(folder, { recursive: true, force: true });
  folder = undefined;
}
