/** An Endpoints object lists the addresses and ports behind a service. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ObjectReference } from "./references.ts";

export const EndpointAddress = struct("core.v1.EndpointAddress", {
  ip: string().at(1),
  targetRef: optional(ObjectReference).at(2),
  hostname: elided(string()).at(3),
  nodeName: optional(string()).at(4),
});
export type EndpointAddress = Static<typeof EndpointAddress>;

export const EndpointPort = struct("core.v1.EndpointPort", {
  name: elided(string()).at(1),
  port: int32().at(2),
  protocol: elided(string()).at(3),
  appProtocol: optional(string()).at(4),
});
export type EndpointPort = Static<typeof EndpointPort>;

export const EndpointSubset = struct("core.v1.EndpointSubset", {
  addresses: elided(list(EndpointAddress)).at(1),
  notReadyAddresses: elided(list(EndpointAddress)).at(2),
  ports: elided(list(EndpointPort)).at(3),
});
export type EndpointSubset = Static<typeof EndpointSubset>;

export const Endpoints = kind({
  group: "",
  version: "v1",
  kind: "Endpoints",
  resource: "endpoints",
  scope: "Namespaced",
  shortNames: ["ep"],
  doc: "An Endpoints object lists the addresses and ports behind a service.",
  fields: {
    subsets: elided(list(EndpointSubset)).at(2),
  },
});
export type Endpoints = Static<typeof Endpoints>;
