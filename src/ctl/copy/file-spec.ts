/** Where a copy begins or ends: `[[NAMESPACE/]POD:]PATH`. */

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
