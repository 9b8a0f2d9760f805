/** Warns of members of a body that are dropped because the level of the server is lower than the release they came with. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { newestLevel } from "../../machinery/schema/levels.ts";
import type { Call } from "../request/call.ts";

/** `bytes` are JSON or YAML, of an object or of a patch. */
export function warnOfMissed(call: Pick<Call, "warn">, kind: BoundKind, bytes: Buffer): void {
  const { missedBefore } = kind.declaration;
  if (missedBefore === undefined) return;
  const { environment } = kind.family;
  for (const [member, release] of Object.entries(missedBefore)) {
    if (environment.since(release)) continue;
    const name = member.replace(/^x-orch-/, environment.vocabulary.extensionPrefix);
    if (!hasMember(bytes, name)) continue;
    call.warn(
      `${name} is dropped at level ${environment.level}; start the server with --emulated-version=${newestLevel} to keep it`,
    );
  }
}

/** Whether the name is that of a member somewhere: a colon follows, after a quote and spaces. */
function hasMember(bytes: Buffer, name: string): boolean {
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + name.length)) {
    let end = at + name.length;
    while (end < bytes.length && between.has(bytes[end] as number)) end++;
    if (bytes[end] === colon) return true;
  }
  return false;
}

const colon = ":".charCodeAt(0);
const between: ReadonlySet<number> = new Set(Buffer.from("\"' \t\r\n"));
