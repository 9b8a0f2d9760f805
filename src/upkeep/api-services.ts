/**
 * Keeps the Available condition of API services that name a service: whether the service, its port and its addresses
 * exist, and whether the server behind them answers.
 */

import { APIService, availableCondition } from "../api/apiregistration/v1/api-service.ts";
import { Endpoints } from "../api/core/v1/endpoints.ts";
import { Service } from "../api/core/v1/service.ts";
import type { ServiceSubset } from "../api/discovery/service-subset.ts";
import { EndpointSlice } from "../api/discovery/v1/endpoint-slice.ts";
import { timeText } from "../machinery/values/time.ts";
import type { Entry } from "../registry/contract/entry.ts";
import { createCheckRounds } from "./check-rounds.ts";
import type { RunningUpkeep, UpkeepParts } from "./contract.ts";
import { type Condition, createStatusWork, withCondition } from "./write-status.ts";

export function keepApiServices(parts: UpkeepParts): RunningUpkeep {
  const { registry, catalog, clock, log } = parts;
  /** The result of the last check of each server, by the name of its API service. */
  const checks = new Map<string, Condition>();
  const kind = catalog.of(APIService);
  const services = catalog.of(Service);
  const endpoints = catalog.of(Endpoints);
  const slices = catalog.of(EndpointSlice);
  const serviceLabel = catalog.environment.vocabulary.word("orch.io/service-name");

  const nextStatus = ({ metadata, spec, status }: APIService) => {
    const wanted = spec?.service;
    if (wanted === undefined) return undefined; // served by this server, available from the start
    const { namespace = "", name = "", port = 443 } = wanted;
    const missing = obstacle(
      { namespace, name, port },
      registry.peek(services, { namespace, name })?.object(),
      parts.serviceSubsets({ namespace, name }),
    );
    const condition = missing ?? checks.get(metadata.name ?? "");
    if (condition === undefined) return undefined; // the check is in progress
    const conditions = withCondition(status?.conditions ?? [], condition, timeText(clock.now()));
    return conditions && { ...status, conditions };
  };
  const work = createStatusWork(parts, {
    kind,
    purpose: "conditions",
    next: nextStatus,
    failed: (service, error) => log.warn("the condition of an API service was not written", { service, error }),
  });
  const check = async (name: string): Promise<boolean> => {
    const service = registry.peek(kind, { namespace: "", name })?.object();
    if (service?.spec?.service === undefined) return true;
    const condition = await answerOf(parts, service);
    checks.set(name, condition);
    work.add(name);
    return condition.status === "True";
  };
  const rounds = createCheckRounds(clock, check);

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
    if (deleted || service === undefined) {
      checks.delete(entry.name);
      rounds.forget(entry.name);
      return;
    }
    work.add(entry.name);
    rounds.begin(entry.name, entry.object().spec);
  };
  const touchUsers = ({ entry }: { readonly entry: { readonly namespace: string; readonly name: string } }) => {
    for (const name of users.get(`${entry.namespace}/${entry.name}`) ?? []) {
      work.add(name);
      rounds.soon(name);
    }
  };
  const stops = [
    registry.observe(kind, ({ entry, deleted }) => follow(entry, deleted)),
    registry.observe(services, touchUsers),
    registry.observe(endpoints, touchUsers),
    registry.observe(slices, ({ entry: { namespace, labels } }) =>
      touchUsers({ entry: { namespace, name: labels.get(serviceLabel) ?? "" } }),
    ),
  ];
  for (const entry of registry.peekAll(kind)) follow(entry, false);
  return {
    close() {
      for (const stop of stops) stop();
      rounds.close();
      return work.close();
    },
  };
}

async function answerOf(parts: UpkeepParts, service: APIService): Promise<Condition> {
  try {
    await parts.checkApiServer(service);
    return { type: availableCondition, status: "True", reason: "Passed", message: "all checks passed" };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { type: availableCondition, status: "False", reason: "FailedDiscoveryCheck", message };
  }
}

/** What prevents requests from being forwarded; undefined: nothing that objects show. */
export function obstacle(
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
  service: Pick<Service, "spec"> | undefined,
  subsets: readonly ServiceSubset[] | undefined,
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
  if (subsets === undefined) return unavailable("EndpointsNotFound", `${shown} has no endpoints`);
  const isActive = subsets.some(
    ({ addresses, ports }) => addresses.length > 0 && ports.some(({ name: port }) => port === (open.name ?? "")),
  );
  if (isActive) return undefined;
  return unavailable("MissingEndpoints", `endpoints of ${shown} have no addresses with port name "${open.name ?? ""}"`);
}
