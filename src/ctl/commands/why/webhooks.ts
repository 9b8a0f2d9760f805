/** Why calls of admission webhooks and of aggregated servers fail. */

import type { Context } from "../../context.ts";
import { type Json, list, object, text } from "../../json.ts";
import { conditionLines, type Explainer, type Explanation, indented } from "./explanation.ts";
import { backendLines } from "./services.ts";

export const webhookExplainers: readonly Explainer[] = [
  { kind: "ValidatingWebhookConfiguration", group: "admissionregistration.orch.io", explain: explainWebhooks },
  { kind: "MutatingWebhookConfiguration", group: "admissionregistration.orch.io", explain: explainWebhooks },
  { kind: "APIService", group: "apiregistration.orch.io", explain: explainApiService },
];

async function explainWebhooks(context: Context, configuration: Json): Promise<Explanation> {
  const lines: string[] = [];
  for (const webhook of list(configuration, "webhooks")) {
    const found = await serviceLines(context, object(webhook, "clientConfig", "service"));
    if (found.length === 0) continue;
    const fails = text(webhook, "failurePolicy") !== "Ignore";
    const what = list(webhook, "rules").flatMap((rule) => (Array.isArray(rule["resources"]) ? rule["resources"] : []));
    const effect = fails
      ? `writes of ${[...new Set(what)].join(", ")} are refused meanwhile`
      : "its failures are ignored";
    lines.push(`webhook ${text(webhook, "name")} cannot be called; ${effect}`, ...indented(found));
  }
  const count = list(configuration, "webhooks").length;
  return lines.length === 0
    ? { summary: `has ${count} webhooks whose services have ready pods, or that are called by their URL`, lines }
    : { summary: "has webhooks that fail", lines };
}

async function serviceLines(context: Context, service: Json): Promise<string[]> {
  const [namespace, name] = [text(service, "namespace"), text(service, "name")];
  if (name === "") return [];
  return backendLines(context, { namespace, name, port: text(service, "port") || "443" });
}

async function explainApiService(context: Context, api: Json): Promise<Explanation> {
  const lines = conditionLines(api, (one) => one["type"] === "Available" && one["status"] !== "True");
  if (lines.length === 0) return { summary: "is available", lines };
  const service = object(api, "spec", "service");
  return { summary: "is not available", lines: [...lines, ...(await serviceLines(context, service))] };
}
