/** Annotations of nodes from before there were fields for them. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { type FieldError, type FieldErrors, invalid, required } from "../../../../machinery/status/field-error.ts";
import { parseAnnotatedList } from "../annotated-list.ts";
import { checkTaints } from "./spec.ts";

export const validateAnnotations = (metadata: ObjectMeta, environment: Environment): FieldErrors => [
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
