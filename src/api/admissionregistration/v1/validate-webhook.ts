/** Checks of the webhooks that both kinds of configuration list. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { isDns1035Label, isFullyQualifiedName } from "../../../machinery/meta/names.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { repeats } from "../../validation.ts";
import { validateClient } from "./validate-client.ts";
import type { RuleWithOperations, WebhookClientConfig } from "./webhook-client.ts";

export interface Webhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string | null;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[] | null;
  readonly matchPolicy?: string;
  readonly reinvocationPolicy?: string;
}

const knownReviewVersions = ["v1", "v1beta1"];
const timeoutSecondsMax = 30;
const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
const scopes = ["*", "Cluster", "Namespaced"];

/** The rules of v1 beyond those of v1beta1, and those of every new configuration. */
export interface WebhookRules {
  readonly uniqueNames: boolean;
  readonly noSideEffects: boolean;
  /** At least one review version that this server speaks. */
  readonly knownVersions: boolean;
}
export const v1Rules: WebhookRules = { uniqueNames: true, noSideEffects: true, knownVersions: true };
export const v1beta1Rules: WebhookRules = { uniqueNames: false, noSideEffects: false, knownVersions: true };

/** An update need not meet rules that the object did not meet before: old objects stay writable. */
export function rulesForUpdate(rules: WebhookRules, old: readonly Webhook[] | undefined): WebhookRules {
  const before = old ?? [];
  return {
    uniqueNames: rules.uniqueNames && new Set(before.map(({ name }) => name)).size === before.length,
    noSideEffects: rules.noSideEffects && before.every(({ sideEffects }) => harmless.includes(sideEffects ?? "")),
    knownVersions: rules.knownVersions && before.every((webhook) => speaksKnown(webhook.admissionReviewVersions ?? [])),
  };
}

const harmless = ["None", "NoneOnDryRun"];
const speaksKnown = (versions: readonly string[]) => versions.some((version) => knownReviewVersions.includes(version));

export function validateWebhooks(webhooks: readonly Webhook[] | undefined, rules: WebhookRules): FieldError[] {
  const names = new Set<string>();
  return (webhooks ?? []).flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const errors = validateWebhook(webhook, rules, path);
    if (rules.uniqueNames && webhook.name !== "" && names.has(webhook.name))
      errors.push(duplicate(`${path}.name`, webhook.name));
    names.add(webhook.name);
    const versions = webhook.admissionReviewVersions ?? [];
    return [...errors, ...validateReviewVersions(versions, rules.knownVersions, `${path}.admissionReviewVersions`)];
  });
}

function validateWebhook(webhook: Webhook, { noSideEffects }: WebhookRules, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (webhook.name === "") errors.push(required(`${path}.name`));
  else
    errors.push(...isFullyQualifiedName(webhook.name).map((problem) => invalid(`${path}.name`, webhook.name, problem)));
  const effects = noSideEffects ? harmless : ["Unknown", "None", "Some", "NoneOnDryRun"];
  if (webhook.sideEffects === undefined || webhook.sideEffects === null)
    errors.push(required(`${path}.sideEffects`, `must specify one of ${effects.join(", ")}`));
  const seconds = webhook.timeoutSeconds;
  if (seconds !== undefined && (seconds < 1 || seconds > timeoutSecondsMax)) {
    errors.push(
      invalid(
        `${path}.timeoutSeconds`,
        seconds,
        `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`,
      ),
    );
  }
  return [
    ...errors,
    ...oneOf(webhook.sideEffects, effects, `${path}.sideEffects`),
    ...oneOf(webhook.failurePolicy, ["Ignore", "Fail"], `${path}.failurePolicy`),
    ...oneOf(webhook.matchPolicy, ["Exact", "Equivalent"], `${path}.matchPolicy`),
    ...oneOf(webhook.reinvocationPolicy, ["Never", "IfNeeded"], `${path}.reinvocationPolicy`),
    ...(webhook.rules ?? []).flatMap((rule, index) => validateRule(rule, `${path}.rules[${index}]`)),
    ...validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`),
    ...validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`),
    ...validateClient(webhook.clientConfig, `${path}.clientConfig`),
  ];
}

/** An empty text counts as present. */
const oneOf = (value: string | null | undefined, allowed: readonly string[], path: string): FieldError[] =>
  value === undefined || value === null || allowed.includes(value) ? [] : [notSupported(path, value, allowed)];

function validateReviewVersions(versions: readonly string[], known: boolean, path: string): FieldError[] {
  if (versions.length === 0) return [required(path, `must specify one of ${knownReviewVersions.join(", ")}`)];
  const repeated = repeats(versions);
  const errors = versions.flatMap((version, index) => {
    const at = `${path}[${index}]`;
    if (repeated.has(index)) return [invalid(at, version, "duplicate version")];
    return isDns1035Label(version).map((problem) => invalid(at, version, problem));
  });
  if (known && !speaksKnown(versions)) {
    errors.push(invalid(path, versions, `must include at least one of ${knownReviewVersions.join(", ")}`));
  }
  return errors;
}

export function validateRule(rule: RuleWithOperations, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const list = (field: "operations" | "apiGroups" | "apiVersions", what: string) => {
    const values = rule[field] ?? [];
    if (values.length === 0) errors.push(required(`${path}.${field}`));
    if (values.length > 1 && values.includes("*")) {
      errors.push(invalid(`${path}.${field}`, values, `if '*' is present, must not specify other ${what}`));
    }
    return values;
  };
  list("operations", "operations").forEach((operation, index) => {
    if (!operations.includes(operation))
      errors.push(notSupported(`${path}.operations[${index}]`, operation, operations));
  });
  list("apiGroups", "API groups");
  list("apiVersions", "API versions").forEach((version, index) => {
    if (version === "") errors.push(required(`${path}.apiVersions[${index}]`));
  });
  return [
    ...errors,
    ...validateResources(rule.resources ?? [], `${path}.resources`),
    ...oneOf(rule.scope, scopes, `${path}.scope`),
  ];
}

/** Wildcards must not be listed with what they already cover; v1.21 checks only those that come first. */
function validateResources(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  // Of the resources without a subresource v1.21 checks the last.
  const plain = resources.filter((one) => one !== "" && !one.includes("/"));
  if (plain.includes("*") && plain.at(-1) !== "*") {
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  }
  const allSubresourcesOf = new Set<string>();
  const subresourceOfAll = new Set<string>();
  resources.forEach((one, index) => {
    const at = `${path}[${index}]`;
    if (one === "") errors.push(required(at));
    const slash = one.indexOf("/");
    if (slash < 0) return;
    const [resource, subresource] = [one.slice(0, slash), one.slice(slash + 1)];
    if (allSubresourcesOf.has(resource))
      errors.push(invalid(at, one, `if '${resource}/*' is present, must not specify ${one}`));
    if (subresourceOfAll.has(subresource))
      errors.push(invalid(at, one, `if '*/${subresource}' is present, must not specify ${one}`));
    if (subresource === "*") allSubresourcesOf.add(resource);
    if (resource === "*") subresourceOfAll.add(subresource);
  });
  return errors;
}
