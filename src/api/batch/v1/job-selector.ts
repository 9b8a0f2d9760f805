/** The selector by which a job finds its pods, and the labels it gives them for that. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { labelSelectorFromObject } from "../../../machinery/selectors/label-selector.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import { has } from "../../features.ts";
import { isSoundSelector, type LabelSelector } from "../../meta/label-selector.ts";
import type { JobSpec } from "./job-spec.ts";

interface JobParts {
  metadata: ObjectMeta;
  spec?: JobSpec;
}

const uidLabel = "controller-uid";
const nameLabel = "job-name";

/**
 * The labels of a job's pods, and the one by which they are selected. A job that was made where none had a prefix, `old`, keeps its own.
 */
function generatedLabels({ metadata }: JobParts, environment: Environment, old?: JobParts) {
  const [uid, name] = [metadata.uid ?? "", metadata.name ?? ""];
  const plain = { [uidLabel]: uid, [nameLabel]: name };
  const prefixed = (label: string) => environment.vocabulary.word(`batch.orch.io/${label}`);
  const isOlder = old !== undefined && old.spec?.template.metadata?.labels?.[prefixed(uidLabel)] === undefined;
  if (!has(environment, "prefixedJobLabels") || isOlder) return { labels: plain, selected: { [uidLabel]: uid } };
  return {
    labels: { ...plain, [prefixed(uidLabel)]: uid, [prefixed(nameLabel)]: name },
    selected: { [prefixed(uidLabel)]: uid },
  };
}

/** A job without labels has those of its pods: the same object, so that generated ones become the job's as well. */
export function shareLabels({ metadata, spec }: JobParts): void {
  const labels = spec?.template.metadata?.labels;
  if (labels && Object.keys(labels).length > 0 && isEmpty(metadata.labels)) metadata.labels = labels;
}

/** Labels that a user gave are kept; validation refuses those that would find other pods. */
export function generateSelector(job: JobParts, environment: Environment): void {
  const { metadata, spec } = job;
  if (spec === undefined || spec.manualSelector === true) return;
  const { template } = spec;
  const given = template.metadata?.labels;
  const generated = generatedLabels(job, environment);
  const labels = { ...generated.labels, ...given };
  const isShared = given !== undefined && metadata.labels === given;
  template.metadata = { ...template.metadata, labels };
  if (isShared) metadata.labels = { ...labels };
  const { matchLabels, ...rest } = spec.selector ?? {};
  spec.selector = { matchLabels: { ...generated.selected, ...matchLabels }, ...rest };
}

/** Unless manualSelector is set, the labels and the selector must be the generated ones. */
export function validateGeneratedSelector(job: JobParts, environment: Environment, old?: JobParts): FieldError[] {
  const { spec } = job;
  if (!spec?.selector || spec.manualSelector === true) return [];
  const { labels: expected } = generatedLabels(job, environment, old);
  const path = "spec.template.metadata.labels";
  const labels = spec.template.metadata?.labels ?? {};
  const errors = Object.entries(expected).flatMap(([key, value]) => {
    if (!Object.hasOwn(labels, key)) return [required(`${path}[${key}]`, `must be '${value}'`)];
    return labels[key] === value ? [] : [invalid(`${path}[${key}]`, labels[key], `must be '${value}'`)];
  });
  if (isSoundSelector(spec.selector) && !selects(spec.selector, expected)) {
    errors.push(invalid("spec.selector", spec.selector, "`selector` is not the generated one"));
  }
  return errors;
}

/** Generated or not, a selector exists and matches the pods of the template. */
export function validateSelector({ selector, template }: JobSpec, environment: Environment): FieldError[] {
  const errors: FieldError[] = selector
    ? [...validateLabelSelector(selector, "spec.selector", environment)]
    : [required("spec.selector")];
  const labels = template.metadata?.labels ?? {};
  if (!selector || (isSoundSelector(selector) && !selects(selector, labels))) {
    errors.push(invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"));
  }
  return errors;
}

const isEmpty = (labels: ObjectMeta["labels"]) => Object.keys(labels ?? {}).length === 0;
const selects = (selector: LabelSelector, labels: Readonly<Record<string, string>>) =>
  labelSelectorFromObject(selector).matches(new Map(Object.entries(labels)));
