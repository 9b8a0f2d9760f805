/** Descriptions of services, their ranges and addresses, endpoints and ingresses. */

import { isNotFound } from "../../client/requests/refusals.ts";
import type { Context } from "../context.ts";
import { isJson, type Json, list, nameOf, namespaceOf, object, text, texts } from "../json.ts";
import { annotations, clusterHeading, heading, names } from "./metadata.ts";
import { joined, joinedOf, or, phrase } from "./readers.ts";
import {
  type ColumnReaders,
  each,
  field,
  given,
  group,
  ifThere,
  indented,
  line,
  type Rows,
  section,
  table,
  when,
  within,
} from "./row.ts";
import { selector } from "./selector.ts";

export const service: Rows = [
  ...heading,
  field("Selector", selector("spec.selector")),
  field("Type", "spec.type"),
  given("IP Family Policy", "spec.ipFamilyPolicy"),
  given("IP Families", joined("spec.ipFamilies")),
  field("IP", "spec.clusterIP"),
  given("IPs", joined("spec.clusterIPs")),
  given("External IPs", joined("spec.externalIPs")),
  given("IP", "spec.loadBalancerIP"),
  given("External Name", "spec.externalName"),
  given("LoadBalancer Ingress", joinedOf("status.loadBalancer.ingress", ["ip", "hostname"], ", ")),
  each(servicePorts, [
    field("Port", phrase`${or("name", "<unset>")}  ${"port"}/${"protocol"}`),
    field("TargetPort", phrase`${"targetPort"}/${"protocol"}`),
    when(
      (port) => text(port, "nodePort") !== "",
      [field("NodePort", phrase`${or("name", "<unset>")}  ${"nodePort"}/${"protocol"}`)],
    ),
    field("Endpoints", "endpoints"),
  ]),
  field("Session Affinity", "spec.sessionAffinity"),
  given("External Traffic Policy", "spec.externalTrafficPolicy"),
  given("Internal Traffic Policy", (value, { behaviour }) =>
    behaviour.readsSlices ? text(value, "spec", "internalTrafficPolicy") : "",
  ),
  given("LoadBalancer Source Ranges", joined("spec.loadBalancerSourceRanges")),
];

const portColumns: ColumnReaders = { Name: or("name", "<unset>"), Port: or("port", "<unset>"), Protocol: "protocol" };

export const endpoints: Rows = [
  ...heading,
  section("Subsets", [
    each("subsets", [
      field("Addresses", or(joinedOf("addresses", ["ip"]), "<none>")),
      field("NotReadyAddresses", or(joinedOf("notReadyAddresses", ["ip"]), "<none>")),
      table("Ports", "ports", portColumns),
      indented([""], -2),
    ]),
  ]),
];

export const endpointSlice: Rows = [
  ...heading,
  field("AddressType", "addressType"),
  table("Ports", "ports", portColumns, { none: " <unset>" }),
  group(
    "Endpoints",
    "endpoints",
    [
      field("- Addresses", joined("addresses")),
      indented([
        section("Conditions", [field("Ready", or("conditions.ready", "<unset>"))]),
        field("Hostname", or("hostname", "<unset>")),
        when(
          ({ targetRef }) => isJson(targetRef) && Object.keys(targetRef).length > 0,
          [field("TargetRef", phrase`${"targetRef.kind"}/${"targetRef.name"}`)],
        ),
        given("NodeName", "nodeName"),
        given("Zone", "zone"),
      ]),
    ],
    { none: " <none>" },
  ),
];

const conditions = table("Conditions", "status.conditions", {
  Type: "type",
  Status: "status",
  Reason: "reason",
  Message: "message",
});

export const serviceCidr: Rows = [
  ...clusterHeading,
  field("CIDRs", joined("spec.cidrs", ", ")),
  when((value) => list(value, "status", "conditions").length > 0, [section("Status", [conditions])]),
];

export const ipAddress: Rows = [
  ...clusterHeading,
  section("Parent Reference", [
    within("spec.parentRef", [
      given("Group", "group"),
      field("Resource", "resource"),
      given("Namespace", "namespace"),
      field("Name", "name"),
    ]),
  ]),
];

export const ingressClass: Rows = [
  ...clusterHeading,
  field("Controller", "spec.controller"),
  when(
    (one) => Object.keys(object(one, "spec", "parameters")).length > 0,
    [
      section("Parameters", [
        ifThere("spec.parameters", [given("APIGroup", "apiGroup"), given("Kind", "kind"), given("Name", "name")]),
      ]),
    ],
  ),
];

