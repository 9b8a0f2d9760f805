/** Which policy a pod is admitted under: one that allows it, and that the caller or the pod's account may use. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { Authorizer } from "../../authz/contract.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import { copyJson } from "../../machinery/json/json-value.ts";
import { accountGroups, accountUserName } from "../../machinery/meta/service-account-name.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import type { FieldError } from "../../machinery/status/field-error.ts";
import { timeout } from "../../machinery/status/status.ts";
import { applyPolicy } from "./apply-policy.ts";
import type { SecurityPolicy } from "./contract.ts";

interface PolicyQuestion {
  readonly policies: readonly SecurityPolicy[];
  readonly pod: Pod;
  readonly namespace: string;
  readonly user: User;
  readonly authorizer: Authorizer;
  readonly environment: Environment;
  /** Whether policies may fill in what the pod leaves open. */
  readonly mayChange: boolean;
  /** Aborts when the request is canceled or times out. */
  readonly signal: AbortSignal;
  /** The policy that is tried first. Default: all are tried by name. */
  readonly first?: string;
}

export type PolicyChoice =
  | { readonly policy: string; readonly pod: Pod }
  /** No policy fits; `problems` are those that usable policies found. */
  | { readonly policy: undefined; readonly problems: readonly FieldError[] };

/** A policy that needs no change wins over one that does; among equals the first by name wins. */
export async function choosePolicy(question: PolicyQuestion): Promise<PolicyChoice> {
  const { policies, pod, environment, mayChange, first } = question;
  const ordered = [...policies].sort((a, b) => {
    if (a.name === first || b.name === first) return a.name === b.name ? 0 : a.name === first ? -1 : 1;
    return a.name < b.name ? -1 : 1;
  });
  let changed: PolicyChoice | undefined;
  const slice = new TimeSlice();
  const failed: { readonly policy: SecurityPolicy; readonly errors: readonly FieldError[] }[] = [];
  for (const policy of ordered) {
    // Many policies times a large pod is work for seconds.
    if (slice.isLong) await slice.next();
    if (question.signal.aborted) throw timeout("the request was canceled or timed out");
    const copy = copyJson(pod);
    const errors = applyPolicy(policy, copy, environment);
    if (errors.length > 0) {
      failed.push({ policy, errors });
      continue;
    }
    const isChanged = !sameValue(pod, copy);
    if (isChanged && (!mayChange || changed !== undefined)) continue;
    if (!(await mayUse(question, policy.name))) continue;
    if (!isChanged) return { policy: policy.name, pod: copy };
    changed = { policy: policy.name, pod: copy };
  }
  if (changed !== undefined) return changed;
  // A caller who may not use a policy must not learn its content from the refusal.
  const problems: FieldError[] = [];
  for (const { policy, errors } of failed) if (await mayUse(question, policy.name)) problems.push(...errors);
  return { policy: undefined, problems };
}

/** Older roles grant the right in the group from which policies came. */
const groups = ["policy", "extensions"];

async function mayUse({ pod, namespace, user, authorizer }: PolicyQuestion, name: string): Promise<boolean> {
  const account = { namespace, name: pod.spec?.serviceAccountName ?? "" };
  const accountUser = { name: accountUserName(account), uid: "", groups: accountGroups(namespace), extra: new Map() };
  for (const caller of [accountUser, user]) {
    for (const group of groups) {
      const { outcome } = await authorizer.authorize({
        user: caller,
        verb: "use",
        isResource: true,
        path: "",
        group,
        version: "*",
        resource: "podsecuritypolicies",
        subresource: "",
        namespace,
        name,
      });
      if (outcome === "allow") return true;
    }
  }
  return false;
}
