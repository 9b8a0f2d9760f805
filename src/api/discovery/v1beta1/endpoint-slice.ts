/** EndpointSlice in v1beta1: zone and node are labels of a topology. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, map, optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { dropFieldsBehindGates, EndpointSlice as Hub, prepareSliceUpdate } from "../v1/endpoint-slice.ts";
import { endpointFromHub, endpointToHub } from "./convert-endpoint.ts";

export const EndpointConditions = struct("discovery.v1beta1.EndpointConditions", {
  ready: optional(bool()).at(1),
  serving: optional(bool()).at(2),
  terminating: optional(bool()).at(3),
});
export type EndpointConditions = Static<typeof EndpointConditions>;

export const ForZone = struct("discovery.v1beta1.ForZone", {
  name: string().at(1),
});
export type ForZone = Static<typeof ForZone>;

export const EndpointHints = struct("discovery.v1beta1.EndpointHints", {
  forZones: elided(list(ForZone, { topology: "atomic" })).at(1),
});
export type EndpointHints = Static<typeof EndpointHints>;

export const Endpoint = struct("discovery.v1beta1.Endpoint", {
  addresses: list(string(), { topology: "set" }).at(1),
  conditions: elided(EndpointConditions).at(2),
  hostname: optional(string()).at(3),
  targetRef: optional(ObjectReference).at(4),
  topology: elided(map(string())).at(5),
  nodeName: optional(string()).at(6),
  hints: optional(EndpointHints).at(7),
});
export type Endpoint = Static<typeof Endpoint>;

export const EndpointPort = struct("discovery.v1beta1.EndpointPort", {
  name: optional(string()).at(1).default(""),
  protocol: optional(string()).at(2).default("TCP"),
  port: optional(int32()).at(3),
  appProtocol: optional(string()).at(4),
});
export type EndpointPort = Static<typeof EndpointPort>;

export const EndpointSlice = version(Hub, {
  version: "v1beta1",
  fields: {
    endpoints: list(Endpoint, { topology: "atomic", keepsEmpty: true }).at(2),
    ports: list(EndpointPort, { topology: "atomic", keepsEmpty: true }).listed(false).at(3),
    addressType: string().at(4),
  },
  // Here the topology may be written.
  life: {
    prepareForCreate: (slice, environment) => dropFieldsBehindGates(slice.endpoints, undefined, environment),
    prepareForUpdate: prepareSliceUpdate,
  },
  toHub: ({ endpoints, ...rest }, environment) => ({
    ...rest,
    endpoints: endpoints?.map((endpoint) => endpointToHub(endpoint, environment)),
  }),
  fromHub: ({ endpoints, ...rest }, environment) => ({
    ...rest,
    endpoints: endpoints?.map((endpoint) => endpointFromHub(endpoint, environment)),
  }),
  deprecated: { since: "1.21", removed: "1.25", replacement: "discovery.orch.io/v1 EndpointSlice" },
});
export type EndpointSlice = Static<typeof EndpointSlice>;
