/** Why a Service reaches no pod. */

import type { Context } from "../../context.ts";
import { findResource } from "../../input/lookups.ts";
import { entries, type Json, list, nameOf, namespaceOf, object, text } from "../../json.ts";
import { warningLines } from "./events.ts";
import { type Explainer, type Explanation, indented } from "./explanation.ts";
import { explainPod, isReadyPod } from "./pod.ts";

export const serviceExplainer: Explainer = { kind: "Service", group: "", explain: explainService };

async function explainService(context: Context, service: Json): Promise<Explanation> {
  const type = text(service, "spec", "type");
  if (type === "ExternalName") return { summary: `is a name for ${text(service, "spec", "externalName")}`, lines: [] };
  const warnings = await warningLines(context, service);
  const address =
    type === "LoadBalancer" && list(service, "status", "loadBalancer", "ingress").length === 0
      ? ["it has no external address: no load balancer has given it one"]
      : [];
  const labels = entries(service, "spec", "selector");
  if (labels.length === 0) return withoutSelector(context, service, [...address, ...warnings]);
  const selector = labels.map(([key, value]) => `${key}=${value}`).join(",");
  const pods: Json[] = [];
  const at = context.at(await findResource(context, "pods"));
  for await (const pod of at.items({ namespace: namespaceOf(service), labelSelector: selector })) pods.push(pod);
  const ready = pods.filter(isReadyPod);
  const ports = portLines(service, ready);
  if (ready.length > 0)
    return { summary: `has ${ready.length} ready of ${pods.length} pods`, lines: [...ports, ...address, ...warnings] };
  const [first] = pods;
  if (first === undefined)
    return {
      summary: "has no endpoints",
      lines: [`no pod in namespace ${namespaceOf(service)} has the labels ${selector}`, ...address, ...warnings],
    };
  const { summary, lines } = await explainPod(context, first);
  return {
    summary: `has no ready endpoints: none of ${pods.length} pods is ready`,
    lines: [`pod/${nameOf(first)} ${summary}`, ...indented(lines), ...address, ...warnings],
  };
}

async function withoutSelector(context: Context, service: Json, more: readonly string[]): Promise<Explanation> {
  const key = (await context.vocabulary()).word("orch.io/service-name");
  const slices = context.at(await findResource(context, "endpointslices"));
  const query = { namespace: namespaceOf(service), labelSelector: `${key}=${nameOf(service)}` };
  const addresses: Json[] = [];
  for await (const slice of slices.items(query))
    addresses.push(...list(slice, "endpoints").filter((one) => object(one, "conditions")["ready"] !== false));
  const count = addresses.length;
  if (count > 0) return { summary: `has ${count} endpoint${count === 1 ? "" : "s"} that others keep`, lines: more };
  return {
    summary: "has no endpoints",
    lines: ["it has no selector, and no EndpointSlice has addresses for it", ...more],
  };
}

/** A port by name must be one of the containers. */
function portLines(service: Json, ready: readonly Json[]): string[] {
  return list(service, "spec", "ports").flatMap((port) => {
    const target = port["targetPort"];
    if (typeof target !== "string") return [];
    const isNamed = ready.some((pod) =>
      list(pod, "spec", "containers").some((one) => list(one, "ports").some((each) => each["name"] === target)),
    );
    return isNamed
      ? []
      : [`no container of its pods has a port named ${target}, which port ${text(port, "port")} leads to`];
  });
}

/** What is wrong with a backend of others: the service, its port, its pods. */
export async function backendLines(
  context: Context,
  { namespace, name, port }: { namespace: string; name: string; port: string },
): Promise<string[]> {
  const service = await context.session.find(await findResource(context, "services"), { namespace, name });
  if (service === undefined) return [`service/${name} does not exist`];
  const ports = list(service, "spec", "ports").flatMap((one) => [text(one, "port"), text(one, "name")]);
  if (port !== "" && !ports.includes(port)) {
    const known = ports.filter(Boolean).join(", ");
    return [`service/${name} has no port ${port}; it has ${known}`];
  }
  const { summary, lines } = await explainService(context, service);
  return /^has no/.test(summary) ? [`service/${name} ${summary}`, ...indented(lines)] : [];
}

export const portOf = (backend: Json): string =>
  text(backend, "port") || text(object(backend, "port"), "number") || text(object(backend, "port"), "name");
