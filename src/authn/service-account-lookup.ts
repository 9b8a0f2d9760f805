/** What service-account tokens are checked against: the account, Secret, pod or node they name must still be the same. */

import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { Secret } from "../api/core/v1/secret.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Registry } from "../registry/contract/registry.ts";

export interface AccountLookup {
  account(namespace: string, name: string): ApiObject | undefined;
  secret(namespace: string, name: string): ApiObject | undefined;
  pod(namespace: string, name: string): ApiObject | undefined;
  node(name: string): ApiObject | undefined;
}

/** Answers at once from the cache: the tokens of a deleted account fail with the next request. */
export function createAccountLookup(registry: Pick<Registry, "peek">, catalog: Catalog): AccountLookup {
  const peek =
    <T extends ApiObject>(kind: BoundKind<T>) =>
    (namespace: string, name: string) =>
      registry.peek(kind, { namespace, name })?.object();
  const node = peek(catalog.of(Node));
  return {
    account: peek(catalog.of(ServiceAccount)),
    secret: peek(catalog.of(Secret)),
    pod: peek(catalog.of(Pod)),
    node: (name) => node("", name),
  };
}

/** The bytes of one key of a Secret as text; undefined: the key does not exist. */
export function secretText(secret: ApiObject, key: string): string | undefined {
  const { data } = secret;
  if (typeof data !== "object" || data === null || !Object.hasOwn(data, key)) return undefined;
  const value = (data as Record<string, unknown>)[key]; // own, as checked
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : undefined;
}
