/** An Endpoints object lists the addresses and ports behind a service. */

import { formatIp } from "../../../base/ip-address.ts";
import { elided, int32, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { on } from "../../../machinery/schema/constraints.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { noErrors, ofEach, required } from "../../../machinery/status/field-error.ts";
import { ipWarnings, parseOddIp, takesOddForms, warnsOfOddForms } from "../../address-forms.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { validateEndpointIp } from "../../ip.ts";
import { protocols } from "./protocols.ts";
import { ObjectReference } from "./references.ts";

export const EndpointAddress = struct(
  "core.v1.EndpointAddress",
  {
    ip: string()
      .at(1)
      .checked((ip, path, environment) => {
        const address = takesOddForms(environment) ? parseOddIp(ip) : undefined;
        return validateEndpointIp(path, address ? formatIp(address) : ip);
      })
      .doc("The IP address; not a loopback, link-local or link-local multicast address."),
    targetRef: optional(ObjectReference).at(2).doc("The object behind the address, usually a pod."),
    hostname: elided(string())
      .at(3)
      .named("label")
      .doc("The host name of the endpoint, by which DNS finds it within the service."),
    nodeName: optional(string()).at(4).named("subdomain").doc("The node on which the endpoint runs."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type EndpointAddress = Static<typeof EndpointAddress>;

export const EndpointPort = struct(
  "core.v1.EndpointPort",
  {
    name: elided(string())
      .at(1)
      .named("label")
      .doc("The name of the port, as in the service; optional only if there is one port."),
    port: int32().at(2).atLeast(1).atMost(65535).doc("The number of the port on the addresses, from 1 to 65535."),
    protocol: elided(string()).at(3).required().oneOf(protocols).default("TCP").doc("TCP, UDP or SCTP. Default: TCP."),
    appProtocol: optional(string())
      .at(4)
      .named("qualified")
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
  warnings({ metadata, subsets = [] }, _old, environment) {
    const managed = environment.vocabulary.word("endpoints.orch.io/managed-by");
    // Its controller copies what pods report.
    if (!warnsOfOddForms(environment) || metadata.labels?.[managed] !== undefined) return [];
    return subsets.flatMap((subset, index) =>
      (["addresses", "notReadyAddresses"] as const).flatMap((list) =>
        (subset[list] ?? []).flatMap(({ ip }, at) => ipWarnings(ip, `subsets[${index}].${list}[${at}].ip`)),
      ),
    );
  },
  relations: [
    on(EndpointSubset, ({ addresses = [], notReadyAddresses = [], ports = [] }) => [
      ...(addresses.length + notReadyAddresses.length === 0
        ? [required("", "must name addresses or notReadyAddresses")]
        : []),
      ...(ports.length > 1 ? ofEach(ports, ({ name }, at) => (name ? noErrors : [required(`ports[${at}].name`)])) : []),
    ]),
  ],
  columns: (column) => [
    nameColumn,
    column("Endpoints", (endpoints) => endpointsText(endpoints.subsets ?? [])),
    ageColumn,
  ],
});
export type Endpoints = Static<typeof Endpoints>;

const shownMax = 3;

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