export const ingress: Rows = [
  ...names,
  field("Address", joinedOf("status.loadBalancer.ingress", ["ip", "hostname"])),
  field("Default backend", defaultBackend),
  group("TLS", "spec.tls", [line(tlsText)]),
  section("Rules", [
    "Host\tPath\tBackends",
    "----\t----\t--------",
    each(ingressRules, [
      line(phrase`${or("host", "*")}\t`),
      each("paths", [line(phrase`\t${"path"} \t${backendText}`)], 2),
    ]),
  ]),
  annotations,
];

async function servicePorts(value: Json, context: Context): Promise<Json[]> {
  const found = await endpointsOf(context, namespaceOf(value), nameOf(value));
  return list(value, "spec", "ports").map((port) => ({ ...port, endpoints: addresses(found, text(port, "name")) }));
}

async function endpointsOf(context: Context, namespace: string, name: string): Promise<Json | undefined> {
  const subsets = context.behaviour.readsSlices ? await subsetsOfSlices(context, namespace, name) : [];
  if (subsets.length > 0) return { subsets };
  const resource = (await context.discovery()).inGroup("endpoints", "");
  if (resource === undefined) return undefined;
  return context
    .at(resource)
    .get({ namespace, name })
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
}

/** What the slices of a service say, in the shape of Endpoints. Empty: nothing makes slices for it, or the server has none. */
async function subsetsOfSlices(context: Context, namespace: string, name: string): Promise<Json[]> {
  const vocabulary = await context.vocabulary();
  const resource = (await context.discovery()).inGroup("endpointslices", vocabulary.group("discovery.orch.io"));
  if (resource === undefined) return [];
  const query = { namespace, labelSelector: `${vocabulary.word("orch.io/service-name")}=${name}` };
  const subsets: Json[] = [];
  for await (const slice of context.at(resource).items(query)) {
    const ready = list(slice, "endpoints").filter((one) => object(one, "conditions")["ready"] !== false);
    const addresses = ready.flatMap((one) => texts(one, "addresses").map((ip) => ({ ip })));
    subsets.push({ addresses, ports: list(slice, "ports") });
  }
  return subsets;
}

/** "10.0.0.1:80,10.0.0.2:80 + 1 more..." of one port, or of all. */
function addresses(found: Json | undefined, port?: string): string {
  const all = list(found, "subsets").flatMap((subset) =>
    list(subset, "ports")
      .filter((one) => port === undefined || text(one, "name") === port)
      .flatMap((one) => list(subset, "addresses").map((address) => `${text(address, "ip")}:${text(one, "port")}`)),
  );
  if (all.length === 0) return "<none>";
  const shown = all.slice(0, 3).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

function defaultBackend(value: Json, context: Context): string | Promise<string> {
  const backend = object(value, "spec")["defaultBackend"] ?? object(value, "spec")["backend"];
  return isJson(backend)
    ? backendText({ backend, namespace: namespaceOf(value) }, context)
    : `default-http-backend:80 (<error: endpoints "default-http-backend" not found>)`;
}

function ingressRules(value: Json): Json[] {
  return list(value, "spec", "rules").map((rule) => ({
    ...rule,
    paths: list(rule, "http", "paths").map((path) => ({ ...path, namespace: namespaceOf(value) })),
  }));
}

/** "web:80 (10.0.0.1:8080)". */
async function backendText(path: Json, context: Context): Promise<string> {
  const backend = object(path, "backend");
  const name = text(backend, "service", "name") || text(backend, "serviceName");
  const found = await endpointsOf(context, text(path, "namespace"), name);
  const shown = found === undefined ? `<error: endpoints "${name}" not found>` : addresses(found);
  return `${isJson(backend["resource"]) ? resourceText(backend["resource"]) : `${name}:${portOf(backend)}`} (${shown})`;
}

const resourceText = (resource: Json): string =>
  `APIGroup: ${text(resource, "apiGroup")}, Kind: ${text(resource, "kind")}, Name: ${text(resource, "name")}`;

function portOf(backend: Json): string {
  const port = object(backend, "service", "port");
  return text(port, "number") || text(port, "name") || text(backend, "servicePort");
}

function tlsText(one: Json): string {
  const hosts = texts(one, "hosts").join(",");
  return text(one, "secretName") === "" ? `SNI routes ${hosts}` : `${text(one, "secretName")} terminates ${hosts}`;
}
