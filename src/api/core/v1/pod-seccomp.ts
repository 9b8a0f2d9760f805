/** Keeps the seccomp annotations of old clients and the fields of new ones in step. */

import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { forbidden, invalid } from "../../../machinery/status/field-error.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { SeccompProfile } from "./security-context.ts";

interface PodLike {
  metadata: ObjectMeta;
  spec?: PodSpec;
}

const podKey = ({ vocabulary }: Environment) => vocabulary.word("seccomp.security.alpha.orch.io/pod");
const containerPrefix = ({ vocabulary }: Environment) => vocabulary.word("container.seccomp.security.alpha.orch.io/");

/** On create: a field makes the annotation, and an annotation without a field makes the field. */
export function syncSeccomp(pod: PodLike, environment: Environment): void {
  const annotations = pod.metadata.annotations ?? {};
  const spec = pod.spec;
  if (spec === undefined) return;
  const podField = spec.securityContext?.seccompProfile;
  const podText = annotations[podKey(environment)];
  if (podField) setAnnotation(pod, podKey(environment), textOf(podField));
  else if (podText !== undefined) {
    const profile = profileOf(podText);
    if (profile) spec.securityContext = { ...spec.securityContext, seccompProfile: profile };
  }
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const key = containerPrefix(environment) + container.name;
    const field = container.securityContext?.seccompProfile;
    const text = annotations[key];
    if (field) setAnnotation(pod, key, textOf(field));
    else if (text !== undefined) {
      const profile = profileOf(text);
      if (profile) container.securityContext = { ...container.securityContext, seccompProfile: profile };
    }
  }
}

function setAnnotation(pod: PodLike, key: string, text: string | undefined): void {
  if (text === undefined || pod.metadata.annotations?.[key] !== undefined) return;
  pod.metadata.annotations = { ...pod.metadata.annotations, [key]: text };
}

function textOf(profile: SeccompProfile): string | undefined {
  switch (profile.type) {
    case "Unconfined":
      return "unconfined";
    case "RuntimeDefault":
      return "runtime/default";
    case "Localhost":
      return profile.localhostProfile === undefined ? undefined : `localhost/${profile.localhostProfile}`;
    default:
      return undefined;
  }
}

function profileOf(text: string): SeccompProfile | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default" || text === "docker/default") return { type: "RuntimeDefault" };
  if (text.startsWith("localhost/")) return { type: "Localhost", localhostProfile: text.slice("localhost/".length) };
  return undefined;
}

export function validateSeccompAnnotations(pod: PodLike, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const annotations = pod.metadata.annotations ?? {};
  const check = (key: string) => {
    const text = annotations[key];
    if (text === undefined) return;
    const file = text.startsWith("localhost/") ? text.slice("localhost/".length) : "";
    const problem = file.startsWith("/") || file.split("/").includes("..");
    if (problem || (profileOf(text) === undefined && text !== "")) {
      errors.push(invalid(`metadata.annotations.${key}`, text, "must be a valid seccomp profile"));
    }
  };
  const match = (key: string, field: SeccompProfile | undefined, path: string) => {
    const text = annotations[key];
    if (field === undefined || text === undefined || textOf(field) === text) return;
    if (text === "docker/default" && field.type === "RuntimeDefault") return;
    const type = profileOf(text)?.type;
    errors.push(
      type === field.type
        ? forbidden(`${path}.localhostProfile`, "seccomp profile in annotation and field must match")
        : forbidden(`${path}.type`, "seccomp type in annotation and field must match"),
    );
  };
  check(podKey(environment));
  match(podKey(environment), pod.spec?.securityContext?.seccompProfile, "spec.securityContext.seccompProfile");
  for (const kind of ["containers", "initContainers"] as const) {
    (pod.spec?.[kind] ?? []).forEach((container, index) => {
      const key = containerPrefix(environment) + container.name;
      check(key);
      match(key, container.securityContext?.seccompProfile, `spec.${kind}[${index}].securityContext.seccompProfile`);
    });
  }
  return errors;
}
