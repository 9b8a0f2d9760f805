/** Which level a controller manager works at: that of the server it is connected to, found by its /version. */

import type { Clock } from "../../base/clock.ts";
import { isSince, type Release } from "../../base/release.ts";
import type { Fetch } from "../../client/contract.ts";
import { type Level, levelDefault, levels } from "../../machinery/schema/levels.ts";

/** How long to wait before a server that did not answer is asked again. */
const askAgainMs = 1_000;

/** Asks until the server answers, so that a manager may start before its server. Rejects when `signal` aborts. */
export async function readServerLevel(fetch: Fetch, clock: Clock, signal: AbortSignal): Promise<Level> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const response = await fetch("/version", { signal });
      // A server that refuses to tell its version works as it did before levels existed.
      if (response.status < 500) return response.ok ? levelOf(await response.json()) : levelDefault;
    } catch {
      signal.throwIfAborted();
    }
    await new Promise<void>((resolve) => {
      const stop = clock.after(askAgainMs, done);
      function done() {
        signal.removeEventListener("abort", cancel);
        resolve();
      }
      function cancel() {
        stop();
        resolve();
      }
      signal.addEventListener("abort", cancel, { once: true });
    });
  }
}

/** The highest level that is not newer than the server. Vendors add to the minor version: "21+". */
export function levelOf(version: unknown): Level {
  const { major, minor } = (version ?? {}) as { readonly major?: unknown; readonly minor?: unknown };
  const parts = /^(\d+)\.(\d+)/.exec(`${major}.${minor}`);
  if (parts === null) return levelDefault;
  const release: Release = `${Number(parts[1])}.${Number(parts[2])}`;
  return levels.findLast((level) => isSince(release, level)) ?? levelDefault;
}
