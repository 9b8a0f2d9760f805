/** Checks of whole pods and of their updates. */

import { isQualifiedName } from "../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { forbidden, invalid, required } from "../../../machinery/status/field-error.ts";
import { sameValue } from "../../same-value.ts";
import type { Container } from "./container.ts";
import { validateSeccompAnnotations } from "./pod-seccomp.ts";
import type { PodSpec } from "./pod-spec.ts";
import { validateDeadline, validatePodSpec } from "./validate-pod-spec.ts";

export interface PodLike {
  metadata: ObjectMeta;
  spec?: PodSpec;
}

const noSpec: PodSpec = { containers: [] };

export function validatePod(pod: PodLike, environment: Environment): FieldError[] {
  return [...validatePodAnnotations(pod, environment), ...validatePodSpec(pod.spec ?? noSpec, "spec", environment)];
}

/** What annotations of a pod or of a template may say about the pod. */
export function validatePodAnnotations(pod: PodLike, environment: Environment): FieldError[] {
  const { vocabulary } = environment;
  const errors: FieldError[] = [];
  const annotations = pod.metadata.annotations ?? {};
  const mirror = vocabulary.word("orch.io/config.mirror");
  if (annotations[mirror] !== undefined && !pod.spec?.nodeName) {
    errors.push(
      invalid(
        `metadata.annotations[${mirror}]`,
        annotations[mirror],
        "must set spec.nodeName if mirror pod annotation is set",
      ),
    );
  }
  errors.push(...validateSeccompAnnotations(pod, environment));
  const prefix = vocabulary.word("container.apparmor.security.beta.orch.io/");
  const names = new Set([...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].map(({ name }) => name));
  for (const [key, profile] of Object.entries(annotations)) {
    if (!key.startsWith(prefix)) continue;
    const container = key.slice(prefix.length);
    const field = `metadata.annotations[${key}]`;
    if (!names.has(container)) errors.push(invalid(field, container, "container not found"));
    if (
      profile !== "" &&
      profile !== "runtime/default" &&
      profile !== "unconfined" &&
      !profile.startsWith("localhost/")
    ) {
      errors.push(invalid(field, profile, `invalid AppArmor profile name: "${profile}"`));
    }
  }
  return errors;
}

/** Of a pod's spec only images, the deadline and tolerations may change, the last two in one direction. */
export function validatePodUpdate(pod: PodLike, old: PodLike, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const spec = pod.spec ?? noSpec;
  const oldSpec = old.spec ?? noSpec;
  errors.push(...validatePodAnnotations(pod, environment), ...validateMirrorUnchanged(pod, old, environment));
  if ((spec.containers ?? []).length !== (oldSpec.containers ?? []).length) {
    return [...errors, forbidden("spec.containers", "pod updates may not add or remove containers")];
  }
  if ((spec.initContainers ?? []).length !== (oldSpec.initContainers ?? []).length) {
    return [...errors, forbidden("spec.initContainers", "pod updates may not add or remove containers")];
  }
  for (const kind of ["containers", "initContainers"] as const) {
    (spec[kind] ?? []).forEach((container, index) => {
      const image = container.image ?? "";
      if (image === "") errors.push(required(`spec.${kind}[${index}].image`));
      else if (image !== image.trim()) {
        errors.push(invalid(`spec.${kind}[${index}].image`, image, "must not have leading or trailing whitespace"));
      }
    });
  }
  errors.push(...validateDeadlineUpdate(spec, oldSpec), ...validateTolerationsUpdate(spec, oldSpec));
  if (errors.length > 0) return errors;
  const restored: PodSpec = {
    ...spec,
    containers: withImagesOf(spec.containers, oldSpec.containers) ?? [],
    ...(spec.initContainers
      ? { initContainers: withImagesOf(spec.initContainers, oldSpec.initContainers ?? []) ?? [] }
      : {}),
    tolerations: oldSpec.tolerations ?? [],
  };
  if (oldSpec.activeDeadlineSeconds === undefined) delete restored.activeDeadlineSeconds;
  else restored.activeDeadlineSeconds = oldSpec.activeDeadlineSeconds;
  if (sameValue(restored, oldSpec)) return [];
  return [
    forbidden(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)",
    ),
  ];
}

