/** Checks of webhooks that depend on the version, or on what the configuration was before. */

import type { Steps } from "../../../base/time-slice.ts";
import { elided, list, nullable, string, struct } from "../../../machinery/schema/build.ts";
import { checksInSteps } from "../../../machinery/schema/checks-in-steps.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { both, type FieldErrors, noErrors } from "../../../machinery/status/field-error.ts";
import { includesKnown, speaksKnown } from "./list-rules.ts";
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
interface WebhookConfiguration {
  readonly webhooks?: readonly (Webhook & ConditionalWebhook)[];
}

/** The checks of configurations that were sent in one version. */
export function webhookChecks(rules: WebhookRules) {
  const checkNew = checkerOf(rules);
  return checksInSteps(function* (
    configuration: WebhookConfiguration,
    old: WebhookConfiguration | undefined,
    environment,
  ): Steps<FieldErrors> {
    let errors = checkNew(configuration, "", environment);
    yield;
    if (errors.length > 0 && old)
      errors = checkerOf(rulesForUpdate(rules, old.webhooks))(configuration, "", environment);
    return both(errors, yield* webhookConditionSteps(configuration.webhooks, environment));
  });
}

const anyEffects = ["Unknown", "None", "Some", "NoneOnDryRun"];

function checkerOf({ uniqueNames, noSideEffects, knownVersions }: WebhookRules) {
  const effects = noSideEffects ? harmless : anyEffects;
  const webhooks = elided(
    list(
      struct("", {
        name: string().required().unchecked(), // only to be unique: that it is required is said elsewhere
        sideEffects: nullable(string())
          .required(`must specify one of ${effects.join(", ")}`)
          .oneOf(effects),
        admissionReviewVersions: elided(list(string())).checked(knownVersions ? includesKnown : () => noErrors),
      }),
    ),
  );
  return checker<object>(
    struct("", { webhooks: uniqueNames ? webhooks.uniqueBy("name", { isOfValid: true }) : webhooks }),
  );
}
