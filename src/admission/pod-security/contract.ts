/** A strategy is the part of a pod security policy about one subject: what it fills in, and what it refuses. */

import type { PodSecurityContext, SecurityContext } from "../../api/core/v1/pod/security-context.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { PodSecurityPolicy } from "../../api/policy/v1beta1/pod-security-policy.ts";
import type { PodSecurityPolicySpec } from "../../api/policy/v1beta1/security-policy-spec.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import type { FieldErrors } from "../../machinery/status/field-error.ts";
import type { PlacedContainer } from "../containers.ts";

export type AnyContainer = PlacedContainer["container"];

/** First the pod itself is changed, then container by container; then everything is validated. */
export interface SecurityStrategy {
  /** Fills in what the pod leaves open, in place. */
  mutatePod?(pod: Pod): void;
  mutateContainer?(pod: Pod, container: AnyContainer): void;
  validatePod?(pod: Pod): FieldErrors;
  /** `path` is that of the container: "spec.containers[0]". */
  validateContainer?(pod: Pod, container: AnyContainer, path: string): FieldErrors;
}

/** A policy that has a spec. */
export interface SecurityPolicy {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSecurityPolicySpec;
}

export type CreateStrategy = (policy: SecurityPolicy, environment: Environment) => SecurityStrategy;

/** Undefined: it has no spec, so it was never valid. */
export function policyOf({ metadata, spec }: PodSecurityPolicy): SecurityPolicy | undefined {
  return spec && { name: metadata.name ?? "", annotations: metadata.annotations ?? {}, spec };
}

/** Sets fields of the pod's security context, which is created if it is missing. */
export function setOnPod(pod: Pod, fields: PodSecurityContext): void {
  if (pod.spec === undefined) return;
  pod.spec.securityContext = { ...pod.spec.securityContext, ...fields };
}

export function setOnContainer(container: AnyContainer, fields: SecurityContext): void {
  container.securityContext = { ...container.securityContext, ...fields };
}

/** The effective setting of a container: its own, or else that of its pod. */
export function effective<K extends keyof SecurityContext & keyof PodSecurityContext>(
  pod: Pod,
  container: AnyContainer,
  field: K,
): SecurityContext[K] | PodSecurityContext[K] | undefined {
  return container.securityContext?.[field] ?? pod.spec?.securityContext?.[field];
}
