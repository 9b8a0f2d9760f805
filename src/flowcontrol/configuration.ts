/** The flow schemas and priority levels that a server has at the moment, with the mandatory ones even when their objects are missing. */

import { mandatoryLevels, mandatorySchemas } from "../api/flowcontrol/v1beta1/built-in.ts";
import { FlowSchema } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import type { FlowSchemaSpec } from "../api/flowcontrol/v1beta1/flow-schema-spec.ts";
import { PriorityLevelConfiguration } from "../api/flowcontrol/v1beta1/priority-level-configuration.ts";
import type { PriorityLevelConfigurationSpec } from "../api/flowcontrol/v1beta1/priority-level-spec.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import type { ObjectMeta } from "../machinery/schema/object-meta.ts";
import type { Registry } from "../registry/contract/registry.ts";

export interface Configured<Spec> {
  readonly name: string;
  /** "": the object is missing. */
  readonly uid: string;
  readonly spec: Spec;
}

interface Configuration {
  readonly levels: ReadonlyMap<string, Configured<PriorityLevelConfigurationSpec>>;
  readonly schemas: readonly Configured<FlowSchemaSpec>[];
}

export interface ConfigurationSource {
  read(): Configuration;
  /** Calls back after each change; returns a function that stops it. */
  follow(callback: () => void): () => void;
}

export function createConfigurationSource(registry: Registry, catalog: Catalog): ConfigurationSource {
  return {
    read: () => ({
      levels: readKind(registry, catalog, PriorityLevelConfiguration, mandatoryLevels),
      schemas: [...readKind(registry, catalog, FlowSchema, mandatorySchemas).values()],
    }),
    follow(callback) {
      const stops = [
        registry.observe(catalog.of(FlowSchema), callback),
        registry.observe(catalog.of(PriorityLevelConfiguration), callback),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function readKind<Spec extends object>(
  registry: Registry,
  catalog: Catalog,
  declared: Kind<{ metadata: { name?: string; uid?: string }; spec?: Spec }>,
  mandatory: ReadonlyMap<string, object>,
): Map<string, Configured<Spec>> {
  const found = new Map<string, Configured<Spec>>();
  for (const [name, spec] of mandatory) found.set(name, { name, uid: "", spec: spec as Spec }); // a complete spec of the kind
  for (const entry of registry.peekAll(catalog.of(declared))) {
    // What is stored may be of a later version, and the specs above are those of the hub.
    const { metadata, spec } = entry.version.toHub(entry.object()) as { metadata: ObjectMeta; spec?: Spec };
    if (spec !== undefined) found.set(entry.name, { name: entry.name, uid: metadata.uid ?? "", spec });
  }
  return found;
}
