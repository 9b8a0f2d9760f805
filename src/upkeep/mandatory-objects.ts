/** The objects that every server needs: every minute, deleted ones are created again and changed ones get their fixed content. */

import { mandatoryLevels, mandatorySchemas } from "../api/flowcontrol/v1beta1/built-in.ts";
import { FlowSchema } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import { PriorityLevelConfiguration } from "../api/flowcontrol/v1beta1/priority-level-configuration.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import { createMake, type MakeParts, makeMandatoryFlowControl, makeNamespaces } from "./bootstrap.ts";

export const remakeIntervalMs = 60_000;

export async function remakeMandatoryObjects(parts: MakeParts): Promise<void> {
  const make = createMake(parts);
  await makeNamespaces(make, parts.catalog.environment.vocabulary);
  await makeMandatoryFlowControl(make);
  await restore(parts, PriorityLevelConfiguration, mandatoryLevels);
  await restore(parts, FlowSchema, mandatorySchemas);
}

/** Validation knows which content they may have, so only a store of another release can have other content. */
async function restore<T extends ApiObject & { spec?: object }>(
  { registry, catalog }: MakeParts,
  declared: Kind<T>,
  specs: ReadonlyMap<string, object>,
): Promise<void> {
  const kind = catalog.of(declared);
  const context = serverWrites("flow control objects", catalog.environment.vocabulary);
  for (const [name, spec] of specs) {
    const ref = { namespace: "", name };
    const entry = registry.peek(kind, ref);
    if (entry === undefined) continue;
    const object = entry.version.toHub(entry.object()) as T; // of the family of `declared`, whose hub it is
    if (kind.strategy.validate?.(object, catalog.environment).length === 0) continue;
    await registry.update(kind, ref, (current) => ({ ...(current as T), spec: structuredClone(spec) }), context, {
      retry: true,
    });
  }
}
