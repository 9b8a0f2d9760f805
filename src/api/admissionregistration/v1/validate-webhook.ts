/** Checks of webhooks that depend on the version, or on what the configuration was before. */

import type { Steps } from "../../../base/time-slice.ts";
import { checksInSteps } from "../../../machinery/schema/checks-in-steps.ts";
import {
  both,
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  notSupported,
  ofEach,
  required,
} from "../../../machinery/status/field-error.ts";
import { knownReviewVersions } from "./list-rules.ts";
import { type ConditionalWebhook, webhookConditionSteps } from "./match-resources.ts";

interface Webhook {
  readonly name: string;
  readonly sideEffects?: string | null;
  readonly admissionReviewVersions?: readonly string[] | null;
}

/** The rules of v1 beyond those of v1beta1, and those of every new configuration. */
interface WebhookRules {
  readonly uniqueNames: boolean;
  readonly noSideEffects: boolean;
  /** At least one review version that this server speaks. */
  readonly knownVersions: boolean;
}
export const v1Rules: WebhookRules = { uniqueNames: true, noSideEffects: true, knownVersions: true };
export const v1beta1Rules: WebhookRules = { uniqueNames: false, noSideEffects: false, knownVersions: true };

/** An update need not meet rules that the object did not meet before: old objects stay writable. */
function rulesForUpdate(rules: WebhookRules, old: readonly Webhook[] | undefined): WebhookRules {
  const before = old ?? [];
  return {
    uniqueNames: rules.uniqueNames && new Set(before.map(({ name }) => name)).size === before.length,
    noSideEffects: rules.noSideEffects && before.every(({ sideEffects }) => harmless.includes(sideEffects ?? "")),
    knownVersions: rules.knownVersions && before.every((webhook) => speaksKnown(webhook.admissionReviewVersions ?? [])),
  };
}

const harmless = ["None", "NoneOnDryRun"];
const speaksKnown = (versions: readonly string[]) => versions.some((version) => knownReviewVersions.includes(version));

interface WebhookConfiguration {
  readonly webhooks?: readonly (Webhook & ConditionalWebhook)[];
}

/** The checks of configurations that were sent in one version. */
export const webhookChecks = (rules: WebhookRules) =>
  checksInSteps(function* (
    { webhooks }: WebhookConfiguration,
    old: WebhookConfiguration | undefined,
    environment,
  ): Steps<FieldErrors> {
    const errors = validateWebhooks(webhooks, old === undefined ? rules : rulesForUpdate(rules, old.webhooks));
    yield;
    return both(errors, yield* webhookConditionSteps(webhooks, environment));
  });

function validateWebhooks(webhooks: readonly Webhook[] | undefined, rules: WebhookRules): FieldErrors {
  const names = new Set<string>();
  const effects = rules.noSideEffects ? harmless : ["Unknown", "None", "Some", "NoneOnDryRun"];
  return ofEach(webhooks, ({ name, sideEffects, admissionReviewVersions }, index) => {
    const path = `webhooks[${index}]`;
    const errors: FieldError[] = [];
    if (rules.uniqueNames && name !== "" && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    if (sideEffects === undefined || sideEffects === null)
      errors.push(required(`${path}.sideEffects`, `must specify one of ${effects.join(", ")}`));
    else if (!effects.includes(sideEffects)) errors.push(notSupported(`${path}.sideEffects`, sideEffects, effects));
    const versions = admissionReviewVersions ?? [];
    if (rules.knownVersions && versions.length > 0 && !speaksKnown(versions)) {
      const problem = `must include at least one of ${knownReviewVersions.join(", ")}`;
      errors.push(invalid(`${path}.admissionReviewVersions`, versions, problem));
    }
    return errors;
  });
}
