/** Checks of how pods choose nodes. */

import { validateLabelSelector } from "../../../../machinery/meta/label-selector.ts";
import { validateLabelKey } from "../../../../machinery/meta/labels.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from "../../../../machinery/meta/names.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import {
  addTo,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  ofEach,
  required,
} from "../../../../machinery/status/field-error.ts";
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from "./scheduling.ts";

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[] | undefined, path: string): FieldErrors {
  return ofEach(tolerations, (toleration, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
    if (key !== "") errors.push(...validateLabelKey(key, `${at}.key`));
    if (key === "" && operator !== "Exists") {
      errors.push(
        invalid(
          `${at}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    if (operator === "Equal" || operator === "") {
      const problems = isLabelValue(value);
      if (problems.length > 0) errors.push(invalid(`${at}.operator`, value, problems.join("; ")));
    } else if (operator === "Exists") {
      if (value !== "")
        errors.push(invalid(`${at}.operator`, toleration, "value must be empty when `operator` is 'Exists'"));
    } else errors.push(notSupported(`${at}.operator`, operator, ["Equal", "Exists"]));
    if (effect !== "" && !taintEffects.includes(effect))
      errors.push(notSupported(`${at}.effect`, effect, taintEffects));
    return errors;
  });
}

export function validateAffinity(affinity: Affinity | undefined, path: string): FieldError[] {
  if (affinity === undefined) return [];
  const errors: FieldError[] = [];
  const node = affinity.nodeAffinity;
  if (node?.requiredDuringSchedulingIgnoredDuringExecution) {
    addTo(
      errors,
      validateNodeSelector(
        node.requiredDuringSchedulingIgnoredDuringExecution,
        `${path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`,
      ),
    );
  }
  (node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach((term, index) => {
    const at = `${path}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
    addTo(errors, validateWeight(term.weight, `${at}.weight`));
    addTo(errors, validateTerm(term.preference, `${at}.preference`));
  });
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    const at = `${path}.${kind}`;
    (affinity[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []).forEach((term, index) => {
      addTo(errors, validatePodTerm(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`));
    });
    (affinity[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach((term, index) => {
      const one = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      addTo(errors, validateWeight(term.weight, `${one}.weight`));
      addTo(errors, validatePodTerm(term.podAffinityTerm, `${one}.podAffinityTerm`));
    });
  }
  return errors;
}

const validateWeight = (weight: number, path: string): FieldError[] =>
  weight < 1 || weight > 100 ? [invalid(path, weight, "must be in the range 1-100")] : [];

export function validateNodeSelector(selector: NodeSelector, path: string): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(`${path}.nodeSelectorTerms`, "must have at least one node selector term")];
  return terms.flatMap((term, index) => validateTerm(term, `${path}.nodeSelectorTerms[${index}]`));
}

function validateTerm(term: NodeSelectorTerm, path: string): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((one, index) =>
      validateExpression(one, `${path}.matchExpressions[${index}]`),
    ),
    ...(term.matchFields ?? []).flatMap((one, index) => validateFieldRequirement(one, `${path}.matchFields[${index}]`)),
  ];
}

function validateExpression(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const count = (requirement.values ?? []).length;
  switch (requirement.operator) {
    case "In":
    case "NotIn":
      if (count === 0) errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (count > 0)
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case "Gt":
    case "Lt":
      if (count !== 1)
        errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(`${path}.operator`, requirement.operator, "not a valid selector operator"));
  }
  return [...errors, ...validateLabelKey(requirement.key, `${path}.key`)];
}

function validateFieldRequirement(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const values = requirement.values ?? [];
  if (requirement.operator === "In" || requirement.operator === "NotIn") {
    if (values.length !== 1)
      errors.push(
        required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
      );
  } else errors.push(invalid(`${path}.operator`, requirement.operator, "not a valid selector operator"));
  if (requirement.key !== "metadata.name")
    return [...errors, invalid(`${path}.key`, requirement.key, "not a valid field selector key")];
  values.forEach((value, index) => {
    errors.push(...isDns1123Subdomain(value).map((problem) => invalid(`${path}.values[${index}]`, value, problem)));
  });
  return errors;
}

function validatePodTerm(term: PodAffinityTerm, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (term.labelSelector) addTo(errors, validateLabelSelector(term.labelSelector, `${path}.labelSelector`));
  if (term.namespaceSelector) addTo(errors, validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`));
  for (const name of term.namespaces ?? []) {
    errors.push(...isDns1123Label(name).map((problem) => invalid(`${path}.namespace`, name, problem)));
  }
  if (term.topologyKey === "") errors.push(required(`${path}.topologyKey`, "can not be empty"));
  return [...errors, ...validateLabelKey(term.topologyKey, `${path}.topologyKey`)];
}

export function validateSpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: string,
): FieldError[] {
  const keyOf = (constraint: TopologySpreadConstraint) => `${constraint.topologyKey}, ${constraint.whenUnsatisfiable}`;
  const all = constraints ?? [];
  const last = new Map(all.map((constraint, index) => [keyOf(constraint), index]));
  return all.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (constraint.maxSkew <= 0) errors.push(invalid(`${at}.maxSkew`, constraint.maxSkew, "must be greater than zero"));
    if (constraint.topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    const actions = ["DoNotSchedule", "ScheduleAnyway"];
    if (!actions.includes(constraint.whenUnsatisfiable))
      errors.push(notSupported(`${at}.whenUnsatisfiable`, constraint.whenUnsatisfiable, actions));
    const key = keyOf(constraint);
    if (last.get(key) !== index) {
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}}`));
    }
    return errors;
  });
}
