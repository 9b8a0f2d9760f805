/** Descriptions of services, endpoints, ingresses and network policies. */

import { isNotFound } from "../../client/requests/refusals.ts";
import type { Context } from "../context.ts";
import { isJson, type Json, list, nameOf, namespaceOf, object, text, texts } from "../json.ts";
import { selectorText } from "./selector.ts";
import { describeLabels, describeName } from "./workloads.ts";
import type { DescriptionWriter } from "./writer.ts";

async function endpointsOf(context: Context, namespace: string, name: string): Promise<Json | undefined> {
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

/** "10.0.0.1:80,10.0.0.2:80 + 1 more..." of one port, or of all. */
function addresses(endpoints: Json | undefined, port?: string): string {
  const all = list(endpoints, "subsets").flatMap((subset) =>
    list(subset, "ports")
      .filter((one) => port === undefined || text(one, "name") === port)
      .flatMap((one) => list(subset, "addresses").map((address) => `${text(address, "ip")}:${text(one, "port")}`)),
  );
  if (all.length === 0) return "<none>";
  const shown = all.slice(0, 3).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

export async function describeService(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  const spec = object(value, "spec");
  describeName(w, value);
  describeLabels(w, value);
  w.field(0, "Selector", selectorText(spec["selector"]));
  w.field(0, "Type", text(spec, "type"));
  if (text(spec, "ipFamilyPolicy") !== "") w.field(0, "IP Family Policy", text(spec, "ipFamilyPolicy"));
  if (texts(spec, "ipFamilies").length > 0) w.field(0, "IP Families", texts(spec, "ipFamilies").join(","));
  w.field(0, "IP", text(spec, "clusterIP"));
  if (texts(spec, "clusterIPs").length > 0) w.field(0, "IPs", texts(spec, "clusterIPs").join(","));
  if (texts(spec, "externalIPs").length > 0) w.field(0, "External IPs", texts(spec, "externalIPs").join(","));
  if (text(spec, "loadBalancerIP") !== "") w.field(0, "IP", text(spec, "loadBalancerIP"));
  if (text(spec, "externalName") !== "") w.field(0, "External Name", text(spec, "externalName"));
  const ingress = list(value, "status", "loadBalancer", "ingress").map(
    (one) => text(one, "ip") || text(one, "hostname"),
  );
  if (ingress.length > 0) w.field(0, "LoadBalancer Ingress", ingress.join(", "));
  const endpoints = await endpointsOf(context, namespaceOf(value), nameOf(value));
  for (const port of list(spec, "ports")) {
    const name = text(port, "name");
    w.field(0, "Port", `${name || "<unset>"}\t${text(port, "port")}/${text(port, "protocol")}`.replace("\t", "  "));
    w.field(0, "TargetPort", `${text(port, "targetPort")}/${text(port, "protocol")}`);
    if (text(port, "nodePort") !== "")
      w.field(0, "NodePort", `${name || "<unset>"}  ${text(port, "nodePort")}/${text(port, "protocol")}`);
    w.field(0, "Endpoints", addresses(endpoints, name));
  }
  w.field(0, "Session Affinity", text(spec, "sessionAffinity"));
  if (text(spec, "externalTrafficPolicy") !== "")
    w.field(0, "External Traffic Policy", text(spec, "externalTrafficPolicy"));
  if (texts(spec, "loadBalancerSourceRanges").length > 0)
    w.field(0, "LoadBalancer Source Ranges", texts(spec, "loadBalancerSourceRanges").join(","));
}

export function describeEndpoints(w: DescriptionWriter, value: Json): void {
  describeName(w, value);
  describeLabels(w, value);
  w.line(0, "Subsets:");
  for (const subset of list(value, "subsets")) {
    const ips = (key: string) =>
      list(subset, key)
        .map((one) => text(one, "ip"))
        .join(",") || "<none>";
    w.line(1, `Addresses:\t${ips("addresses")}`);
    w.line(1, `NotReadyAddresses:\t${ips("notReadyAddresses")}`);
    if (list(subset, "ports").length > 0) {
      w.line(1, "Ports:");
      w.line(2, "Name\tPort\tProtocol");
      w.line(2, "----\t----\t--------");
      for (const port of list(subset, "ports"))
        w.line(2, `${text(port, "name") || "<unset>"}\t${text(port, "port")}\t${text(port, "protocol")}`);
    }
    w.line(0, "");
  }
}

export function describeEndpointSlice(w: DescriptionWriter, value: Json): void {
  describeName(w, value);
  describeLabels(w, value);
  w.field(0, "AddressType", text(value, "addressType"));
  const ports = list(value, "ports");
  if (ports.length === 0) w.line(0, "Ports: <unset>");
  else {
    w.line(0, "Ports:");
    w.line(1, "Name\tPort\tProtocol");
    w.line(1, "----\t----\t--------");
    for (const port of ports)
      w.line(1, `${text(port, "name") || "<unset>"}\t${text(port, "port") || "<unset>"}\t${text(port, "protocol")}`);
  }
  const endpoints = list(value, "endpoints");
  w.line(0, `Endpoints:${endpoints.length === 0 ? " <none>" : ""}`);
  for (const endpoint of endpoints) {
    w.line(1, `- Addresses:\t${texts(endpoint, "addresses").join(",")}`);
    w.line(2, "Conditions:");
    w.line(3, `Ready:\t${text(endpoint, "conditions", "ready") || "<unset>"}`);
    w.line(2, `Hostname:\t${text(endpoint, "hostname") || "<unset>"}`);
    const target = object(endpoint, "targetRef");
    if (Object.keys(target).length > 0) w.line(2, `TargetRef:\t${text(target, "kind")}/${text(target, "name")}`);
    if (text(endpoint, "nodeName") !== "") w.line(2, `NodeName:\t${text(endpoint, "nodeName")}`);
    if (text(endpoint, "zone") !== "") w.line(2, `Zone:\t${text(endpoint, "zone")}`);
  }
}

export function describeIngressClass(w: DescriptionWriter, value: Json): void {
  w.field(0, "Name", nameOf(value));
  describeLabels(w, value);
  w.field(0, "Controller", text(value, "spec", "controller"));
  const parameters = object(value, "spec", "parameters");
  if (Object.keys(parameters).length === 0) return;
  w.line(0, "Parameters:");
  for (const [title, key] of [
    ["APIGroup", "apiGroup"],
    ["Kind", "kind"],
    ["Name", "name"],
  ] as const)
    if (text(parameters, key) !== "") w.line(1, `${title}:\t${text(parameters, key)}`);
}

function backendText(backend: Json): string {
  if (isJson(backend["resource"]))
    return `APIGroup: ${text(backend, "resource", "apiGroup")}, Kind: ${text(backend, "resource", "kind")}, Name: ${text(backend, "resource", "name")}`;
  const service = object(backend, "service");
  const name = text(service, "name") || text(backend, "serviceName");
  const port = text(service, "port", "number") || text(service, "port", "name") || text(backend, "servicePort");
  return `${name}:${port}`;
}

export async function describeIngress(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  describeName(w, value);
  const ips = list(value, "status", "loadBalancer", "ingress").map((one) => text(one, "ip") || text(one, "hostname"));
  w.field(0, "Address", ips.join(","));
  const backend = object(value, "spec")["defaultBackend"] ?? object(value, "spec")["backend"];
  const endpoints = async (one: Json) => {
    const name = text(one, "service", "name") || text(one, "serviceName");
    const found = await endpointsOf(context, namespaceOf(value), name);
    return found === undefined ? `<error: endpoints "${name}" not found>` : addresses(found);
  };
  w.field(
    0,
    "Default backend",
    isJson(backend)
      ? `${backendText(backend)} (${await endpoints(backend)})`
      : `default-http-backend:80 (<error: endpoints "default-http-backend" not found>)`,
  );
  const tls = list(value, "spec", "tls");
  if (tls.length > 0) {
    w.line(0, "TLS:");
    for (const one of tls)
      w.line(
        1,
        `${text(one, "secretName") || "SNI routes"} ${text(one, "secretName") === "" ? "" : "terminates "}${texts(one, "hosts").join(",")}`,
      );
  }
  w.line(0, "Rules:");
  w.line(1, "Host\tPath\tBackends");
  w.line(1, "----\t----\t--------");
  for (const rule of list(value, "spec", "rules")) {
    w.line(1, `${text(rule, "host") || "*"}\t`);
    for (const path of list(rule, "http", "paths")) {
      const one = object(path, "backend");
      w.line(2, `\t${text(path, "path")} \t${backendText(one)} (${await endpoints(one)})`);
    }
  }
  w.pairs(0, "Annotations", object(value, "metadata", "annotations"), ":");
}

export function describeNetworkPolicy(w: DescriptionWriter, value: Json): void {
  const spec = object(value, "spec");
  describeName(w, value);
  w.field(0, "Created on", text(value, "metadata", "creationTimestamp").replace("T", " ").replace("Z", " +0000 UTC"));
  describeLabels(w, value);
  w.line(0, "Spec:");
  w.line(
    1,
    `PodSelector:     ${selectorText(spec["podSelector"]).replace("<none>", "<none> (Allowing the specific traffic to all pods in this namespace)")}`,
  );
  const types = texts(spec, "policyTypes");
  for (const [type, key, word] of [
    ["Ingress", "ingress", "From"],
    ["Egress", "egress", "To"],
  ] as const) {
    if (!types.includes(type)) {
      w.line(1, `Not affecting ${type.toLowerCase()} traffic`);
      continue;
    }
    w.line(1, `Allowing ${type.toLowerCase()} traffic:`);
    const rules = list(spec, key);
    if (rules.length === 0) w.line(2, `<none> (Selected pods are isolated for ${type.toLowerCase()} connectivity)`);
    for (const rule of rules) {
      const ports = list(rule, "ports");
      if (ports.length === 0) w.line(2, "To Port: <any> (traffic allowed to all ports)");
      for (const port of ports) w.line(2, `To Port: ${text(port, "port")}/${text(port, "protocol")}`);
      const peers = list(rule, key === "ingress" ? "from" : "to");
      if (peers.length === 0)
        w.line(2, `${word}: <any> (traffic not restricted by ${key === "ingress" ? "source" : "destination"})`);
      for (const peer of peers) {
        w.line(2, `${word}:`);
        if (isJson(peer["ipBlock"])) {
          w.line(3, "IPBlock:");
          w.line(4, `CIDR: ${text(peer, "ipBlock", "cidr")}`);
          w.line(4, `Except: ${texts(peer, "ipBlock", "except").join(", ")}`);
        }
        if (isJson(peer["namespaceSelector"]))
          w.line(3, `NamespaceSelector: ${selectorText(peer["namespaceSelector"])}`);
        if (isJson(peer["podSelector"])) w.line(3, `PodSelector: ${selectorText(peer["podSelector"])}`);
      }
    }
  }
  w.line(1, `Policy Types: ${types.join(", ")}`);
}
