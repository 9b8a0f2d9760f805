/** The Endpoints object of a service with a selector. */

import {
  type EndpointAddress,
  type EndpointPort,
  type EndpointSubset,
  Endpoints,
} from "../../api/core/v1/endpoints.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Service } from "../../api/core/v1/service.ts";
import type { Steps } from "../../base/time-slice.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { ControllerContext } from "../contract.ts";
import { isDeleting, isPodReady } from "../parts/pods/state.ts";
import {
  addressOf,
  createPodPorts,
  hostnameOf,
  isHeadless,
  mayServe,
  targetOf,
} from "../parts/services/pod-endpoints.ts";
import { repackSubsets } from "../parts/services/subsets.ts";
import { create, messageOf, type Plan, type PlannedEvent, update } from "../plan.ts";
import { isOverCapacity, truncateSubsets } from "./capacity.ts";

interface EndpointKeys {
  readonly headless: string;
  readonly triggerTime: string;
  readonly overCapacity: string;
  /** The annotation of a service that publishes pods which are not ready. Absent: there is none. */
  readonly tolerateUnready?: string | undefined;
  /** Whether pods that have ended count. */
  readonly hasEnded: boolean;
  /** The label that says who wrote the object. Absent: it has none. */
  readonly managedBy?: string | undefined;
  /** Whether addresses beyond the capacity are left out. */
  readonly truncates: boolean;
}

/** The value of that label. */
const manager = "endpoint-controller";

/** `has`: what controllers do at the level of the server. */
export const endpointKeys = (vocabulary: Vocabulary, has: ControllerContext["has"] = () => false): EndpointKeys => ({
  truncates: has("truncatedEndpoints"),
  hasEnded: has("endedEndpoints"),
  managedBy: has("labelledEndpoints") ? vocabulary.word("endpoints.orch.io/managed-by") : undefined,
  headless: vocabulary.word("service.orch.io/headless"),
  triggerTime: vocabulary.word("endpoints.orch.io/last-change-trigger-time"),
  overCapacity: vocabulary.word("endpoints.orch.io/over-capacity"),
  tolerateUnready: has("unreadyAnnotation")
    ? vocabulary.word("service.alpha.orch.io/tolerate-unready-endpoints")
    : undefined,
});

interface EndpointsInput {
  readonly service: Service;
  /** Those that the service selects. */
  readonly pods: readonly Pod[];
  readonly current: Endpoints | undefined;
  readonly triggerTime: string | undefined;
}

/** A service without a selector, and one that is only a name, has endpoints that somebody else manages. */
export function* planEndpoints(input: EndpointsInput, keys: EndpointKeys): Steps<Plan | undefined> {
  const next = yield* desiredEndpoints(input, keys);
  if (next === undefined) return undefined;
  const isNew = input.current === undefined;
  const refused = (error: unknown): PlannedEvent | undefined => {
    if (hasReason(error, "Conflict")) return undefined;
    const reason = isNew ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint";
    const what = `${isNew ? "create" : "update"} endpoint for service ${keyOf(input.service)}`;
    return { type: "Warning", reason, message: `Failed to ${what}: ${messageOf(error)}` };
  };
  const extras = { refused, tolerates: ["NamespaceTerminating"] } as const;
  return {
    about: { ...next, apiVersion: "v1", kind: "Endpoints" },
    writes: [isNew ? create(Endpoints, next, extras) : update(Endpoints, next, extras)],
  };
}

