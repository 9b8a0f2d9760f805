/** Reads bootstrap tokens from Secrets, for the controllers that sign with them and delete them. */

import type { Secret } from "../../../api/core/v1/secret.ts";
import { parseInstant } from "../../../machinery/values/time.ts";

const secretForm = /^[a-z0-9]{16}$/;
const nameForm = /^bootstrap-token-([a-z0-9]{6})$/;

export interface SigningToken {
  readonly id: string;
  readonly secret: string;
}

/** The token, if it may sign now; undefined: it may not. `type` is the Secret type of bootstrap tokens. */
export function signingToken(secret: Secret, type: string, nowMs: number): SigningToken | undefined {
  if (secret.type !== type || secret.metadata.deletionTimestamp) return undefined;
  const [, named] = nameForm.exec(secret.metadata.name ?? "") ?? [];
  const id = textOf(secret, "token-id");
  const text = textOf(secret, "token-secret");
  if (named === undefined || id !== named || !secretForm.test(text)) return undefined;
  if (textOf(secret, "usage-bootstrap-signing") !== "true") return undefined;
  const leftMs = timeLeft(secret, nowMs);
  return leftMs !== undefined && leftMs <= 0 ? undefined : { id, secret: text };
}

/** Milliseconds until the token expires; undefined: never. A time that cannot be read counts as passed. */
export function timeLeft(secret: Secret, nowMs: number): number | undefined {
  const text = textOf(secret, "expiration");
  if (text === "") return undefined;
  const end = parseInstant(text);
  return end === undefined ? 0 : end.seconds * 1_000 - nowMs;
}

function textOf({ data = {} }: Secret, key: string): string {
  return Object.hasOwn(data, key) ? Buffer.from(data[key] ?? "", "base64").toString("utf8") : "";
}
