/** MutatingAdmissionWebhook: calls the webhooks that match one after the other; each sees what the earlier ones changed. */

import { encodeJson } from "../../machinery/json/json.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { jsonPatch } from "./answer.ts";
import { type CallParts, callParts, callWebhook } from "./call.ts";
import { configuresWebhooks, followConfigurations } from "./configurations.ts";
import { createMatch } from "./match.ts";
import { applyPatch } from "./patched.ts";
import { createReinvocation, type Reinvocation } from "./reinvocation.ts";
import type { WebhookCandidate } from "./webhook-index.ts";

const name = "MutatingAdmissionWebhook";

/** Both rounds of a request call the webhooks that were configured when it arrived. */
interface Rounds {
  readonly candidates: readonly WebhookCandidate[];
  readonly reinvocation: Reinvocation;
}

export function createMutatingWebhooks(context: AdmissionContext): AdmissionPlugin {
  const parts = callParts(context, name);
  const configurations = followConfigurations(context.registry, context.catalog, "mutating");
  const underWay = new WeakMap<AdmissionRequest, Rounds>();
  return {
    name,
    handles: (request) =>
      underWay.has(request) || (configurations.current()(request).length > 0 && !configuresWebhooks(request.kind)),
    mutate(request) {
      let rounds = underWay.get(request);
      if (rounds === undefined) {
        rounds = { candidates: configurations.current()(request), reinvocation: createReinvocation() };
        underWay.set(request, rounds);
      }
      // However long they take, other requests are served meanwhile.
      const comeBack = request.releaseSeat();
      return callAll(context, parts, request, rounds).finally(comeBack);
    },
  };
}

async function callAll(
  context: AdmissionContext,
  parts: CallParts,
  request: AdmissionRequest,
  { candidates, reinvocation }: Rounds,
): Promise<void> {
  reinvocation.begin(request);
  let order = -1;
  for (const candidate of candidates) {
    const { webhook } = candidate;
    // Matched again each time: a webhook may change labels by which the next one is selected.
    if (!(await createMatch(context, request).calls(candidate))) continue;
    order += 1;
    if (!reinvocation.calls(request, webhook)) continue;
    const changed = await callOne(context, parts, request, candidate, order);
    reinvocation.called(webhook, changed);
    if (changed) request.changedBy(`webhook ${webhook.name} of ${webhook.configuration}`);
  }
  reinvocation.end(request);
}

async function callOne(
  { catalog }: AdmissionContext,
  parts: CallParts,
  request: AdmissionRequest,
  candidate: WebhookCandidate,
  /** Its position among the webhooks that match this request; audit annotations show it. */
  order: number,
): Promise<boolean> {
  const { configuration, name: webhook } = candidate.webhook;
  const { vocabulary } = catalog.environment;
  const note = (what: "mutation" | "patch", value: object) =>
    request.annotate(
      `${what}.webhook.${vocabulary.group("admission.orch.io")}/round_${request.round}_index_${order}`,
      encodeJson({ configuration, webhook, ...value }),
    );
  let mutated = false;
  try {
    const applied = await callWebhook(parts, request, candidate, (verdict, objects) =>
      applyPatch(catalog, request, candidate, verdict, objects),
    );
    mutated = applied?.changed === true;
    if (applied?.patch !== undefined) note("patch", { patch: applied.patch, patchType: jsonPatch });
  } finally {
    note("mutation", { mutated });
  }
  return mutated;
}
