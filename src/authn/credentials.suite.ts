/** Credentials for tests of this room. */

import type { Authentication, AuthenticationOutcome, Credentials, PeerCertificate } from "./contract.ts";

export interface CredentialsSpec {
  /** A list: that many headers of the name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly certificate?: PeerCertificate | undefined;
  readonly remoteAddress?: string;
}

export function credentials({ headers = {}, certificate, remoteAddress = "" }: CredentialsSpec): Credentials {
  const table = new Map<string, readonly string[]>(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), typeof value === "string" ? [value] : value]),
  );
  return {
    header: (name) => table.get(name)?.[0],
    headerValues: (name) => table.get(name) ?? [],
    headerNames: () => [...table].flatMap(([name, values]) => values.map(() => name)),
    certificate,
    remoteAddress,
  };
}

export const bearer = (token: string): Credentials => credentials({ headers: { authorization: `Bearer ${token}` } });

export function accepted(outcome: AuthenticationOutcome): Authentication {
  if (outcome === undefined || outcome === "rejected") throw new Error(`not accepted, but ${outcome}`);
  return outcome;
}
