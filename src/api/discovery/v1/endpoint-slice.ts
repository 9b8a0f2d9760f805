/** An EndpointSlice lists a part of the endpoints behind a service. */

import { nextGeneration } from "../../../machinery/meta/metadata.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, map, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { dropNewTopology } from "./topology.ts";
import { validateSlice, validateSliceUpdate } from "./validate-endpoint-slice.ts";

export const EndpointConditions = struct("discovery.v1.EndpointConditions", {
  ready: optional(bool()).at(1).doc("Whether the endpoint is ready. Absent: treat as true."),
  serving: optional(bool())
    .at(2)
    .doc(
      "Like ready, but also true for terminating endpoints that still pass their readiness probe; needs the feature gate EndpointSliceTerminatingCondition.",
    ),
  terminating: optional(bool())
    .at(3)
    .doc("Whether the endpoint is being deleted; needs the feature gate EndpointSliceTerminatingCondition."),
});
export type EndpointConditions = Static<typeof EndpointConditions>;

export const ForZone = struct("discovery.v1.ForZone", {
  name: string().at(1).doc("The name of the zone whose clients should use the endpoint."),
});
export type ForZone = Static<typeof ForZone>;

export const EndpointHints = struct("discovery.v1.EndpointHints", {
  forZones: elided(list(ForZone, { topology: "atomic" }))
    .at(1)
    .doc("Zones in which the endpoint should be used."),
});
export type EndpointHints = Static<typeof EndpointHints>;

export const Endpoint = struct("discovery.v1.Endpoint", {
  addresses: list(string(), { topology: "set" })
    .at(1)
    .doc("Addresses of the endpoint, of the addressType of the slice; 1 to 100, clients may use any."),
  conditions: elided(EndpointConditions).at(2).doc("Whether the endpoint can receive traffic."),
  hostname: optional(string()).at(3).doc("The host name of the endpoint, a DNS label."),
  targetRef: optional(ObjectReference).at(4).doc("The object behind the endpoint, usually a pod."),
  deprecatedTopology: elided(map(string()))
    .at(5)
    .doc("Values of topology in v1beta1 other than zone and host name; read-only."),
  nodeName: optional(string()).at(6).doc("The node on which the endpoint runs."),
  zone: optional(string()).at(7).doc("The zone in which the endpoint runs."),
  hints: optional(EndpointHints).at(8).doc("Hints on which clients should use the endpoint, by zone."),
});
export type Endpoint = Static<typeof Endpoint>;

export const EndpointPort = struct(
  "discovery.v1.EndpointPort",
  {
    name: optional(string()).at(1).default("").doc("The name of the port, unique in the slice. Default: empty."),
    protocol: optional(string()).at(2).default("TCP").doc("TCP, UDP or SCTP. Default: TCP."),
    port: optional(int32()).at(3).doc("The port number. Absent: all ports."),
    appProtocol: optional(string())
      .at(4)
      .doc("The application protocol, such as https, or a name with a domain prefix."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type EndpointPort = Static<typeof EndpointPort>;

export const EndpointSlice = kind({
  group: "discovery.orch.io",
  version: "v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  scope: "Namespaced",
  doc: "An EndpointSlice lists a part of the endpoints behind a service.",
  fields: {
    endpoints: list(Endpoint, { topology: "atomic", keepsEmpty: true })
      .at(2)
      .doc("The endpoints of the slice, at most 1000."),
    ports: list(EndpointPort, { topology: "atomic", keepsEmpty: true })
      .listed(false)
      .at(3)
      .doc("The ports of every endpoint, at most 100. Empty: none."),
    addressType: string().at(4).doc("IPv4, IPv6 or FQDN; cannot be changed."),
  },
  stored: "discovery.orch.io/v1beta1",
  generation: true,
  prepareForCreate(slice, environment) {
    dropFieldsBehindGates(slice.endpoints, undefined, environment);
    dropNewTopology(slice.endpoints, undefined, environment);
  },
  prepareForUpdate(slice, old, environment) {
    prepareSliceUpdate(slice, old, environment);
    dropNewTopology(slice.endpoints, old.endpoints, environment);
  },
  validate: validateSlice,
  validateUpdate: validateSliceUpdate,
  // An empty list in a request has an owner, but is stored as absent.
  complete(slice) {
    const none: { endpoints?: null; ports?: null } = {};
    if (slice.endpoints?.length === 0) none.endpoints = null;
    if (slice.ports?.length === 0) none.ports = null;
    return Object.assign({ ...slice }, none);
  },
  columns: (column) => [
    nameColumn,
    column("AddressType", (slice) => slice.addressType),
    column("Ports", ({ ports }) => shortList((ports ?? []).map(portText))),
    column("Endpoints", ({ endpoints }) => shortList((endpoints ?? []).flatMap(({ addresses }) => addresses ?? []))),
    ageColumn,
  ],
});
export type EndpointSlice = Static<typeof EndpointSlice>;

interface SliceParts {
  readonly metadata: ObjectMeta;
  readonly endpoints: readonly Endpoint[] | null;
}

/** Clients find slices by labels, so a change of labels counts. */
export function prepareSliceUpdate(slice: SliceParts, old: SliceParts, environment: Environment): void {
  dropFieldsBehindGates(slice.endpoints, old.endpoints, environment);
  const { metadata } = slice;
  if (!sameValue(metadata.labels ?? {}, old.metadata.labels ?? {})) {
    metadata.generation = nextGeneration(old.metadata.generation);
  }
}

/** Endpoints without any are null. */
export function dropFieldsBehindGates(
  endpoints: readonly Endpoint[] | null,
  old: readonly Endpoint[] | null | undefined,
  { gates }: Environment,
): void {
  const usesConditions = ({ conditions }: Endpoint) =>
    conditions?.serving !== undefined || conditions?.terminating !== undefined;
  const dropsConditions = !gates.enabled("EndpointSliceTerminatingCondition") && !old?.some(usesConditions);
  const dropsHints = !gates.enabled("TopologyAwareHints") && !old?.some(({ hints }) => hints !== undefined);
  for (const endpoint of endpoints ?? []) {
    if (dropsConditions) {
      delete endpoint.conditions?.serving;
      delete endpoint.conditions?.terminating;
    }
    if (dropsHints) delete endpoint.hints;
  }
}

const portText = ({ port, name }: EndpointPort) => (port === undefined ? (name ?? "*") : String(port));

const shownMax = 3;

function shortList(parts: readonly string[]): string {
  const text = parts.slice(0, shownMax).join(",");
  if (parts.length > shownMax) return `${text} + ${parts.length - shownMax} more...`;
  return text === "" ? "<unset>" : text;
}
