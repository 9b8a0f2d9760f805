/** The slices of a service with a selector: which to create, update and delete. */

import type { Node } from "../../api/core/v1/node.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { ServicePort } from "../../api/core/v1/service/spec.ts";
import type { Service } from "../../api/core/v1/service.ts";
import type { Endpoint, EndpointPort } from "../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { inTimeSlices, type Steps } from "../../base/time-slice.ts";
import type { ServedType } from "../../client/contract.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import { ipVersion } from "../../machinery/meta/names.ts";
import { controllerRef, isControlledBy } from "../parts/ownership/controller-ref.ts";
import { podNamePrefix } from "../parts/pods/from-template.ts";
import { isDeleting, isPodReady } from "../parts/pods/state.ts";
import {
  addressesOf,
  createPodPorts,
  hostnameOf,
  isHeadless,
  mayServe,
  targetOf,
} from "../parts/services/pod-endpoints.ts";
import type { SliceKeys } from "../parts/slices/keys.ts";
import { endpointKey, noChanges, pack, portsKey, reuseNames, type SliceChanges } from "../parts/slices/slice-set.ts";
import { withTriggerTime } from "../parts/slices/write.ts";
import { type NoHints, withZoneHints, type ZoneShares } from "../parts/slices/zone-hints.ts";
import { messageOf, type Plan } from "../plan.ts";

interface SlicesInput {
  readonly service: Service;
  /** Those that the service selects. */
  readonly pods: readonly Pod[];
  readonly nodes: Pick<Informer<Node>, "get">;
  /** Those of the service that this controller manages and that are not terminating. */
  readonly slices: readonly EndpointSlice[];
  /** Of services that ask for hints by zone, or why their endpoints get none now. Absent: the service does not ask. */
  readonly shares?: ZoneShares | NoHints;
}

/** What became of the hints that a service asks for, by family of addresses. Empty: it does not ask, or has no endpoints. */
export type HintOutcomes = Partial<Record<AddressType, NoHints | "given">>;

interface SlicesContext {
  readonly keys: SliceKeys;
  readonly endpointsMax: number;
  /** The gate EndpointSliceTerminatingCondition. */
  readonly tellsTerminating: boolean;
  /** Whether pods that have ended count. */
  readonly hasEnded: boolean;
  /** Whether a service that publishes everything publishes pods whose node is missing. */
  readonly publishesUnplaced: boolean;
  /** The type that the owner reference names. */
  readonly owner: ServedType;
}

export type AddressType = "IPv4" | "IPv6";

/** The changes with the time of the change that caused them; undefined: none has a time. */
export const planSlices = (...given: Parameters<typeof planInSteps>) => inTimeSlices(planInSteps(...given));

function* planInSteps(
  input: SlicesInput,
  context: SlicesContext,
  triggerTime: string | undefined,
): Steps<SliceChanges & { readonly hints: HintOutcomes }> {
  const hints: HintOutcomes = {};
  const { create, update, delete: deleted } = yield* desiredSlices(input, context, hints);
  const timed = (slice: EndpointSlice) => withTriggerTime(slice, context.keys.triggerTime, triggerTime);
  // New slices of a terminating service would only be garbage collected.
  const created = isDeleting(input.service) ? [] : create.map(timed);
  return { create: created, update: update.map(timed), delete: deleted, hints };
}

function* desiredSlices(input: SlicesInput, context: SlicesContext, hints: HintOutcomes): Steps<SliceChanges> {
  const types = addressTypesOf(input.service);
  const all = noChanges();
  for (const slice of input.slices) if (!types.includes(slice.addressType as AddressType)) all.delete.push(slice);
  for (const type of types) {
    const changes = yield* planFamily(input, type, context, hints);
    all.create.push(...changes.create);
    all.update.push(...changes.update);
    all.delete.push(...changes.delete);
  }
  return all;
}

function addressTypesOf(service: Service): AddressType[] {
  const { ipFamilies = [], clusterIP = "" } = service.spec ?? {};
  if (ipFamilies.length > 0) return ipFamilies.map((family) => (family === "IPv6" ? "IPv6" : "IPv4"));
  const version = ipVersion(clusterIP);
  // A headless service without families from an old server: both, until the server sets them.
  return version === 0 ? ["IPv4", "IPv6"] : [version === 6 ? "IPv6" : "IPv4"];
}

