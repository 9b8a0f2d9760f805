/** Continue tokens: where a chunked list continues. The signed token contains everything; the server keeps no state. */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Family } from "../machinery/schema/catalog.ts";
import { badRequest } from "../machinery/status/status.ts";

interface Continuation {
  /** The revision of the list; undefined: the newest one when it continues. */
  readonly revision: bigint | undefined;
  /** The path of the last object that was returned. */
  readonly after: string;
  /** The text of the question that the list answers; absent: none. */
  readonly question?: string;
}

const macBytes = 16;
/** Longer than any token of ours: a namespace and a name, and a few words. */
const tokenCharsMax = 8_192;

export function sealToken(
  key: Uint8Array,
  family: Family,
  namespace: string,
  { revision, after, question = "" }: Continuation,
): string {
  const parts = [family.id, namespace, revision === undefined ? "" : `${revision}`, after];
  if (question !== "") parts.push(digest(question));
  const payload = Buffer.from(JSON.stringify(parts));
  return Buffer.concat([sign(key, payload), payload]).toString("base64url");
}

/** A token of another kind, namespace or question, or changed in any way is refused: it could point anywhere. */
export function openToken(
  key: Uint8Array,
  family: Family,
  namespace: string,
  token: string,
  question = "",
): Continuation {
  const refused = badRequest("continue is not a valid continue token of this list");
  if (token.length > tokenCharsMax) throw refused;
  const bytes = Buffer.from(token, "base64url");
  // Several texts decode to the same bytes; only the one we made is accepted.
  if (bytes.length <= macBytes || bytes.toString("base64url") !== token) throw refused;
  const payload = bytes.subarray(macBytes);
  if (!timingSafeEqual(sign(key, payload), bytes.subarray(0, macBytes))) throw refused;
  // Signed by us, so it is what sealToken made.
  const [name, within, revision, after, asked = ""] = JSON.parse(payload.toString()) as string[] &
    [string, string, string, string];
  if (name !== family.id || within !== namespace || asked !== (question && digest(question))) throw refused;
  return { revision: revision === "" ? undefined : BigInt(revision), after };
}

/** A question may be longer than a token. */
const digest = (question: string): string => createHash("sha256").update(question).digest("base64url").slice(0, 22);

function sign(key: Uint8Array, payload: Uint8Array): Buffer {
  return createHmac("sha256", key).update("continue\0").update(payload).digest().subarray(0, macBytes);
}
