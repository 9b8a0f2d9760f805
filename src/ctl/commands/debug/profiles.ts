/** The profiles of `debug`: what a container to debug with may do, and what of a pod or a node it sees. */

import { type Json, object, texts } from "../../json.ts";
import type { DebugContext } from "./flags.ts";

interface Profile {
  /** Added to the container; absent: it keeps what it has. */
  readonly securityContext?: Json;
  /** Whether a copy of a pod gets no traffic and is not restarted: without its labels and probes, unless flags keep them. */
  readonly isolatesCopies: boolean;
  /** What a pod on a node sees of it. */
  readonly onNode: {
    readonly usesHostNamespaces: boolean;
    /** The files of the node, at /host. */
    readonly mountsRoot: boolean;
    readonly hasSecurityContext: boolean;
  };
}

const profiles = {
  general: {
    securityContext: { capabilities: { add: ["SYS_PTRACE"] } },
    isolatesCopies: true,
    // The namespaces of the node show its processes already.
    onNode: { usesHostNamespaces: true, mountsRoot: true, hasSecurityContext: false },
  },
  baseline: {
    isolatesCopies: true,
    onNode: { usesHostNamespaces: false, mountsRoot: false, hasSecurityContext: false },
  },
  restricted: {
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    },
    isolatesCopies: true,
    onNode: { usesHostNamespaces: false, mountsRoot: false, hasSecurityContext: true },
  },
  netadmin: {
    securityContext: { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } },
    isolatesCopies: true,
    onNode: { usesHostNamespaces: true, mountsRoot: false, hasSecurityContext: true },
  },
  sysadmin: {
    securityContext: { privileged: true },
    isolatesCopies: true,
    onNode: { usesHostNamespaces: true, mountsRoot: true, hasSecurityContext: true },
  },
  legacy: {
    isolatesCopies: false,
    onNode: { usesHostNamespaces: true, mountsRoot: true, hasSecurityContext: false },
  },
} satisfies Readonly<Record<string, Profile>>;

type ProfileName = keyof typeof profiles;

export const profileNames: readonly string[] = Object.keys(profiles);

export const isProfile = (name: string): name is ProfileName => Object.hasOwn(profiles, name);

/** The profile of --profile, or the default. */
export function profileOf({ flags, behaviour }: DebugContext): Profile {
  return profiles[isProfile(flags.profile) ? flags.profile : behaviour.debugProfile];
}

/** For servers whose ephemeral containers have no security context, unless a profile was asked for. */
export const legacyProfile: Profile = profiles.legacy;

/** The container with what the profile allows it; a copied container keeps what it has beside that. */
export function withProfile(container: Json, { securityContext }: Profile): Json {
  if (securityContext === undefined) return container;
  const before = object(container, "securityContext");
  const merged: Json = { ...before, ...securityContext };
  const added = [...texts(before, "capabilities", "add"), ...texts(securityContext, "capabilities", "add")];
  if (added.length > 0 && texts(securityContext, "capabilities", "drop").length === 0)
    merged["capabilities"] = { ...object(before, "capabilities"), add: [...new Set(added)] };
  return { ...container, securityContext: merged };
}
