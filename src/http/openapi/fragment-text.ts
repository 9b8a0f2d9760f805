/** What one kind adds to an OpenAPI v2 document, as text, and how documents and their parts are told apart. */

import { createHash } from "node:crypto";

/** What one kind adds: members of `paths` and of `definitions`, without braces. */
export interface FragmentText {
  readonly paths: Buffer;
  readonly definitions: Buffer;
  /** The document as a protobuf message. Undefined: no client has requested protobuf yet. */
  message: Buffer | undefined;
  readonly hash: string;
  /** The names of its definitions. */
  readonly names: readonly string[];
}

/** The digest of one definition, to distinguish equal ones from those that only have the same name. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

export function hashOf(...parts: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex").toUpperCase();
}
