/** A webhook as it is matched and called, built from one entry of a configuration of either kind. */

import type { MutatingWebhookConfiguration } from "../../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import type { ValidatingWebhookConfiguration } from "../../api/admissionregistration/v1/validating-webhook-configuration.ts";
import type { RuleWithOperations } from "../../api/admissionregistration/v1/webhook-client.ts";
import type { Release } from "../../base/release.ts";
import type { WebhookTarget } from "../../base/webhook-caller.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import { WebhookConditions } from "./conditions.ts";

export type ReviewVersion = "v1" | "v1beta1";
export type WebhookType = "mutating" | "validating";

export interface Webhook {
  readonly type: WebhookType;
  /** The name of the object that configures it. */
  readonly configuration: string;
  readonly name: string;
  /** Identifies it, also among webhooks of the same name in the same configuration. */
  readonly id: string;
  readonly target: WebhookTarget;
  readonly rules: readonly RuleWithOperations[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  /** Expressions that must all be true for it to be called; undefined: none. */
  readonly conditions: WebhookConditions | undefined;
  /** Whether a rule for one version also holds for requests through another. */
  readonly matchesEquivalent: boolean;
  /** Whether a request continues when the call fails. */
  readonly ignoresFailure: boolean;
  /** Whether it may be called for a request that must not change anything. */
  readonly supportsDryRun: boolean;
  readonly timeoutMs: number;
  /** The first of its review versions that this server supports; undefined: none. */
  readonly reviewVersion: ReviewVersion | undefined;
  /** Whether it is called again when a later webhook changed the object. */
  readonly reinvoked: boolean;
}

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

const reviewVersions: ReadonlyMap<string, ReviewVersion> = new Map([
  ["v1", "v1"],
  ["v1beta1", "v1beta1"],
]);

/** `configuration` is of the hub version and has been validated, defaults included. */
export function webhooksOf(
  configuration: WebhookConfiguration,
  type: WebhookType,
  release: Release,
): readonly Webhook[] {
  const named = configuration.metadata.name ?? "";
  const seen = new Map<string, number>();
  return (configuration.webhooks ?? []).map((entry) => {
    const { name, clientConfig } = entry;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    const { service, url, caBundle = "" } = clientConfig;
    return {
      type,
      configuration: named,
      name,
      id: `${named}/${name}/${count}`,
      target: { url, service, authority: Buffer.from(caBundle, "base64").toString("utf8") },
      rules: entry.rules ?? [],
      namespaceSelector: labelSelectorFromObject(entry.namespaceSelector ?? {}),
      objectSelector: labelSelectorFromObject(entry.objectSelector ?? {}),
      conditions: entry.matchConditions?.length ? new WebhookConditions(entry.matchConditions, release) : undefined,
      matchesEquivalent: entry.matchPolicy === "Equivalent",
      ignoresFailure: entry.failurePolicy === "Ignore",
      supportsDryRun: entry.sideEffects === "None" || entry.sideEffects === "NoneOnDryRun",
      timeoutMs: (entry.timeoutSeconds ?? 10) * 1_000,
      reviewVersion: (entry.admissionReviewVersions ?? []).map((one) => reviewVersions.get(one)).find(Boolean),
      reinvoked: "reinvocationPolicy" in entry && entry.reinvocationPolicy === "IfNeeded",
    };
  });
}