/** Notes in `hints` what became of those that the service asks for. */
function* planFamily(
  input: SlicesInput,
  type: AddressType,
  context: SlicesContext,
  hints: HintOutcomes,
): Steps<SliceChanges> {
  const { service, shares } = input;
  const existing = input.slices.filter(({ addressType }) => addressType === type);
  const owned = existing.filter((slice) => isControlledBy(slice, service));
  const changes = noChanges();
  changes.delete.push(...existing.filter((slice) => !owned.includes(slice)));
  const groups = yield* groupByPorts(input, type, context);
  const empty = (ports: readonly EndpointPort[]) => newSlice(service, type, ports, context);
  for (const slice of owned) {
    portsKey(slice.ports); // read once, and kept
    yield;
  }
  for (const [key, { ports, endpoints }] of groups) {
    const hinted = shares === undefined ? { endpoints } : withZoneHints(endpoints, shares);
    if (shares !== undefined && hints[type] !== "given") hints[type] = hinted.why ?? "given";
    const packed = pack({
      existing: owned.filter((slice) => portsKey(slice.ports) === key),
      desired: hinted.endpoints,
      endpointsMax: context.endpointsMax,
      empty: () => empty(ports),
      labelsOf: () => labelsOf(service, context.keys),
    });
    changes.create.push(...packed.create);
    changes.update.push(...packed.update);
    changes.delete.push(...packed.delete);
    yield;
  }
  changes.delete.push(...owned.filter((slice) => !groups.has(portsKey(slice.ports))));
  // A service without endpoints has an empty slice, which distinguishes it from a service that has not been synced yet.
  if (changes.delete.length === existing.length && changes.create.length === 0) changes.create.push(empty([]));
  return reuseNames(changes, (slice) => owned.includes(slice));
}

interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

function* groupByPorts(input: SlicesInput, type: AddressType, context: SlicesContext): Steps<Map<string, PortGroup>> {
  const { service, pods, nodes } = input;
  const groups = new Map<string, PortGroup>();
  const portsOf = createPodPorts(service.spec?.ports ?? [], portFor);
  for (const pod of pods) {
    yield;
    const publishesAll = service.spec?.publishNotReadyAddresses === true;
    if (!mayServe(pod, { terminating: publishesAll || context.tellsTerminating, ended: context.hasEnded })) continue;
    const { nodeName } = pod.spec ?? {};
    const node = nodeName ? nodes.get(nodeName) : undefined;
    // Its zone is not known yet: the pod waits for its node.
    if (nodeName && node === undefined && !(publishesAll && context.publishesUnplaced)) continue;
    const ports = portsOf(pod);
    const group = groups.get(portsKey(ports)) ?? { ports, endpoints: new Map() };
    groups.set(portsKey(ports), group);
    const endpoint = endpointOf(pod, node, service, type, context);
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return groups;
}

const portFor = ({ name = "", protocol = "TCP", appProtocol }: ServicePort, port: number): EndpointPort => ({
  name,
  protocol,
  port,
  ...(appProtocol === undefined ? {} : { appProtocol }),
});

function endpointOf(
  pod: Pod,
  node: Node | undefined,
  service: Service,
  type: AddressType,
  { keys, tellsTerminating }: SlicesContext,
): Endpoint {
  const serving = isPodReady(pod);
  const terminating = isDeleting(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { nodeName } = pod.spec ?? {};
  const zone = node?.metadata.labels?.[keys.zone];
  const hostname = hostnameOf(pod, service);
  const hints = ready ? hintsOf(service, { nodeName, zone }) : undefined;
  return {
    addresses: addressesOf(pod, type === "IPv6" ? 6 : 4),
    conditions: { ready, ...(tellsTerminating ? { serving, terminating } : {}) },
    targetRef: targetOf(pod),
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
    ...(hints === undefined ? {} : { hints }),
  };
}

/** Whose clients should use an endpoint, by the traffic distribution of its service. Undefined: everybody's. */
export function hintsOf(
  { spec }: Service,
  { nodeName, zone }: { readonly nodeName?: string | undefined; readonly zone?: string | undefined },
): Endpoint["hints"] {
  const preference = spec?.trafficDistribution;
  if (preference === undefined) return undefined;
  // Clients that do not know hints for nodes go by the zone.
  const hints = {
    ...(zone ? { forZones: [{ name: zone }] } : {}),
    ...(nodeName && preference === "PreferSameNode" ? { forNodes: [{ name: nodeName }] } : {}),
  };
  return Object.keys(hints).length === 0 ? undefined : hints;
}

function newSlice(
  service: Service,
  addressType: AddressType,
  ports: readonly EndpointPort[],
  { keys, owner }: SlicesContext,
): EndpointSlice {
  const { name = "", namespace } = service.metadata;
  return {
    metadata: {
      generateName: podNamePrefix(name),
      ...(namespace === undefined ? {} : { namespace }),
      labels: labelsOf(service, keys),
      ownerReferences: [controllerRef(service, owner)],
    },
    addressType,
    ports: [...ports],
    endpoints: [],
  };
}

/** Those of the service, and those by which a slice is found. */
function labelsOf(service: Service, keys: SliceKeys): Record<string, string> {
  const labels = { ...service.metadata.labels };
  delete labels[keys.headless];
  return {
    ...labels,
    ...(isHeadless(service) ? { [keys.headless]: "" } : {}),
    [keys.serviceName]: service.metadata.name ?? "",
    [keys.managedBy]: keys.controller,
  };
}

/** An Event says why the slices of a service were not written, unless another writer was faster. */
export const reportFailure =
  (service: Service) =>
  (error: unknown): Plan | undefined => {
    if (hasReason(error, "Conflict")) return undefined;
    const message = `Error updating Endpoint Slices for Service ${keyOf(service)}: ${messageOf(error)}`;
    return { about: service, events: [{ type: "Warning", reason: "FailedToUpdateEndpointSlices", message }] };
  };
