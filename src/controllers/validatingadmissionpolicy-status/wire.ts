/** validatingadmissionpolicy-status: says in the status of a policy which of its expressions do not fit the types they are about. */

import { typeWarnings } from "../../api/admissionregistration/v1/type-check.ts";
import { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import { inTimeSlices } from "../../base/time-slice.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { patch } from "../plan.ts";
import { namedResources } from "./matched-resources.ts";
import { kindsOf, schemaOf } from "./published-types.ts";

const fieldManager = "validatingadmissionpolicy-status";

export const validatingAdmissionPolicyStatus: Controller = {
  name: "validatingadmissionpolicy-status",
  since: "1.28",
  account: "validatingadmissionpolicy-status-controller",
  start({ client, informers, environment, queue: createQueue, has }) {
    if (!has("policyTypes")) return undefined;
    const policies = informers.of(ValidatingAdmissionPolicy);
    const queue = createQueue({
      workers: 5,
      after: [policies],
      async sync(name) {
        const policy = policies.get(name);
        if (policy === undefined || policy.status?.observedGeneration === policy.metadata.generation) return;
        const { paramKind } = policy.spec;
        const params = paramKind && (await schemaOf(client, kindNamed(paramKind)));
        const kinds = await kindsOf(client, namedResources(policy));
        const given = { kinds, ...(params === undefined ? {} : { params }), release: environment.level };
        const expressionWarnings = await inTimeSlices(typeWarnings(policy.spec, given));
        const status = {
          observedGeneration: policy.metadata.generation ?? 0,
          typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
        };
        const body = { ...typeOf(policies.address), metadata: { name }, status };
        const options = { type: "apply", fieldManager, force: true, subresource: "status" } as const;
        return { status: patch(ValidatingAdmissionPolicy, { name }, body, options) };
      },
    });
    const changed = (policy: ValidatingAdmissionPolicy) => queue.add(keyOf(policy));
    policies.on({ add: changed, update: changed });
    return queue;
  },
};

function kindNamed({ apiVersion = "", kind = "" }: { readonly apiVersion?: string; readonly kind?: string }) {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
}
