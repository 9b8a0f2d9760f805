/** The signatures that cluster-info must carry: one detached JWS for each bootstrap token that may sign. */

import { createHmac } from "node:crypto";
import type { SigningToken } from "../parts/bootstrap-tokens/secrets.ts";

const contentKey = "kubeconfig";
const signaturePrefix = "jws-kubeconfig-";

type Data = Readonly<Record<string, string>>;

/** The desired data; undefined: there is nothing to sign, or nothing changes. */
export function signClusterInfo(data: Data | undefined, tokens: readonly SigningToken[]): Data | undefined {
  const content = data?.[contentKey];
  if (data === undefined || content === undefined) return undefined;
  const wanted = new Map(
    tokens.map(({ id, secret }) => [signaturePrefix + id, detachedSignature(content, id, secret)]),
  );
  const next: Record<string, string> = {};
  for (const [key, value] of Object.entries(data)) if (!key.startsWith(signaturePrefix)) next[key] = value;
  for (const [key, value] of wanted) next[key] = value;
  const isRight =
    Object.keys(next).length === Object.keys(data).length && [...wanted].every(([key, value]) => data[key] === value);
  return isRight ? undefined : next;
}

/** RFC 7515 with a detached payload: clients with the token have the content too. */
export function detachedSignature(content: string, tokenId: string, tokenSecret: string): string {
  const header = base64Url(JSON.stringify({ alg: "HS256", kid: tokenId }));
  const signature = createHmac("sha256", tokenSecret)
    .update(`${header}.${base64Url(content)}`)
    .digest("base64url");
  return `${header}..${signature}`;
}

const base64Url = (text: string) => Buffer.from(text, "utf8").toString("base64url");
