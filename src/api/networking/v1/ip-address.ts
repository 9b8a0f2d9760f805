/** An IPAddress says which object holds an address; its name is the address. */

import { formatIp, parseIp } from "../../../base/ip-address.ts";
import { elided, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { nameColumn } from "../../columns.ts";

const ParentReference = struct("networking.v1.ParentReference", {
  group: elided(string()).at(1).named("subdomain").doc("The API group of the object. Empty: the core group."),
  resource: elided(string())
    .at(2)
    .listed(true, "1.30")
    .required()
    .named("pathSegment")
    .doc("The resource of the object, such as services."),
  namespace: elided(string()).at(3).named("pathSegment").doc("The namespace of the object."),
  name: elided(string()).at(4).listed(true, "1.30").required().named("pathSegment").doc("The name of the object."),
  uid: elided(string()).at(5).until("1.29").doc("The uid of the object."),
});
type ParentReference = Static<typeof ParentReference>;

const IPAddressSpec = struct("networking.v1.IPAddressSpec", {
  parentRef: optional(ParentReference)
    .at(1)
    .listed(true, "1.30")
    .required()
    .immutable()
    .doc("The object that holds the address; cannot be changed."),
});

/** One text for each address, so that no two objects hold it. */
function addressProblems(name: string): readonly string[] {
  const address = parseIp(name);
  return address !== undefined && formatIp(address) === name ? [] : ["must be an IP address in its canonical form"];
}

export const IPAddress = kind({
  group: "networking.orch.io",
  version: "v1",
  since: "1.33",
  kind: "IPAddress",
  resource: "ipaddresses",
  scope: "Cluster",
  shortNames: ["ip"],
  doc: "An IPAddress says which object holds an address; its name is the address.",
  fields: {
    spec: elided(IPAddressSpec)
      .listed(true, "1.36")
      .at(2)
      .doc("The desired state of the IP address, set by its users."),
  },
  name: addressProblems,
  columns: (column) => [nameColumn, column("ParentRef", ({ spec }) => parentText(spec?.parentRef))],
});
export type IPAddress = Static<typeof IPAddress>;

function parentText(parent: ParentReference | undefined): string {
  if (parent === undefined) return "<none>";
  const { group, resource = "", namespace, name = "" } = parent;
  const of = group ? `${resource}.${group}` : resource;
  return namespace ? `${of}/${namespace}/${name}` : `${of}/${name}`;
}
