/** Discovery in a file, so that a program that runs for a moment need not ask for it each time. */

import { readFileSync, rmSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { writePrivate } from "../../base/private-file.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { Discovery, type DiscoveryContent } from "./discovery.ts";

/** How long a file is used. */
const discoveryCacheMs = 10 * 60_000;

export class DiscoveryCacheFile {
  readonly #file: string;
  readonly #clock: Clock;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** Undefined: the file does not exist, or is too old, or of a later time. */
  read(): Discovery | undefined {
    const kept = readContent(this.#file);
    // A clock that was set back since would keep it for as long as it was ahead.
    const ageMs = this.#clock.now() - (kept?.atMs ?? Number.NEGATIVE_INFINITY);
    if (kept === undefined || ageMs < 0 || ageMs >= discoveryCacheMs) return undefined;
    return new Discovery(kept.found);
  }

  /** An incomplete discovery is not kept. */
  write({ groups, resources, failed, isAggregated }: Discovery): void {
    if (failed.length > 0) return;
    const found: DiscoveryContent = { groups, resources, failed, isAggregated };
    writePrivate(this.#file, JSON.stringify({ atMs: this.#clock.now(), found }));
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

interface Kept {
  readonly atMs: number;
  readonly found: DiscoveryContent;
}

function readContent(file: string): Kept | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isKept(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The file is our own, in a folder that only the user can write, so checking its outline is enough. */
function isKept(value: unknown): value is Kept {
  if (!isObject(value) || typeof value["atMs"] !== "number" || !isObject(value["found"])) return false;
  const { groups, resources, failed } = value["found"];
  // Files of earlier releases called the plural name of a resource "name".
  const isCurrent = (one: unknown) => isObject(one) && typeof one["resource"] === "string";
  return Array.isArray(groups) && Array.isArray(resources) && resources.every(isCurrent) && Array.isArray(failed);
}
