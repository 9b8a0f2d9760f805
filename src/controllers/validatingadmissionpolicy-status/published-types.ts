/** Reads from the server which kinds the resources of a policy have, and their schemas. */

import type { CheckedKind } from "../../api/admissionregistration/v1/type-check.ts";
import type { Client } from "../../client/contract.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import { resolveSchema } from "../../machinery/openapi/resolve-schema.ts";
import { checkedKindsMax, type NamedResource } from "./matched-resources.ts";

export async function kindsOf(client: Client, resources: readonly NamedResource[]): Promise<readonly CheckedKind[]> {
  const found: CheckedKind[] = [];
  for (const { group, version: given, resource } of resources) {
    for (const version of given === "*" ? await versionsOf(client, group) : [given]) {
      if (found.length >= checkedKindsMax) return found;
      const kind = await kindOf(client, { group, version, resource });
      const schema = kind === undefined ? undefined : await schemaOf(client, { group, version, kind });
      if (schema !== undefined) found.push({ label: `${apiVersionOf(group, version)}, Kind=${kind}`, schema });
    }
  }
  return found;
}

/** Undefined: the server does not publish one. */
export async function schemaOf(
  client: Client,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
): Promise<JsonSchema | undefined> {
  const document = await read(client, `/openapi/v3${pathOf(kind.group, kind.version)}`);
  return document && resolveSchema(document, kind);
}

async function kindOf(client: Client, { group, version, resource }: NamedResource): Promise<string | undefined> {
  const list = await read(client, pathOf(group, version));
  const resources: unknown = list?.["resources"];
  const found = Array.isArray(resources)
    ? resources.find((one) => isObject(one) && one["name"] === resource)
    : undefined;
  const kind: unknown = isObject(found) ? found["kind"] : undefined;
  return typeof kind === "string" ? kind : undefined;
}

async function versionsOf(client: Client, group: string): Promise<readonly string[]> {
  if (group === "") return ["v1"];
  const versions: unknown = (await read(client, `/apis/${group}`))?.["versions"];
  if (!Array.isArray(versions)) return [];
  return versions.flatMap((one) => (isObject(one) && typeof one["version"] === "string" ? [one["version"]] : []));
}

const apiVersionOf = (group: string, version: string) => (group === "" ? version : `${group}/${version}`);
const pathOf = (group: string, version: string) => (group === "" ? `/api/${version}` : `/apis/${group}/${version}`);

/** Undefined: the server does not have it. */
async function read(client: Client, path: string): Promise<JsonObject | undefined> {
  const response = await client.fetch(path, { headers: { accept: "application/json" } });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}`);
  const value = await response.json();
  return isObject(value) ? value : undefined;
}
