/** Whom credentials name, without a request: the server alone decides who the caller is, but early releases do not tell. */

import { X509Certificate } from "node:crypto";
import type { ClientAccess } from "../../client/config/access.ts";
import { text } from "../json.ts";

export interface NamedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Undefined: the credentials name nobody. */
export function namedUser(access: ClientAccess): NamedUser | undefined {
  const { impersonate, tls, token, basic } = access;
  if (impersonate !== undefined) return { name: impersonate.user, groups: impersonate.groups };
  if (token !== undefined) return accountOf(token());
  if (basic !== undefined) return { name: basic.username, groups: [] };
  return tls.cert === undefined ? undefined : subjectOf(tls.cert);
}

function subjectOf(certificate: string): NamedUser {
  const parts = new X509Certificate(certificate).subject
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
  const values = (key: string) => parts.filter(([name]) => name === key).map(([, value]) => value);
  return { name: values("CN")[0] ?? "", groups: [...values("O"), "system:authenticated"] };
}

/** Tokens of service accounts say whose they are; what the subject of another issuer's token becomes is the server's choice. */
function accountOf(token: string): NamedUser | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const name = text(claims, "sub");
    return name.startsWith("system:serviceaccount:") ? { name, groups: [] } : undefined;
  } catch {
    return undefined;
  }
}
