/** Checks of the annotations in which a pod security policy names profiles of the kernel's guards. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import { type FieldError, invalid } from "../../../machinery/status/field-error.ts";

const appArmor = "apparmor.security.beta.orch.io/";
const seccomp = "seccomp.security.alpha.orch.io/";

export function validateProfileAnnotations(
  annotations: Readonly<Record<string, string>>,
  { vocabulary }: Environment,
): FieldError[] {
  const check = (
    name: string,
    profilesOf: (text: string) => readonly string[],
    isProfile: (text: string) => boolean,
  ) => {
    const key = vocabulary.word(name);
    if (!Object.hasOwn(annotations, key) || annotations[key] === "") return [];
    const profiles = profilesOf(annotations[key] ?? "");
    return profiles
      .filter((profile) => !isProfile(profile))
      .map((profile) => invalid(`metadata.annotations[${key}]`, profile, "must be a valid profile"));
  };
  const one = (text: string) => [text];
  const several = (text: string) => text.split(",");
  return [
    ...check(`${appArmor}defaultProfileName`, one, isAppArmorProfile),
    ...check(`${appArmor}allowedProfileNames`, several, isAppArmorProfile),
    ...check(`${seccomp}defaultProfileName`, one, isSeccompProfile),
    ...check(`${seccomp}allowedProfileNames`, several, (profile) => profile === "*" || isSeccompProfile(profile)),
  ];
}

const isAppArmorProfile = (profile: string) =>
  ["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith("localhost/");

/** A profile of the node is a relative path that stays where it is. */
function isSeccompProfile(profile: string): boolean {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return true;
  if (!profile.startsWith("localhost/")) return false;
  const path = profile.slice("localhost/".length);
  return !path.startsWith("/") && !path.split("/").includes("..");
}
