/** The schemas of built-in kinds without a server, for strategic merges. */

import type { StructSchema } from "../../machinery/schema/schema.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import type { ProgramEnvironment } from "../environment.ts";
import { apiVersionOf, groupOf, type Json, kindOf } from "../json.ts";

/** The schema of an object's kind; undefined: the kind is not built in. */
export type SchemaOf = (object: Json) => StructSchema | undefined;

/** Kinds have the same merge keys in all their versions, and in both vocabularies. */
export async function declaredSchemas({ loadKinds }: ProgramEnvironment): Promise<SchemaOf> {
  const schemas = new Map<string, StructSchema>();
  for (const { group, kind, schema } of (await loadKinds?.()) ?? [])
    for (const spoken of [group, kubernetes.group(group)]) schemas.set(`${spoken}/${kind}`, schema);
  return (object) => schemas.get(`${groupOf(apiVersionOf(object))}/${kindOf(object)}`);
}