/** What to create or update; undefined: nothing changes. */
export function* desiredEndpoints(input: EndpointsInput, keys: EndpointKeys): Steps<Endpoints | undefined> {
  const { service, pods, current, triggerTime } = input;
  const all = yield* repackSubsets(yield* subsetsOf(service, pods, keys));
  yield;
  const subsets = keys.truncates ? truncateSubsets(all) : all;
  const labels = { ...service.metadata.labels };
  if (isHeadless(service)) labels[keys.headless] = "";
  else delete labels[keys.headless];
  if (keys.managedBy !== undefined) labels[keys.managedBy] = manager;
  const { [keys.triggerTime]: _, [keys.overCapacity]: __, ...others } = current?.metadata.annotations ?? {};
  const over = isOverCapacity(all) ? { [keys.overCapacity]: keys.truncates ? "truncated" : "warning" } : {};
  if (current !== undefined && isSame(current, subsets, labels, over[keys.overCapacity], keys)) return undefined;
  const annotations = { ...others, ...over, ...(triggerTime === undefined ? {} : { [keys.triggerTime]: triggerTime }) };
  const { name = "", namespace } = service.metadata;
  const identity = current?.metadata ?? { name, ...(namespace === undefined ? {} : { namespace }) };
  return { ...current, metadata: { ...identity, labels, annotations }, subsets };
}

function* subsetsOf(service: Service, pods: readonly Pod[], keys: EndpointKeys): Steps<EndpointSubset[]> {
  const { ports = [], publishNotReadyAddresses = false, clusterIP } = service.spec ?? {};
  const isTolerant = (key: string) => service.metadata.annotations?.[key] === "true";
  const publishesAll =
    publishNotReadyAddresses || (keys.tolerateUnready !== undefined && isTolerant(keys.tolerateUnready));
  const subsets: EndpointSubset[] = [];
  const portsOf = createPodPorts(ports, portFor);
  for (const pod of pods) {
    yield;
    const ip = addressOf(pod, service);
    if (ip === undefined || (!publishesAll && isDeleting(pod))) continue;
    const isReady = publishesAll || isPodReady(pod);
    // Where pods that have ended may count, those that still say that they are ready do, whatever their restart policy.
    if ((!isReady || !keys.hasEnded) && !mayServe(pod, { terminating: publishesAll, ended: keys.hasEnded })) continue;
    const address = addressFor(pod, service, ip);
    const list = portsOf(pod);
    if (list.length === 0 && (ports.length > 0 || clusterIP !== "None")) continue;
    // The same list for all pods that have the same ports: nothing changes it.
    subsets.push({ [isReady ? "addresses" : "notReadyAddresses"]: [address], ports: list as EndpointPort[] });
  }
  return subsets;
}

function addressFor(pod: Pod, service: Service, ip: string): EndpointAddress {
  const hostname = hostnameOf(pod, service);
  const { nodeName } = pod.spec ?? {};
  return {
    ip,
    ...(nodeName ? { nodeName } : {}),
    targetRef: targetOf(pod),
    ...(hostname === undefined ? {} : { hostname }),
  };
}

type ServicePorts = NonNullable<NonNullable<Service["spec"]>["ports"]>;

const portFor = ({ name, protocol = "TCP", appProtocol }: ServicePorts[number], port: number): EndpointPort => ({
  ...(name ? { name } : {}),
  port,
  protocol,
  ...(appProtocol === undefined ? {} : { appProtocol }),
});

/** The revision of a pod in an address is ignored: most changes of pods do not matter here. */
function isSame(
  current: Endpoints,
  subsets: readonly EndpointSubset[],
  labels: Record<string, string>,
  overCapacity: string | undefined,
  keys: EndpointKeys,
): boolean {
  return (
    sameValue(withoutRevisions(current.subsets ?? []), withoutRevisions(subsets)) &&
    sameValue(current.metadata.labels ?? {}, labels) &&
    current.metadata.annotations?.[keys.overCapacity] === overCapacity
  );
}

function withoutRevisions(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const bare = (addresses: readonly EndpointAddress[] = []) =>
    addresses.map(({ targetRef, ...address }) => ({
      ...address,
      ...(targetRef === undefined ? {} : { targetRef: { ...targetRef, resourceVersion: "" } }),
    }));
  return subsets.map(({ addresses, notReadyAddresses, ports = [] }) => ({
    addresses: bare(addresses),
    notReadyAddresses: bare(notReadyAddresses),
    ports,
  }));
}
