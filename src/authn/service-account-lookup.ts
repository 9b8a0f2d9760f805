/** What service-account tokens are checked against: the account, Secret or pod they name must still be the same. */

import type { Catalog, Family } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Registry } from "../registry/contract.ts";

export interface AccountLookup {
  account(namespace: string, name: string): ApiObject | undefined;
  secret(namespace: string, name: string): ApiObject | undefined;
  pod(namespace: string, name: string): ApiObject | undefined;
}

/** Answers from what this process knows, at once: a deleted account loses its tokens with the next request. */
export function createAccountLookup(registry: Pick<Registry, "peek">, catalog: Catalog): AccountLookup {
  const family = (resource: string): Family => {
    const kind = catalog.byResource("", "v1", resource);
    if (kind === undefined) throw new Error(`the catalog has no ${resource}, which token checks need`);
    return kind.family;
  };
  const accounts = family("serviceaccounts");
  const secrets = family("secrets");
  const pods = family("pods");
  const peek = (from: Family) => (namespace: string, name: string) =>
    registry.peek(from, { namespace, name })?.object();
  return { account: peek(accounts), secret: peek(secrets), pod: peek(pods) };
}

/** The bytes of one key of a Secret as text; undefined: there is no such key. */
export function secretText(secret: ApiObject, key: string): string | undefined {
  const { data } = secret;
  if (typeof data !== "object" || data === null || !Object.hasOwn(data, key)) return undefined;
  const value = (data as Record<string, unknown>)[key]; // own, as checked
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : undefined;
}