function withImagesOf(
  containers: readonly Container[] | null,
  old: readonly Container[] | null,
): Container[] | undefined {
  return containers?.map((container, index) => {
    const image = old?.[index]?.image;
    const { image: _image, ...rest } = container;
    return image === undefined ? rest : { ...rest, image };
  });
}

function validateMirrorUnchanged(pod: PodLike, old: PodLike, { vocabulary }: Environment): FieldError[] {
  const key = vocabulary.word("orch.io/config.mirror");
  const [now, before] = [pod.metadata.annotations?.[key], old.metadata.annotations?.[key]];
  return now === before
    ? []
    : [forbidden(`metadata.annotations[${key}]`, "may not remove or update mirror pod annotation")];
}

function validateDeadlineUpdate(spec: PodSpec, old: PodSpec): FieldError[] {
  const path = "spec.activeDeadlineSeconds";
  const [now, before] = [spec.activeDeadlineSeconds, old.activeDeadlineSeconds];
  if (now !== undefined) {
    const errors = validateDeadline(now, path);
    if (errors.length > 0) return errors;
    return before !== undefined && now > before
      ? [invalid(path, now, "must be less than or equal to previous value")]
      : [];
  }
  return before === undefined ? [] : [invalid(path, null, "must not update from a positive integer to nil value")];
}

/** Tolerations may only be added; the seconds of those that run out may change. */
function validateTolerationsUpdate(spec: PodSpec, old: PodSpec): FieldError[] {
  const now = spec.tolerations ?? [];
  const withoutSeconds = ({ tolerationSeconds: _seconds, ...rest }: (typeof now)[number]) => rest;
  const kept = (old.tolerations ?? []).every((before) =>
    now.some((one) => {
      if (before.effect !== "NoExecute" || before.tolerationSeconds === undefined) return sameValue(one, before);
      return sameValue(withoutSeconds(one), withoutSeconds(before));
    }),
  );
  return kept
    ? []
    : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

/** What the node agent may not do to a pod's status. */
export function validatePodStatusUpdate(
  pod: { spec?: PodSpec; status?: PodStatusLike },
  old: { spec?: PodSpec; status?: PodStatusLike },
): FieldError[] {
  const errors: FieldError[] = [];
  const nominated = pod.status?.nominatedNodeName;
  if (nominated)
    errors.push(...isQualifiedName(nominated).map((p) => invalid("status.nominatedNodeName", nominated, p)));
  const policy = pod.spec?.restartPolicy;
  for (const kind of ["containerStatuses", "initContainerStatuses"] as const) {
    if (policy === "Always" || (kind === "initContainerStatuses" && policy === "OnFailure")) continue;
    for (const [index, before] of (old.status?.[kind] ?? []).entries()) {
      if (before.state?.terminated === undefined) continue;
      if (policy === "OnFailure" && before.state.terminated.exitCode !== 0) continue;
      const now = (pod.status?.[kind] ?? []).find(({ name }) => name === before.name);
      if (now && now.state?.terminated === undefined) {
        errors.push(forbidden(`status.${kind}[${index}].state`, "may not be transitioned to non-terminated state"));
      }
    }
  }
  return errors;
}

interface ContainerStatusLike {
  readonly name: string;
  readonly state?: { readonly terminated?: { readonly exitCode: number } };
}
interface PodStatusLike {
  readonly nominatedNodeName?: string;
  readonly containerStatuses?: readonly ContainerStatusLike[];
  readonly initContainerStatuses?: readonly ContainerStatusLike[];
}
