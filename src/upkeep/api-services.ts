/**
 * Keeps the Available condition of API services that name a service: as long as the service, its port or its addresses
 * are missing, nobody can answer.
 */

import { APIService, availableCondition } from "../api/apiregistration/v1/api-service.ts";
import { Endpoints } from "../api/core/v1/endpoints.ts";
import { Service } from "../api/core/v1/service.ts";
import { timeText } from "../machinery/values/time.ts";
import type { Entry } from "../registry/contract/entry.ts";
import type { RunningUpkeep, UpkeepParts } from "./contract.ts";
import { type Condition, createStatusWork, withCondition } from "./write-status.ts";

export function keepApiServices(parts: UpkeepParts): RunningUpkeep {
  const { registry, catalog, clock, log } = parts;
  const kind = catalog.of(APIService);
  const services = catalog.of(Service);
  const endpoints = catalog.of(Endpoints);

  const nextStatus = ({ spec, status }: APIService) => {
    const wanted = spec?.service;
    if (wanted === undefined) return undefined; // this server's own, available from the start
    const { namespace = "", name = "", port = 443 } = wanted;
    const condition = obstacle(
      { namespace, name, port },
      registry.peek(services, { namespace, name })?.object(),
      registry.peek(endpoints, { namespace, name })?.object(),
    );
    // Whether the service answers is for whoever forwards requests to it to say.
    if (condition === undefined) return undefined;
    const conditions = withCondition(status?.conditions ?? [], condition, timeText(clock.now()));
    return conditions && { ...status, conditions };
  };
  const work = createStatusWork(parts, {
    kind,
    purpose: "conditions",
    next: nextStatus,
    failed: (service, error) => log.warn("the condition of an API service was not written", { service, error }),
  });
  /** Names of API services by the service they name: "namespace/name". */
  const users = new Map<string, Set<string>>();
  const usedBy = new Map<string, string>();
  const note = (name: string, service: string | undefined) => {
    const before = usedBy.get(name);
    if (before === service) return;
    if (before !== undefined) users.get(before)?.delete(name);
    if (service === undefined) return void usedBy.delete(name);
    usedBy.set(name, service);
    const names = users.get(service) ?? new Set();
    users.set(service, names.add(name));
  };
  const follow = (entry: Entry<APIService>, deleted: boolean) => {
    const { spec } = entry.object();
    const service = spec?.service && `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`;
    note(entry.name, deleted ? undefined : service);
    if (!deleted && service !== undefined) work.touch(entry.name);
  };
  const touchUsers = ({ entry }: { readonly entry: { readonly namespace: string; readonly name: string } }) => {
    for (const name of users.get(`${entry.namespace}/${entry.name}`) ?? []) work.touch(name);
  };
  const stops = [
    registry.observe(kind, ({ entry, deleted }) => follow(entry, deleted)),
    registry.observe(services, touchUsers),
    registry.observe(endpoints, touchUsers),
  ];
  for (const entry of registry.peekAll(kind)) follow(entry, false);
  return {
    close() {
      for (const stop of stops) stop();
      return work.close();
    },
  };
}

/** What keeps requests from being forwarded; undefined: nothing that objects could tell. */
export function obstacle(
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
  service: Pick<Service, "spec"> | undefined,
  endpoints: Pick<Endpoints, "subsets"> | undefined,
): Condition | undefined {
  const unavailable = (reason: string, message: string): Condition => ({
    type: availableCondition,
    status: "False",
    reason,
    message,
  });
  const shown = `service ${namespace}/${name}`;
  if (service === undefined) return unavailable("ServiceNotFound", `${shown} does not exist`);
  if (service.spec?.type !== "ClusterIP") return undefined;
  const open = (service.spec.ports ?? []).find((one) => one.port === port);
  if (open === undefined) return unavailable("ServicePortError", `${shown} does not listen on port ${port}`);
  if (endpoints === undefined) return unavailable("EndpointsNotFound", `${shown} has no endpoints`);
  const isActive = (endpoints.subsets ?? []).some(
    ({ addresses, ports }) =>
      (addresses ?? []).length > 0 && (ports ?? []).some((one) => (one.name ?? "") === (open.name ?? "")),
  );
  if (isActive) return undefined;
  return unavailable("MissingEndpoints", `endpoints of ${shown} have no addresses with port name "${open.name ?? ""}"`);
}
