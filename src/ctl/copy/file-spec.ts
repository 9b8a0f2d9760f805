/** Where a copy begins or ends: `[[NAMESPACE/]POD:]PATH`. */

import { posix } from "node:path";
import { CtlError } from "../errors.ts";

export interface FileSpec {
  /** "": the namespace of the request. */
  readonly namespace: string;
  /** "": a local path. */
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

/** The prefix that tar gives to the names in an archive of this path: it drops leading slashes and parent folders. */
export function archivePrefix(path: string): string {
  const clean = posix.normalize(path).replace(/^\/+/, "");
  const inside = clean.replace(/^(\.\.?\/)+/, "").replace(/\/+$/, "");
  return inside === "." || inside === ".." ? "" : inside;
}

/**
 * The path of an entry within the destination, as its parts; [] is the destination itself. Undefined: it is outside, so
 * the archive is not the requested one.
 */
export function placeOf(name: string, prefix: string): string[] | undefined {
  if (name.startsWith("/") || name.includes("\u0000")) return undefined;
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  const expected = prefix === "" ? [] : prefix.split("/");
  if (parts.includes("..") || expected.some((part, at) => parts[at] !== part)) return undefined;
  return parts.slice(expected.length);
}
