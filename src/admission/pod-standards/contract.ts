/** The checks of the pod security standards: what each reads of a pod, and what it answers. */

import type { Release } from "../../base/release.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

export type StandardLevel = "privileged" | "baseline" | "restricted";

interface Profile {
  readonly type?: string | undefined;
}
interface SELinux {
  readonly type?: string | undefined;
  readonly user?: string | undefined;
  readonly role?: string | undefined;
}
interface Host {
  readonly host?: string | undefined;
}
interface Handler {
  readonly httpGet?: Host | undefined;
  readonly tcpSocket?: Host | undefined;
}

/** What pods and containers both have. */
export interface CheckedContext {
  readonly appArmorProfile?: Profile | undefined;
  readonly seccompProfile?: Profile | undefined;
  readonly seLinuxOptions?: SELinux | undefined;
  readonly runAsNonRoot?: boolean | undefined;
  readonly runAsUser?: number | bigint | undefined;
  readonly windowsOptions?: { readonly hostProcess?: boolean | undefined } | undefined;
}

export interface CheckedContainer {
  readonly name?: string | undefined;
  readonly image?: string | undefined;
  readonly ports?: readonly { readonly hostPort?: number | undefined }[] | undefined;
  readonly livenessProbe?: Handler | undefined;
  readonly readinessProbe?: Handler | undefined;
  readonly startupProbe?: Handler | undefined;
  readonly lifecycle?: { readonly postStart?: Handler | undefined; readonly preStop?: Handler | undefined } | undefined;
  readonly securityContext?:
    | (CheckedContext & {
        readonly allowPrivilegeEscalation?: boolean | undefined;
        readonly capabilities?:
          | { readonly add?: readonly string[] | undefined; readonly drop?: readonly string[] | undefined }
          | undefined;
        readonly privileged?: boolean | undefined;
        readonly procMount?: string | undefined;
      })
    | undefined;
}

/** The members of a pod's spec that checks read, those of later levels too. */
export interface CheckedSpec {
  readonly initContainers?: readonly CheckedContainer[] | undefined;
  readonly containers?: readonly CheckedContainer[] | undefined;
  readonly ephemeralContainers?: readonly CheckedContainer[] | undefined;
  readonly hostNetwork?: boolean | undefined;
  readonly hostPID?: boolean | undefined;
  readonly hostIPC?: boolean | undefined;
  readonly hostUsers?: boolean | undefined;
  readonly os?: { readonly name?: string | undefined } | undefined;
  readonly runtimeClassName?: string | undefined;
  readonly securityContext?:
    | (CheckedContext & { readonly sysctls?: readonly { readonly name?: string | undefined }[] | undefined })
    | undefined;
  /** A volume has its name and a member for its type. */
  readonly volumes?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** A pod, or the template of one. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: CheckedSpec;
  /** Init containers, containers and ephemeral containers. */
  readonly containers: readonly CheckedContainer[];
  readonly vocabulary: Vocabulary;
}

/** Why a pod is refused: in a few words, and what has to change. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** `since` is the version of the standards that brought the check, or this form of it. */
export interface CheckForm {
  readonly since: Release;
  check(pod: CheckedPod): Violation | undefined;
}

export interface StandardCheck {
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** The check of baseline that it makes needless. */
  readonly overrides?: string;
  /** By version, the earliest first. */
  readonly forms: readonly CheckForm[];
}
