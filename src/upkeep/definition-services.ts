/**
 * Keeps an API service for every group and version that a definition serves. It belongs to the server and is marked as
 * such: a changed one is restored, one that is no longer needed is deleted. Other API services are left alone.
 */

import { CustomResourceDefinition } from "../api/apiextensions/v1/custom-resource-definition.ts";
import { automanagedLabel } from "../api/apiregistration/local-services.ts";
import { APIService } from "../api/apiregistration/v1/api-service.ts";
import type { APIServiceSpec } from "../api/apiregistration/v1/api-service-spec.ts";
import { sameJson } from "../machinery/json/json-value.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { Entry } from "../registry/contract/entry.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import type { RunningUpkeep, UpkeepParts } from "./contract.ts";
import { createWork } from "./work.ts";

/** The priority of groups that definitions serve: lower than that of the built-in ones. */
const priorities = { groupPriorityMinimum: 1000, versionPriority: 100 };
/** Marks an API service that is kept all the time, not only created at a start. */
const always = "true";

export function keepDefinitionServices({ registry, catalog, clock, log }: UpkeepParts): RunningUpkeep {
  const { vocabulary } = catalog.environment;
  const definitions = catalog.of(CustomResourceDefinition);
  const services = catalog.of(APIService);

  const label = vocabulary.word(automanagedLabel);
  const context = serverWrites("services of definitions", vocabulary);
  /**
   * By the name of the definition, the services that it needs, as last observed; and by their names, the definitions
   * that need them.
   */
  const known = new Map<string, ReadonlyMap<string, APIServiceSpec>>();
  const servers = new Map<string, Set<string>>();
  const wanted = (name: string): APIServiceSpec | undefined => {
    const [definition] = servers.get(name) ?? [];
    return definition === undefined ? undefined : known.get(definition)?.get(name);
  };
  const work = createWork({
    name: "API services of definitions",
    clock,
    async work(name) {
      const ref = { namespace: "", name };
      const spec = wanted(name);
      const current = registry.peek(services, ref)?.object();
      if (current === undefined) {
        const metadata = { name, labels: { [label]: always } };
        if (spec !== undefined) await registry.create(services, { metadata, spec }, ref, context);
        return;
      }
      if (current.metadata.labels?.[label] !== always) return; // it belongs to a user
      if (spec === undefined) {
        const preconditions = { uid: current.metadata.uid ?? "" };
        await registry.delete(services, ref, { preconditions }, context);
      } else if (!sameJson(current.spec, spec)) {
        const change = (object: APIService | undefined): APIService => ({ ...(object ?? current), spec });
        await registry.update(services, ref, change, context, { retry: true });
      }
    },
    failed(service, error) {
      // Another server of the same store, or a user, was faster; the next check will show it.
      if (error instanceof StatusError && error.code < 500) return;
      log.warn("the API service of a definition was not written", { service, error });
    },
  });

  const namesOf = (definition: string) => [...(known.get(definition)?.keys() ?? [])];
  const follow = (entry: Entry<CustomResourceDefinition>, deleted: boolean) => {
    const before = namesOf(entry.name);
    if (deleted) known.delete(entry.name);
    else known.set(entry.name, neededServices(entry.object()));
    const after = namesOf(entry.name);
    for (const service of before) {
      const left = servers.get(service);
      left?.delete(entry.name);
      if (left?.size === 0) servers.delete(service);
    }
    for (const service of after) servers.set(service, (servers.get(service) ?? new Set()).add(entry.name));
    for (const service of new Set([...before, ...after])) work.add(service);
  };
  const stops = [
    registry.observe(definitions, ({ entry, deleted }) => follow(entry, deleted)),
    registry.observe(services, ({ entry }) => {
      if (entry.labels.get(label) === always) work.add(entry.name);
    }),
  ];
  for (const entry of registry.peekAll(definitions)) follow(entry, false);
  for (const { name, labels } of registry.peekAll(services)) if (labels.get(label) === always) work.add(name);
  return {
    close() {
      for (const stop of stops) stop();
      return work.close();
    },
  };
}

/** One for each version that is served, by name. */
function neededServices({ spec }: CustomResourceDefinition): ReadonlyMap<string, APIServiceSpec> {
  const { group } = spec;
  const served = (spec.versions ?? []).filter((version) => version.served);
  return new Map(served.map(({ name }) => [`${name}.${group}`, { group, version: name, ...priorities }]));
}
