/** Which level a controller manager works at: that of the server it is connected to, found by its /version. */

import type { Clock } from "../../base/clock.ts";
import { isSince, type Release } from "../../base/release.ts";
import type { Fetch } from "../../client/contract.ts";
import { type Level, levelDefault, levels } from "../../machinery/schema/levels.ts";
import { askServer } from "./ask-server.ts";

/** Asks until the server answers. Rejects when `signal` aborts. */
export async function readServerLevel(fetch: Fetch, clock: Clock, signal: AbortSignal): Promise<Level> {
  const response = await askServer("/version", { fetch, clock, signal });
  // A server that refuses to tell its version works as it did before levels existed.
  return response.ok ? levelOf(await response.json()) : levelDefault;
}

/** The highest level that is not newer than the server. Vendors add to the minor version: "21+". */
export function levelOf(version: unknown): Level {
  const { major, minor } = (version ?? {}) as { readonly major?: unknown; readonly minor?: unknown };
  const parts = /^(\d+)\.(\d+)/.exec(`${major}.${minor}`);
  if (parts === null) return levelDefault;
  const release: Release = `${Number(parts[1])}.${Number(parts[2])}`;
  return levels.findLast((level) => isSince(release, level)) ?? levelDefault;
}
