/** Describes flags that have no effect without another one. */

import type { ApiServerFlags } from "../programs/apiserver.ts";

/** What is said about a provider that is not named. */
const withIssuerOnly = [
  "oidc-ca-file",
  "oidc-groups-claim",
  "oidc-groups-prefix",
  "oidc-required-claim",
  "oidc-username-prefix",
] as const;

/** Sentences. The reference starts with them as well, and says nothing. */
export function unusedChoices(
  flags: Pick<ApiServerFlags, (typeof withIssuerOnly)[number] | "oidc-issuer-url">,
): string[] {
  if (flags["oidc-issuer-url"] !== "") return [];
  return withIssuerOnly
    .filter((name) => isGiven(flags[name]))
    .map((name) => `--${name} has no effect without --oidc-issuer-url: no token of a provider is accepted`);
}

const isGiven = (value: string | ReadonlyMap<string, string>): boolean =>
  typeof value === "string" ? value !== "" : value.size > 0;
