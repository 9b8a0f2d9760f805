/** An Endpoints object lists the addresses and ports behind a service. */

import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, int32, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { validateEndpointIp } from "../../ip.ts";
import { protocols } from "./protocols.ts";
import { ObjectReference } from "./references.ts";

export const EndpointAddress = struct(
  "core.v1.EndpointAddress",
  {
    ip: string().at(1).doc("The IP address; not a loopback, link-local or link-local multicast address."),
    targetRef: optional(ObjectReference).at(2).doc("The object behind the address, usually a pod."),
    hostname: elided(string()).at(3).doc("The host name of the endpoint, by which DNS finds it within the service."),
    nodeName: optional(string()).at(4).doc("The node on which the endpoint runs."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type EndpointAddress = Static<typeof EndpointAddress>;

export const EndpointPort = struct(
  "core.v1.EndpointPort",
  {
    name: elided(string()).at(1).doc("The name of the port, as in the service; optional only if there is one port."),
    port: int32().at(2).doc("The number of the port on the addresses, from 1 to 65535."),
    protocol: elided(string()).at(3).default("TCP").doc("TCP, UDP or SCTP. Default: TCP."),
    appProtocol: optional(string())
      .at(4)
      .doc("The application protocol, such as https, or a name with a domain prefix."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type EndpointPort = Static<typeof EndpointPort>;

export const EndpointSubset = struct("core.v1.EndpointSubset", {
  addresses: elided(list(EndpointAddress)).at(1).doc("Addresses that are ready to receive traffic on all ports."),
  notReadyAddresses: elided(list(EndpointAddress))
    .at(2)
    .doc("Addresses that are not ready: starting, or failing their readiness probe."),
  ports: elided(list(EndpointPort)).at(3).doc("The ports available on all addresses."),
});
export type EndpointSubset = Static<typeof EndpointSubset>;

export const Endpoints = kind({
  group: "",
  version: "v1",
  kind: "Endpoints",
  deprecated: { since: "1.33", replacement: "discovery.orch.io/v1 EndpointSlice" },
  resource: "endpoints",
  scope: "Namespaced",
  shortNames: ["ep"],
  doc: "An Endpoints object lists the addresses and ports behind a service.",
  fields: {
    subsets: elided(list(EndpointSubset))
      .at(2)
      .doc("Groups of addresses that share the same ports; together they are all endpoints of the service."),
  },
  createOnUpdate: true,
  validate: (endpoints) => validateSubsets(endpoints.subsets ?? []),
  columns: (column) => [
    nameColumn,
    column("Endpoints", (endpoints) => endpointsText(endpoints.subsets ?? [])),
    ageColumn,
  ],
});
export type Endpoints = Static<typeof Endpoints>;

const shownMax = 3;

function validateSubsets(subsets: readonly EndpointSubset[]): FieldError[] {
  return subsets.flatMap((subset, index) => {
    const path = `subsets[${index}]`;
    const ready = subset.addresses ?? [];
    const notReady = subset.notReadyAddresses ?? [];
    const ports = subset.ports ?? [];
    return [
      ...(ready.length + notReady.length === 0 ? [required(path, "must name addresses or notReadyAddresses")] : []),
      ...ready.flatMap((address, i) => validateAddress(address, `${path}.addresses[${i}]`)),
      ...notReady.flatMap((address, i) => validateAddress(address, `${path}.notReadyAddresses[${i}]`)),
      ...ports.flatMap((port, i) => validatePort(port, ports.length > 1, `${path}.ports[${i}]`)),
    ];
  });
}

function validateAddress(address: EndpointAddress, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (address.hostname) {
    errors.push(...isDns1123Label(address.hostname).map((p) => invalid(`${path}.hostname`, address.hostname, p)));
  }
  if (address.nodeName !== undefined) {
    errors.push(...isDns1123Subdomain(address.nodeName).map((p) => invalid(`${path}.nodeName`, address.nodeName, p)));
  }
  return [...errors, ...validateEndpointIp(`${path}.ip`, address.ip)];
}

function validatePort(port: EndpointPort, nameRequired: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!port.name) {
    if (nameRequired) errors.push(required(`${path}.name`));
  } else {
    errors.push(...isDns1123Label(port.name).map((problem) => invalid(`${path}.name`, port.name, problem)));
  }
  if (port.port < 1 || port.port > 65535) {
    errors.push(invalid(`${path}.port`, port.port, "must be between 1 and 65535, inclusive"));
  }
  const protocol = port.protocol ?? "";
  if (protocol === "") errors.push(required(`${path}.protocol`));
  else if (!protocols.includes(protocol)) {
    errors.push(notSupported(`${path}.protocol`, protocol, protocols));
  }
  if (port.appProtocol !== undefined) {
    errors.push(...isQualifiedName(port.appProtocol).map((p) => invalid(`${path}.appProtocol`, port.appProtocol, p)));
  }
  return errors;
}

/** The first few addresses with their ports, and how many more there are. */
function endpointsText(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return "<none>";
  const shown: string[] = [];
  let count = 0;
  for (const { addresses = [], ports = [] } of subsets) {
    // All of them need not fit into memory: there are as many as addresses times ports.
    count += addresses.length * Math.max(1, ports.length);
    for (const port of ports.length === 0 ? [undefined] : ports.slice(0, shownMax)) {
      for (const { ip } of addresses.slice(0, shownMax - shown.length)) shown.push(withPort(ip, port?.port));
    }
  }
  const text = shown.join(",");
  return count > shown.length ? `${text} + ${count - shown.length} more...` : text;
}

function withPort(ip: string, port: number | undefined): string {
  if (port === undefined) return ip;
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
