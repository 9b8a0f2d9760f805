/** Checks of nodes. */

import {
  cidrVersion,
  isCidr,
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
} from "../../../../machinery/meta/names.ts";
import { checker } from "../../../../machinery/schema/constraints.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import {
  duplicate,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  required,
} from "../../../../machinery/status/field-error.ts";
import { parseOddRange, takesOddForms } from "../../../address-forms.ts";
import { repeats } from "../../../validation.ts";
import { parseAnnotatedList } from "../annotated-list.ts";
import { validateResourceAmount } from "../pod/validate-resources.ts";
import { type NodeConfigSource, type NodeSpec, type NodeStatus, Taints } from "./spec.ts";

interface NodeLike {
  readonly metadata: ObjectMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

const checkTaints = checker(Taints);

export const validateNode = (node: NodeLike, environment: Environment): FieldError[] => [
  ...validateAnnotations(node.metadata, environment),
  ...validateAmounts(node.status, environment),
  ...validateRanges(node.spec?.podCIDRs ?? [], environment),
];

export function validateNodeUpdate(node: NodeLike, old: NodeLike, environment: Environment): FieldError[] {
  const errors = [
    ...validateAnnotations(node.metadata, environment),
    ...validateAmounts(node.status, environment),
    ...validateAddresses(node.status?.addresses ?? []),
    // v1.21 checks taints twice in an update: as taints of a node, and here.
    ...checkTaints(node.spec?.taints, "metadata.taints", environment),
    ...validateConfigSources(node, environment),
  ];
  const [ranges, before] = [node.spec?.podCIDRs ?? [], old.spec?.podCIDRs ?? []];
  const sameRanges = ranges.length === before.length && ranges.every((range, index) => range === before[index]);
  if (before.length > 0 && !sameRanges) {
    errors.push(forbidden("spec.podCIDRs", "may not be changed once it is set"));
  }
  if (old.spec?.providerID && node.spec?.providerID !== old.spec.providerID) {
    errors.push(forbidden("spec.providerID", "may not be changed once it is set"));
  }
  if ((node.spec?.externalID ?? "") !== (old.spec?.externalID ?? "")) {
    errors.push(forbidden("spec.externalID", "may not be updated"));
  }
  return errors;
}

function validateRanges(ranges: readonly string[], environment: Environment): FieldError[] {
  const path = "spec.podCIDRs";
  const isTaken = takesOddForms(environment) ? (range: string) => parseOddRange(range) !== undefined : () => false;
  const errors = ranges.flatMap((range, index) =>
    isTaken(range) ? [] : isCidr(range).map((problem) => invalid(`${path}[${index}]`, range, problem)),
  );
  if (ranges.length < 2) return errors;
  const families = ranges.map(cidrVersion);
  if (families.includes(0)) errors.push({ reason: "InternalError", field: path, message: "ranges could not be read" });
  if (ranges.length > 2 || !families.includes(4) || !families.includes(6)) {
    errors.push(invalid(path, ranges, "may hold no more than one range for each IP family"));
  }
  for (const index of repeats(ranges)) errors.push(duplicate(`${path}[${index}]`, ranges[index]));
  return errors;
}

const validateAmounts = (status: NodeStatus | undefined, environment: Environment): FieldError[] =>
  (["capacity", "allocatable"] as const).flatMap((field) =>
    Object.entries(status?.[field] ?? {}).flatMap(([name, amount]) =>
      validateResourceAmount(name, amount, `status.${field}.${name}`, environment),
    ),
  );

function validateAddresses(addresses: readonly { type: string; address: string }[]): FieldErrors {
  const seen = new Set<string>();
  return addresses.flatMap((address, index) => {
    const identity = `${address.type}\0${address.address}`;
    const errors = seen.has(identity) ? [duplicate(`status.addresses[${index}]`, address)] : [];
    seen.add(identity);
    return errors;
  });
}

const validateAnnotations = (metadata: ObjectMeta, environment: Environment): FieldError[] => [
  ...validateAnnotatedTaints(metadata, environment),
  ...validateAvoidPods(metadata, environment),
];

/** Taints as old clients write them. */
function validateAnnotatedTaints({ annotations }: ObjectMeta, environment: Environment): FieldErrors {
  const key = environment.vocabulary.word("scheduler.alpha.orch.io/taints");
  const text = annotations?.[key];
  if (!text) return [];
  const taints = parseAnnotatedList(text, { texts: ["key", "value", "effect"] });
  if (taints === undefined) return [invalid("metadata.annotations", key, "must be JSON of a list of taints")];
  const given = taints.map((taint) => ({ key: "", effect: "", ...taint }));
  return checkTaints(given, `metadata.annotations.${key}`, environment);
}

/** The annotation with which a node avoids pods of some controllers, as JSON. */
function validateAvoidPods({ annotations }: ObjectMeta, { vocabulary }: Environment): FieldError[] {
  const key = vocabulary.word("scheduler.alpha.orch.io/preferAvoidPods");
  const text = annotations?.[key];
  if (!text) return [];
  const entries = parseAvoidPods(text);
  if (entries === undefined) return [invalid("metadata.annotations.AvoidPods", key, "must be JSON of preferAvoidPods")];
  return entries.flatMap((entry, index) => {
    const path = `metadata.annotations.${key}[${index}].PodSignature`;
    const controller = entry.podSignature?.podController;
    if (!controller) return [required(path)];
    return controller.controller === true
      ? []
      : [invalid(`${path}.PodController.Controller`, controller.controller, "must point to a controller")];
  });
}

interface AvoidPodsEntry {
  readonly podSignature?: { readonly podController?: { readonly controller?: boolean } };
}

function parseAvoidPods(text: string): readonly AvoidPodsEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const entries = Object.hasOwn(value, "preferAvoidPods")
      ? (value as { preferAvoidPods?: unknown }).preferAvoidPods
      : [];
    if (!Array.isArray(entries)) return entries === null ? [] : undefined;
    return entries.every((entry) => typeof entry === "object" && entry !== null) ? entries : undefined;
  } catch {
    return undefined;
  }
}

