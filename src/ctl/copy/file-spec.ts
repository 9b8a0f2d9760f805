/** Where a copy begins or ends: `[[NAMESPACE/]POD:]PATH`. */

import { posix } from "node:path";
import { CtlError } from "../errors.ts";

export interface FileSpec {
  /** "": that of the request. */
  readonly namespace: string;
  /** "": on this machine. */
  readonly pod: string;
  readonly path: string;
}

const wrongForm = "filespec must match the canonical format: [[namespace/]pod:]file/path";

export function parseFileSpec(word: string): FileSpec {
  const at = word.indexOf(":");
  if (at < 0) return { namespace: "", pod: "", path: word };
  const parts = word.slice(0, at).split("/");
  if (at === 0 || parts.length > 2 || parts.some((part) => part === "")) throw new CtlError(wrongForm);
  const [first = "", second] = parts;
  const path = word.slice(at + 1);
  return second === undefined ? { namespace: "", pod: first, path } : { namespace: first, pod: second, path };
}

/** What names in an archive begin with when tar has read this path: it leaves out what leads to the root or upwards. */
export function archivePrefix(path: string): string {
  const clean = posix.normalize(path).replace(/^\/+/, "");
  const inside = clean.replace(/^(\.\.?\/)+/, "").replace(/\/+$/, "");
  return inside === "." || inside === ".." ? "" : inside;
}

/**
 * Where an entry belongs inside of the destination, as its parts; [] is the destination itself. Undefined: not inside, so that the
 * archive is not what was asked for.
 */
export function placeOf(name: string, prefix: string): string[] | undefined {
  if (name.startsWith("/") || name.includes("\u0000")) return undefined;
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  const expected = prefix === "" ? [] : prefix.split("/");
  if (parts.includes("..") || expected.some((part, at) => parts[at] !== part)) return undefined;
  return parts.slice(expected.length);
}
