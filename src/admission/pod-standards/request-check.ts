/** Checks the pods and templates of requests by the policy of their namespace: refuses, warns and notes for the audit log. */

import type { Namespace } from "../../api/core/v1/namespace.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { type AdmissionContext, refuse, withNamespace } from "../context.ts";
import type { RequestOn } from "../on.ts";
import { readPodSecurity } from "./configuration.ts";
import type { CheckedContainer, CheckedSpec } from "./contract.ts";
import { checkedPod, describeViolations, violations } from "./evaluate.ts";
import { type LabelledPolicy, policyOf, standardText } from "./policy.ts";

/** A pod, or the template of pods, in an object. */
interface Template {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly spec?: unknown;
}

/** What a request may contain, by the policies of namespaces and the exemptions of the configuration. */
export class PodSecurityCheck {
  readonly #context: AdmissionContext;
  readonly #vocabulary: Vocabulary;
  readonly #configuration: ReturnType<typeof readPodSecurity>;

  constructor(context: AdmissionContext) {
    this.#context = context;
    this.#vocabulary = context.catalog.environment.vocabulary;
    this.#configuration = readPodSecurity(context.configuration("PodSecurity"), this.#vocabulary);
  }

  pod(request: RequestOn<Pod>): void | Promise<void> {
    if (this.#isExempt(request)) return;
    return withNamespace(this.#context, request, (namespace) => {
      const labelled = this.policyFor(namespace);
      const { object, old } = request;
      if (old !== undefined && !isSignificant(object, old, this.#vocabulary.word(seccompPrefix))) return;
      this.#check(request, object, labelled, true);
    });
  }

  /** What controllers make pods of is checked, and never refused. */
  template(request: AdmissionRequest, template: Template | undefined): void | Promise<void> {
    if (template === undefined || this.#isExempt(request)) return;
    return withNamespace(this.#context, request, (namespace) =>
      this.#check(request, template, this.policyFor(namespace), false),
    );
  }

  policyFor({ metadata: { labels = {} } }: Namespace): LabelledPolicy {
    return policyOf(labels, this.#configuration.defaults, this.#vocabulary);
  }

  /** Whether the policy of a namespace holds for nothing in it, which the user is told. */
  warnIfExempt(request: AdmissionRequest, name: string, { policy, labelled }: LabelledPolicy): boolean {
    if (!this.#configuration.exempt.namespaces.has(name)) return false;
    const ignored = labelled.filter((mode) => policy[mode].level !== "privileged");
    const text = ignored.map((mode) => `${mode}=${standardText(policy[mode])}`).join(", ");
    if (ignored.length > 0)
      request.warn(
        `namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${text}) will be ignored`,
      );
    return true;
  }

  isExemptSpec({ runtimeClassName }: CheckedSpec): boolean {
    return runtimeClassName !== undefined && this.#configuration.exempt.runtimeClasses.has(runtimeClassName);
  }

  /** Whether the request is not checked, whatever it contains. */
  #isExempt(request: AdmissionRequest): boolean {
    const { exempt } = this.#configuration;
    const why = exempt.namespaces.has(request.namespace)
      ? "namespace"
      : exempt.usernames.has(request.user.name)
        ? "user"
        : undefined;
    if (why !== undefined) this.#annotate(request, "exempt", why);
    return why !== undefined;
  }

  #check(
    request: AdmissionRequest,
    { metadata, spec }: Template,
    { policy, errors }: LabelledPolicy,
    enforced: boolean,
  ): void {
    if (spec === undefined) return;
    const checkedSpec = spec as CheckedSpec; // the members that checks read
    if (this.isExemptSpec(checkedSpec)) {
      this.#annotate(request, "exempt", "runtimeClass");
      return;
    }
    if (errors.length > 0)
      this.#annotate(request, "error", errors.map(({ field, message }) => `${field}: ${message}`).join("; "));
    const pod = checkedPod({ annotations: metadata?.annotations, spec: checkedSpec }, this.#vocabulary);
    const found = (mode: "enforce" | "audit" | "warn", verb: string): string | undefined => {
      const problems = violations(pod, policy[mode]);
      if (problems.length === 0) return undefined;
      return `${verb} PodSecurity ${JSON.stringify(standardText(policy[mode]))}: ${describeViolations(problems)}`;
    };
    if (enforced) this.#annotate(request, "enforce-policy", standardText(policy.enforce));
    const audited = found("audit", "would violate");
    if (audited !== undefined) this.#annotate(request, "audit-violations", audited);
    const refused = enforced ? found("enforce", "violates") : undefined;
    if (refused !== undefined) throw refuse(request, refused);
    const warned = found("warn", "would violate");
    if (warned !== undefined) request.warn(warned);
  }

  #annotate(request: AdmissionRequest, name: string, value: string): void {
    request.annotate(this.#vocabulary.word(`pod-security.orch.io/${name}`), value);
  }
}

const seccompPrefix = "container.seccomp.security.alpha.orch.io/";

/** Only changes that a check could see: other updates of a pod that is already running must not fail. */
function isSignificant(pod: Pod, old: Pod, seccompKey: string): boolean {
  const lists = ({ spec }: Pod) => {
    const checked = (spec ?? {}) as CheckedSpec; // the members that checks read
    return [checked.containers ?? [], checked.initContainers ?? [], checked.ephemeralContainers ?? []];
  };
  const before = lists(old);
  return lists(pod).some((containers, index) => {
    const others: readonly CheckedContainer[] = before[index]!;
    if (containers.length !== others.length) return true;
    return containers.some(({ name = "", image }, at) => {
      const key = seccompKey + name;
      return image !== others[at]!.image || pod.metadata.annotations?.[key] !== old.metadata.annotations?.[key];
    });
  });
}