function validateConfigSources({ spec, status }: NodeLike, environment: Environment): FieldError[] {
  const { assigned, active, lastKnownGood } = status?.config ?? {};
  return [
    ...validateConfigSource(spec?.configSource, "spec.configSource", "absent", environment),
    ...validateConfigSource(assigned, "status.config.assigned", "present", environment),
    ...validateConfigSource(active, "status.config.active", "present", environment),
    ...validateConfigSource(lastKnownGood, "status.config.lastKnownGood", "present", environment),
  ];
}

/** `identity`: whether the source names a revision of the config map, as only a status does. */
function validateConfigSource(
  source: NodeConfigSource | undefined,
  path: string,
  identity: "absent" | "present",
  { vocabulary }: Environment,
): FieldError[] {
  if (source === undefined) return [];
  const { configMap } = source;
  if (configMap === undefined) return [invalid(path, source, "exactly one reference must be given")];
  const at = `${path}.configMap`;
  const errors: FieldError[] = [];
  for (const field of ["uid", "resourceVersion"] as const) {
    if (identity === "absent" && configMap[field]) errors.push(forbidden(`${at}.${field}`, "must not be set in spec"));
    if (identity === "present" && !configMap[field]) errors.push(required(`${at}.${field}`));
  }
  const keyField = vocabulary.field("orchletConfigKey");
  const texts: Readonly<Record<string, string | undefined>> = { ...configMap };
  const checks = [
    { field: "namespace", check: isDns1123Label },
    { field: "name", check: isDns1123Subdomain },
    { field: keyField, check: isConfigMapKey },
  ];
  for (const { field, check } of checks) {
    const text = texts[field] ?? "";
    if (text === "") errors.push(required(`${at}.${field}`));
    else errors.push(...check(text).map((problem) => invalid(`${at}.${field}`, text, problem)));
  }
  return errors;
}
