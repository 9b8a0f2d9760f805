/** Keeps the seccomp annotations of old clients and the fields of new ones in step. */

import { isRelativePath } from "../../../../machinery/meta/paths.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import { each, forbidden, invalid, noErrors, ofEach, together } from "../../../../machinery/status/field-error.ts";
import type { SeccompProfile } from "./security-context.ts";
import type { PodSpec } from "./spec.ts";

export interface PodLike {
  metadata: ObjectMeta;
  spec?: PodSpec;
}

const localhost = "localhost/";
const podKey = ({ vocabulary }: Environment) => vocabulary.word("seccomp.security.alpha.orch.io/pod");
const containerPrefix = ({ vocabulary }: Environment) => vocabulary.word("container.seccomp.security.alpha.orch.io/");

/** On create: a field makes the annotation, and an annotation without a field makes the field. */
export function syncSeccomp(pod: PodLike, environment: Environment): void {
  const annotations = pod.metadata.annotations ?? {};
  const spec = pod.spec;
  if (spec === undefined) return;
  const podField = spec.securityContext?.seccompProfile;
  const podText = annotations[podKey(environment)];
  if (podField) setAnnotation(pod, podKey(environment), seccompText(podField));
  else if (podText !== undefined) {
    const profile = profileOf(podText);
    if (profile) spec.securityContext = { ...spec.securityContext, seccompProfile: profile };
  }
  const prefix = containerPrefix(environment);
  // Hardly any pod has such annotations, and to look for one of each container takes a new text each.
  const isAnnotated = Object.keys(annotations).some((key) => key.startsWith(prefix));
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const field = container.securityContext?.seccompProfile;
    if (field) setAnnotation(pod, prefix + container.name, seccompText(field));
    else if (isAnnotated) {
      const profile = profileOf(annotations[prefix + container.name] ?? "");
      if (profile) container.securityContext = { ...container.securityContext, seccompProfile: profile };
    }
  }
}

function setAnnotation(pod: PodLike, key: string, text: string | undefined): void {
  if (text === undefined || pod.metadata.annotations?.[key] !== undefined) return;
  pod.metadata.annotations = { ...pod.metadata.annotations, [key]: text };
}

/** As annotations write it; undefined: the profile is not valid. */
export function seccompText(profile: SeccompProfile): string | undefined {
  switch (profile.type) {
    case "Unconfined":
      return "unconfined";
    case "RuntimeDefault":
      return "runtime/default";
    case "Localhost":
      return profile.localhostProfile === undefined ? undefined : localhost + profile.localhostProfile;
    default:
      return undefined;
  }
}

function profileOf(text: string): SeccompProfile | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default" || text === "docker/default") return { type: "RuntimeDefault" };
  // An empty file name is invalid.
  if (!text.startsWith(localhost) || text === localhost) return undefined;
  return { type: "Localhost", localhostProfile: text.slice(localhost.length) };
}

/** `path` is the path of the annotations; those for containers that do not exist are checked as well. */
export function validateSeccompAnnotations(
  annotations: Readonly<Record<string, string>>,
  path: string,
  environment: Environment,
): FieldErrors {
  const prefix = containerPrefix(environment);
  const ofPod = podKey(environment);
  return ofEach(Object.keys(annotations), (key) => {
    if (key !== ofPod && !key.startsWith(prefix)) return noErrors;
    const text = annotations[key] as string; // one of its own keys
    if (text.startsWith(localhost)) {
      const file = text.slice(localhost.length);
      return each(isRelativePath(file), `${path}.${key}`, file);
    }
    return profileOf(text) === undefined
      ? [invalid(`${path}.${key}`, text, "must be a valid seccomp profile")]
      : noErrors;
  });
}

/** An annotation and a field for the same container, or for the pod, must be equal. */
export function validateSeccompMatch(
  annotations: Readonly<Record<string, string>> | undefined,
  spec: PodSpec,
  path: string,
  environment: Environment,
): FieldErrors {
  if (!annotations) return noErrors;
  const of = (key: string, profile: SeccompProfile, at: string) => {
    const text = annotations[key];
    return text === undefined ? noErrors : matchProblems(text, profile, `${at}.securityContext.seccompProfile`);
  };
  const ofPod = spec.securityContext?.seccompProfile;
  return together(
    ofPod === undefined ? noErrors : of(podKey(environment), ofPod, path),
    ofEach(["initContainers", "containers"] as const, (kind) =>
      ofEach(spec[kind], ({ name, securityContext }, index) => {
        const profile = securityContext?.seccompProfile;
        if (profile === undefined) return noErrors;
        return of(containerPrefix(environment) + name, profile, `${path}.${kind}[${index}]`);
      }),
    ),
  );
}

function matchProblems(text: string, profile: SeccompProfile, path: string): FieldError[] {
  const otherType = [forbidden(`${path}.type`, "seccomp type in annotation and field must match")];
  switch (profile.type) {
    case "Unconfined":
      return text === "unconfined" ? [] : otherType;
    case "RuntimeDefault":
      return profileOf(text)?.type === "RuntimeDefault" ? [] : otherType;
    case "Localhost":
      if (!text.startsWith(localhost)) return otherType;
      return text.slice(localhost.length) === profile.localhostProfile
        ? []
        : [forbidden(`${path}.localhostProfile`, "seccomp profile in annotation and field must match")];
    default:
      return [];
  }
}
