/** Enforces the pod security policies that the caller, or the pod's account, may use. */

import { EphemeralContainers } from "../../api/core/v1/pod/ephemeral-containers.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { PodSecurityPolicy } from "../../api/policy/v1beta1/pod-security-policy.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import type { FieldError } from "../../machinery/status/field-error.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, type RequestOn, under } from "../on.ts";
import { choosePolicy, type PolicyChoice } from "../pod-security/choose-policy.ts";
import { policyOf } from "../pod-security/contract.ts";

const problemsShownMax = 10;

export function createPodSecurityPolicy(context: AdmissionContext): AdmissionPlugin {
  const { registry, catalog, authorizer } = context;
  const { environment } = catalog;
  const annotation = environment.vocabulary.word("orch.io/psp");
  const auditPrefix = environment.vocabulary.word("podsecuritypolicy.admission.orch.io/");
  const choose = (
    request: AdmissionRequest,
    pod: Pod,
    how: { mayChange: boolean; first?: string },
  ): Promise<PolicyChoice> => {
    const policies = [...registry.peekAll(catalog.of(PodSecurityPolicy))]
      .map((entry) => policyOf(entry.object()))
      .filter((policy) => policy !== undefined);
    if (policies.length === 0) throw refuse(request, "no pod security policy is available to validate the pod");
    const { namespace, user, signal } = request;
    return choosePolicy({ policies, pod, namespace, user, signal, authorizer, environment, ...how });
  };
  const check = async (request: AdmissionRequest, pod: Pod): Promise<void> => {
    const first = pod.metadata.annotations?.[annotation];
    const choice = await choose(request, pod, { mayChange: false, ...(first === undefined ? {} : { first }) });
    if (choice.policy === undefined) throw refuse(request, refusal("validate", choice.problems));
    request.annotate(`${auditPrefix}validate-policy`, choice.policy);
  };
  return plugin("PodSecurityPolicy", [
    on(Pod, ["CREATE", "UPDATE"], {
      // Existing pods are only checked: a policy fills in nothing later.
      async mutate(request) {
        if (request.operation !== "CREATE") return;
        const choice = await choose(request, request.object, { mayChange: true });
        if (choice.policy === undefined) throw refuse(request, refusal("admit", choice.problems));
        Object.assign(request.object, choice.pod);
        const { metadata } = request.object;
        metadata.annotations = { ...metadata.annotations, [annotation]: choice.policy };
        request.annotate(`${auditPrefix}admit-policy`, choice.policy);
      },
      async validate(request) {
        if (!isCollectedOnly(request)) await check(request, request.object);
      },
    }),
    // v1.21 ignores containers that are added to a running pod, which makes the plugin easy to bypass.
    on(under(Pod, "ephemeralcontainers", EphemeralContainers), "UPDATE", {
      async validate(request) {
        const { namespace, name, object } = request;
        const pod = await lookUp(context, catalog.of(Pod), { namespace, name });
        if (pod?.spec === undefined) return;
        await check(request, { ...pod, spec: { ...pod.spec, ephemeralContainers: object.ephemeralContainers } });
      },
    }),
  ]);
}

/** Owners and finalizers of any pod may be changed: the garbage collector does that, and they grant no access. */
function isCollectedOnly({ object, old }: RequestOn<Pod>): boolean {
  if (old === undefined) return false;
  const { ownerReferences, finalizers, managedFields } = old.metadata;
  const metadata = { ...object.metadata, ownerReferences, finalizers, managedFields };
  return sameValue({ ...object, metadata }, old);
}

function refusal(verb: "admit" | "validate", problems: readonly FieldError[]): string {
  const told = problems.slice(0, problemsShownMax).map(({ field, message }) => `${field}: ${message}`);
  const more = problems.length > problemsShownMax ? ["…"] : [];
  return `unable to ${verb} pod: [${[...told, ...more].join(", ")}]`;
}
