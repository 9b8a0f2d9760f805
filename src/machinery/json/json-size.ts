/** The size and depth of a JSON value from an untrusted client. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { finalFacts } from "./final-facts.ts";
import type { JsonObject } from "./json-value.ts";

/**
 * About how many bytes the value has as JSON. Stops counting soon after `enough`; a value nested deeper than `depthMax`
 * counts as infinite, so that no recursive function is called with it.
 */
export function jsonBytes(value: unknown, enough: number, depthMax: number): number {
  let bytes = 0;
  const count = (part: unknown, depth: number): void => {
    if (bytes > enough) return;
    if (typeof part === "string") bytes += part.length + 2;
    else if (typeof part !== "object" || part === null) bytes += 4;
    else if (depth > depthMax) bytes = Number.POSITIVE_INFINITY;
    else if (finalFacts(part) !== undefined) bytes += finalFacts(part)?.text.length ?? 0;
    else if (Array.isArray(part)) {
      bytes += 2;
      for (const item of part) {
        count(item, depth + 1);
        if (bytes > enough) return;
      }
    } else {
      bytes += 2;
      for (const key of Object.keys(part)) {
        bytes += key.length + 4;
        count((part as JsonObject)[key], depth + 1);
        if (bytes > enough) return;
      }
    }
  };
  count(value, 1);
  return bytes;
}

/** Whether containers are nested more than `depthMax` deep; without recursion, so that any value can be checked. */
export function* isDeeperThan(value: unknown, depthMax: number): Steps<boolean> {
  const pace = new Pace();
  let level: unknown[] = [value];
  for (let depth = 0; depth <= depthMax; depth++) {
    const next: unknown[] = [];
    for (const part of level) {
      if (typeof part !== "object" || part === null) continue;
      const members = part as JsonObject; // of a list the keys are its indices
      for (const key of Object.keys(part)) {
        const child = members[key];
        if (typeof child === "object" && child !== null) next.push(child);
        if (pace.isDue) yield;
      }
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}
