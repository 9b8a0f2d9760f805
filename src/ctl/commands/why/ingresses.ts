/** Why an Ingress does not lead anywhere. */

import type { Context } from "../../context.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, list, namespaceOf, object, text } from "../../json.ts";
import { warningLines } from "./events.ts";
import type { Explainer, Explanation } from "./explanation.ts";
import { backendLines, portOf } from "./services.ts";

export const ingressExplainer: Explainer = { kind: "Ingress", group: "networking.orch.io", explain: explainIngress };

async function explainIngress(context: Context, ingress: Json): Promise<Explanation> {
  const namespace = namespaceOf(ingress);
  const lines = await classLines(context, ingress);
  const seen = new Set<string>();
  for (const { name, port } of backendsOf(ingress)) {
    if (seen.has(`${name}:${port}`)) continue;
    seen.add(`${name}:${port}`);
    lines.push(...(await backendLines(context, { namespace, name, port })));
  }
  for (const secretName of list(ingress, "spec", "tls").map((one) => text(one, "secretName"))) {
    if (secretName === "") continue;
    const secrets = await findResource(context, "secrets");
    const found = await context.session.find(secrets, { namespace, name: secretName }).catch(() => ({}));
    if (found === undefined) lines.push(`secret/${secretName} of its certificate does not exist`);
  }
  const addresses = list(ingress, "status", "loadBalancer", "ingress");
  if (addresses.length === 0) lines.push("it has no address: no ingress controller has taken it");
  lines.push(...(await warningLines(context, ingress)));
  return { summary: lines.length === 0 ? "leads to services with ready pods" : "does not work yet", lines };
}

async function classLines(context: Context, ingress: Json): Promise<string[]> {
  const name = text(ingress, "spec", "ingressClassName");
  if (name === "") return [];
  const found = await context.session.find(await findResource(context, "ingressclasses"), { namespace: "", name });
  return found === undefined ? [`ingressclass/${name} does not exist`] : [];
}

function backendsOf(ingress: Json): { name: string; port: string }[] {
  const paths = list(ingress, "spec", "rules").flatMap((rule) => list(rule, "http", "paths"));
  return [object(ingress, "spec", "defaultBackend"), ...paths.map((path) => object(path, "backend"))]
    .map((backend) => object(backend, "service"))
    .map((service) => ({ name: text(service, "name"), port: portOf(service) }))
    .filter(({ name }) => name !== "");
}
