/** Where entries of an archive belong: their names in the path that was asked for. */

import { posix } from "node:path";

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
