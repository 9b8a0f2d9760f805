/** pods/resize: changes the cpu and memory of the containers of a pod that exists. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { Subresource } from "../../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  ofEach,
} from "../../../../machinery/status/field-error.ts";
import { mirrorKey } from "./annotations.ts";
import type { Container, ResourceRequirements } from "./container.ts";
import { withoutKeptPages } from "./kept-huge-pages.ts";
import { qosClass } from "./qos.ts";
import { PodSpec } from "./spec.ts";
import { noSpec, validatePod } from "./validate.ts";

interface PodParts {
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
}

export const resizePath: Subresource<PodParts> = {
  name: "resize",
  verbs: ["get", "patch", "update"],
  since: "1.32",
  behind: "InPlacePodVerticalScaling",
  merge(written, parent, environment) {
    // The registry has decoded the body as a pod.
    const { metadata, spec = noSpec } = written as PodParts;
    const { resourceVersion, managedFields } = metadata;
    return {
      ...parent,
      metadata: {
        ...parent.metadata,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(managedFields === undefined ? {} : { managedFields }),
      },
      spec: withResourcesOf(parent.spec ?? noSpec, spec, environment),
    };
  },
  validate: validateResize,
};

const kinds = ["containers", "initContainers"] as const;

/** The old spec with the resources and resize policies of the new one. Containers that do not match are kept for validation. */
function withResourcesOf(before: PodSpec, spec: PodSpec, environment: Environment): PodSpec {
  const merged = { ...before };
  if (resizesPods(environment)) {
    delete merged.resources;
    if (spec.resources !== undefined) merged.resources = spec.resources;
  }
  for (const kind of kinds) {
    const now = spec[kind] ?? [];
    const old = before[kind] ?? [];
    if (now.length === 0 && old.length === 0) continue;
    const isMatching = now.length === old.length && now.every(({ name }, index) => name === old[index]?.name);
    merged[kind] = isMatching
      ? now.map((container, index) => withPartsOf(old[index] ?? container, container))
      : [...now];
  }
  return merged;
}

function withPartsOf(before: Container, { resources, resizePolicy }: Container): Container {
  const { resources: _resources, resizePolicy: _policy, ...rest } = before;
  return { ...rest, ...(resources ? { resources } : {}), ...(resizePolicy ? { resizePolicy } : {}) };
}

/** Whether the resources of a pod as a whole can be changed. */
const resizesPods = ({ gates }: Environment): boolean => gates.enabled("InPlacePodLevelResourcesVerticalScaling");

/** Fields and order are those of v1.35. */
function validateResize(pod: PodParts, old: PodParts, environment: Environment): FieldErrors {
  const [spec, before] = [pod.spec ?? noSpec, old.spec ?? noSpec];
  const unfit = unfitFor(old, environment);
  if (unfit !== undefined) return [forbidden("[]", unfit)];
  const names = ofEach(kinds, (kind) => validateNames(spec[kind] ?? [], before[kind] ?? [], `spec.${kind}`));
  if (names.length > 0) return names;
  const errors: FieldError[] = [...withoutKeptPages(validatePod(pod, environment), before)];
  for (const kind of kinds) {
    for (const [index, { resources }] of (spec[kind] ?? []).entries()) {
      const at = `spec.${kind}[${index}].resources`;
      errors.push(...validateKept(resources, before[kind]?.[index]?.resources, at));
    }
  }
  if (resizesPods(environment)) errors.push(...validateKept(spec.resources, before.resources, "spec.resources"));
  if (qosClass(spec) !== qosClass(before)) {
    errors.push(invalid("spec", qosClass(spec), "the QoS class of a pod may not change as a result of a resize"));
  }
  if (!sameValue(withSizesOf(spec, before, environment), before, PodSpec)) {
    errors.push(forbidden("spec", "a resize may only change the cpu and memory of containers and sidecars"));
  }
  return errors;
}

function unfitFor({ metadata, spec }: PodParts, environment: Environment): string | undefined {
  if (spec?.os?.name === "windows") return "pods for windows cannot be resized";
  if (metadata.annotations?.[mirrorKey(environment)] !== undefined) return "mirror pods cannot be resized";
  if (spec?.resources && !resizesPods(environment)) return "pods with resources of their own cannot be resized";
  return undefined;
}

function validateNames(now: readonly Container[], before: readonly Container[], path: string): FieldErrors {
  if (now.length !== before.length) return [forbidden(path, "a resize may not add or remove containers")];
  return ofEach(now, ({ name }, index) =>
    name === before[index]?.name
      ? []
      : [forbidden(`${path}[${index}].name`, "a resize may not rename or reorder containers")],
  );
}

const sizes = ["cpu", "memory"];

function validateKept(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
  path: string,
): FieldErrors {
  return ofEach(["requests", "limits"] as const, (list) =>
    sizes.some((name) => before?.[list]?.[name] !== undefined && now?.[list]?.[name] === undefined)
      ? [forbidden(`${path}.${list}`, `${list} cannot be removed`)]
      : [],
  );
}

/** `spec` with the sizes of the old containers. */
function withSizesOf(spec: PodSpec, before: PodSpec, environment: Environment): PodSpec {
  const sized = (container: Container, old: Container | undefined): Container => ({
    ...container,
    resources: withOldSizes(container.resources, old?.resources),
  });
  const { initContainers, resources } = spec;
  const isAny = environment.gates.enabled("InPlacePodVerticalScalingInitContainers");
  const isPodSized = resources !== undefined && before.resources !== undefined && resizesPods(environment);
  return {
    ...spec,
    ...(isPodSized && { resources: withOldSizes(resources, before.resources) }),
    containers: (spec.containers ?? []).map((container, index) => sized(container, before.containers?.[index])),
    ...(initContainers
      ? {
          initContainers: initContainers.map((container, index) =>
            isAny || container.restartPolicy === "Always"
              ? sized(container, before.initContainers?.[index])
              : container,
          ),
        }
      : {}),
  };
}

function withOldSizes(now: ResourceRequirements | undefined, old: ResourceRequirements | undefined) {
  const resources: ResourceRequirements = { ...now };
  for (const list of ["requests", "limits"] as const) {
    const others = Object.entries(resources[list] ?? {}).filter(([name]) => !sizes.includes(name));
    const kept = Object.entries(old?.[list] ?? {}).filter(([name]) => sizes.includes(name));
    if (others.length + kept.length === 0) delete resources[list];
    else resources[list] = Object.fromEntries([...others, ...kept]);
  }
  return resources;
}
