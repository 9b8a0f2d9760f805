/** Reads signed tokens: three parts, signed by one of our keys; the header can choose only which of the keys. */

import { compactVerify } from "jose";
import type { VerificationKey } from "./signing-keys.ts";

/** Longer tokens are refused before any part of them is read. */
export const tokenCharsMax = 16 * 1024;

export type JwtClaims = Readonly<Record<string, unknown>>;

interface Parts {
  readonly header: JwtClaims;
  readonly claims: JwtClaims;
}

/** The parts before any signature is checked. Undefined: not a token of this form. Nothing in it may be trusted. */
export function peekToken(token: string): Parts | undefined {
  if (token.length > tokenCharsMax) return undefined;
  const parts = token.split(".");
  if (parts.length !== 3 || !parts.every(isCanonicalBase64Url)) return undefined;
  const header = readObject(parts[0]!);
  const claims = readObject(parts[1]!);
  return header && claims && { header, claims };
}

/**
 * The claims of a token that one of the keys has signed; undefined: none has. Times are not checked here. The key with
 * the id that the header names comes first, but the header decides nothing: each key accepts its own algorithm only.
 */
export async function verifyToken(token: string, keys: readonly VerificationKey[]): Promise<JwtClaims | undefined> {
  const peeked = peekToken(token);
  if (peeked === undefined) return undefined;
  const named = keys.filter((key) => key.id === peeked.header.kid);
  for (const { key, algorithm } of named.length > 0 ? named : keys) {
    if (algorithm !== peeked.header.alg) continue;
    try {
      await compactVerify(token, key, { algorithms: [algorithm] });
      return peeked.claims;
    } catch {
      // Not signed by this key; the reason would not help the sender.
    }
  }
  return undefined;
}

/** Allows for clocks that differ between machines. */
export const leewayMs = 60_000;

/** Whether the token may be used now. A time that is not a plain number makes it unusable. */
export function isTimely(claims: JwtClaims, nowMs: number): boolean {
  const { exp, nbf, iat } = claims;
  for (const time of [exp, nbf, iat]) {
    if (time !== undefined && !(typeof time === "number" && Number.isFinite(time))) return false;
  }
  const at = (time: unknown, missing: number) => (typeof time === "number" ? time * 1000 : missing);
  const begins = Math.max(at(nbf, Number.NEGATIVE_INFINITY), at(iat, Number.NEGATIVE_INFINITY));
  return nowMs + leewayMs >= begins && nowMs - leewayMs <= at(exp, Number.POSITIVE_INFINITY);
}

/** `aud` is a text or a list of them; undefined: it is neither. Absent: empty. */
export function audiencesOf(claims: JwtClaims): readonly string[] | undefined {
  const { aud } = claims;
  if (aud === undefined) return [];
  if (typeof aud === "string") return [aud];
  return Array.isArray(aud) && aud.every((audience) => typeof audience === "string") ? aud : undefined;
}

/** Without padding, and without bits that decoding would drop: one token has one spelling. */
function isCanonicalBase64Url(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text) && Buffer.from(text, "base64url").toString("base64url") === text;
}

function readObject(part: string): JwtClaims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    // A parsed object has only text keys; its readers read own properties by known names.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JwtClaims) : undefined;
  } catch {
    return undefined;
  }
}
