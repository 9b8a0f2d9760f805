/**
 * Which webhooks and policies run in the second round of a request, as v1.21 does: those with the policy IfNeeded, when the
 * object changed after their call. A webhook that was not called in the first round is not called in the second either.
 */

import { copyJson, sameJson } from "../../machinery/json/json-value.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { Webhook } from "./webhook.ts";

/** A webhook or a policy. */
type Reinvocable = Pick<Webhook, "id" | "reinvoked">;

export interface Reinvocation {
  /** A round begins. Between rounds the server's own plugins may have changed the object. */
  begin(request: AdmissionRequest): void;
  /** Whether the webhook, which matches, is called in this round. */
  calls(request: AdmissionRequest, webhook: Reinvocable): boolean;
  called(webhook: Reinvocable, changed: boolean): void;
  end(request: AdmissionRequest): void;
}

export function createReinvocation(): Reinvocation {
  /** Called, and not yet followed by a change. */
  const unaware = new Set<string>();
  const due = new Set<string>();
  let lastOutput: unknown;
  const objectChanged = () => {
    for (const id of unaware) due.add(id);
    unaware.clear();
  };
  return {
    begin(request) {
      if (request.round === 1 && unaware.size > 0 && !sameJson(lastOutput, request.object)) objectChanged();
    },
    calls: (request, { id }) => request.round === 0 || due.has(id),
    called({ id, reinvoked }, changed) {
      if (changed) objectChanged();
      if (reinvoked) unaware.add(id);
    },
    end(request) {
      if (request.round === 0 && unaware.size > 0) lastOutput = copyJson(request.object);
    },
  };
}
