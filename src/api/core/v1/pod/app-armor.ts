/** AppArmor profiles: the fields, and the annotations that were there before them. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  required,
  tooLong,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { type PodLike, seccompText } from "./seccomp.ts";
import { AppArmorProfile } from "./security-context.ts";
import type { PodSpec } from "./spec.ts";

const profileNameMax = 4095;
const localhost = "localhost/";

export const apparmorPrefix = ({ vocabulary }: Environment) =>
  vocabulary.word("container.apparmor.security.beta.orch.io/");

export const appArmorRelations: readonly Relation[] = [
  on(AppArmorProfile, ({ type, localhostProfile: profile }) => {
    const at = "localhostProfile";
    if (type !== "Localhost") {
      return profile === undefined || type === ""
        ? noErrors
        : [invalid(at, profile, "can only be set when the type is Localhost")];
    }
    if (!profile) return [required(at, "must be set when the type is Localhost")];
    if (profile.trim() !== profile) return [invalid(at, profile, "must not begin or end with white space")];
    return profile.length > profileNameMax ? [tooLong(at, profile, profileNameMax)] : noErrors;
  }),
];

/** Security contexts whose profile an annotation has set: only these annotations are worth a warning. */
const fromAnnotations = new WeakSet<object>();
export const isFromAnnotation = (context: object | undefined): boolean =>
  context !== undefined && fromAnnotations.has(context);

/** On create: an annotation makes the field of a container, unless that of the container or of the pod says it already. */
export function takeAppArmorAnnotations({ metadata, spec }: PodLike, environment: Environment): void {
  if (spec === undefined || spec.os?.name === "windows") return;
  if (has(environment, "appArmorAnnotations")) annotateProfiles(metadata, spec, environment);
  if (metadata.annotations === undefined) return;
  const prefix = apparmorPrefix(environment);
  const ofPod = spec.securityContext?.appArmorProfile;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const text = metadata.annotations[prefix + container.name];
    if (text === undefined || container.securityContext?.appArmorProfile) continue;
    const appArmorProfile = profileOf(text);
    if (appArmorProfile === undefined || isSameProfile(appArmorProfile, ofPod)) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile };
    fromAnnotations.add(container.securityContext);
  }
}

/** For nodes that know only annotations: the profile of each container that has one of its own or of the pod. */
function annotateProfiles(metadata: PodLike["metadata"], spec: PodSpec, environment: Environment): void {
  const prefix = apparmorPrefix(environment);
  const ofPod = spec.securityContext?.appArmorProfile;
  for (const { name, securityContext } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const profile = securityContext?.appArmorProfile ?? ofPod;
    const key = prefix + name;
    const text = profile && seccompText(profile);
    if (text === undefined || metadata.annotations?.[key] !== undefined) continue;
    metadata.annotations = { ...metadata.annotations, [key]: text };
  }
}

const isSameProfile = (one: AppArmorProfile, other: AppArmorProfile | undefined): boolean =>
  one.type === other?.type && one.localhostProfile === other.localhostProfile;

function profileOf(text: string): AppArmorProfile | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default") return { type: "RuntimeDefault" };
  if (!text.startsWith(localhost) || text === localhost) return undefined;
  return { type: "Localhost", localhostProfile: text.slice(localhost.length) };
}

/** An annotation and a field for the same container must be equal. */
export function validateAppArmorMatch(
  annotations: Readonly<Record<string, string>> | undefined,
  spec: PodSpec,
  path: string,
  environment: Environment,
): FieldErrors {
  if (!annotations) return noErrors;
  const prefix = apparmorPrefix(environment);
  return ofEach(["initContainers", "containers"] as const, (kind) =>
    ofEach(spec[kind], ({ name, securityContext }, index) => {
      const profile = securityContext?.appArmorProfile;
      const text = profile && annotations[prefix + name];
      if (text === undefined || profile === undefined) return noErrors;
      const at = `${path}.${kind}[${index}].securityContext.appArmorProfile`;
      const annotated = profileOf(text);
      if (annotated?.type !== profile.type)
        return [forbidden(`${at}.type`, "the AppArmor types of annotation and field must match")];
      return annotated.localhostProfile === profile.localhostProfile
        ? noErrors
        : [forbidden(`${at}.localhostProfile`, "the AppArmor profiles of annotation and field must match")];
    }),
  );
}
