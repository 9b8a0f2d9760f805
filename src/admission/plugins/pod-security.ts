/** Checks pods against the pod security standards that the labels of their namespace name. */

import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { CronJob } from "../../api/batch/v1/cron-job.ts";
import { Job } from "../../api/batch/v1/job.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { PodTemplate } from "../../api/core/v1/pod-template.ts";
import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import { invalidObject } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, refuse, withNamespace } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, type RequestOn, under } from "../on.ts";
import { readPodSecurity } from "../pod-standards/configuration.ts";
import type { CheckedContainer, CheckedSpec } from "../pod-standards/contract.ts";
import { checkedPod, describeViolations, violations } from "../pod-standards/evaluate.ts";
import { existingPodsMax, existingPodWarnings } from "../pod-standards/existing-pods.ts";
import { isStricter, type LabelledPolicy, policyOf, sameStandard, standardText } from "../pod-standards/policy.ts";

/** A pod, or the template of pods, in an object. */
interface Template {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly spec?: unknown;
}

export function createPodSecurity(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary, gates } = context.catalog.environment;
  if (!gates.enabled("PodSecurity")) return { name: "PodSecurity", handles: () => false };
  const { defaults, exempt } = readPodSecurity(context.configuration("PodSecurity"), vocabulary);
  const isExemptSpec = ({ runtimeClassName }: CheckedSpec) =>
    runtimeClassName !== undefined && exempt.runtimeClasses.has(runtimeClassName);
  const annotate = (request: AdmissionRequest, name: string, value: string): void =>
    request.annotate(vocabulary.word(`pod-security.orch.io/${name}`), value);
  const policyFor = ({ metadata: { labels = {} } }: Namespace): LabelledPolicy =>
    policyOf(labels, defaults, vocabulary);

  /** Whether the request is not checked, whatever it contains. */
  const isExempt = (request: AdmissionRequest): boolean => {
    const why = exempt.namespaces.has(request.namespace)
      ? "namespace"
      : exempt.usernames.has(request.user.name)
        ? "user"
        : undefined;
    if (why !== undefined) annotate(request, "exempt", why);
    return why !== undefined;
  };

  const judge = (
    request: AdmissionRequest,
    { metadata, spec }: Template,
    labelled: LabelledPolicy,
    enforced: boolean,
  ) => {
    if (spec === undefined) return;
    const checkedSpec = spec as CheckedSpec; // the members that checks read
    if (isExemptSpec(checkedSpec)) return annotate(request, "exempt", "runtimeClass");
    const { policy, errors } = labelled;
    if (errors.length > 0)
      annotate(request, "error", errors.map(({ field, message }) => `${field}: ${message}`).join("; "));
    const pod = checkedPod({ annotations: metadata?.annotations, spec: checkedSpec }, vocabulary);
    const told = (mode: "enforce" | "audit" | "warn", verb: string): string | undefined => {
      const found = violations(pod, policy[mode]);
      if (found.length === 0) return undefined;
      return `${verb} PodSecurity ${JSON.stringify(standardText(policy[mode]))}: ${describeViolations(found)}`;
    };
    if (enforced) annotate(request, "enforce-policy", standardText(policy.enforce));
    const audited = told("audit", "would violate");
    if (audited !== undefined) annotate(request, "audit-violations", audited);
    const refused = enforced ? told("enforce", "violates") : undefined;
    if (refused !== undefined) throw refuse(request, refused);
    const warned = told("warn", "would violate");
    if (warned !== undefined) request.warn(warned);
  };

  const validatePod = (request: RequestOn<Pod>): void | Promise<void> => {
    if (isExempt(request)) return;
    return withNamespace(context, request, (namespace) => {
      const labelled = policyFor(namespace);
      if (request.old !== undefined && !isSignificant(request.object, request.old, vocabulary.word(seccompPrefix)))
        return;
      judge(request, request.object, labelled, true);
    });
  };

  const validateTemplate = (request: AdmissionRequest, template: Template | undefined): void | Promise<void> => {
    if (template === undefined || isExempt(request)) return;
    return withNamespace(context, request, (namespace) => judge(request, template, policyFor(namespace), false));
  };

  const warnIfExempt = (request: AdmissionRequest, name: string, { policy, labelled }: LabelledPolicy): boolean => {
    if (!exempt.namespaces.has(name)) return false;
    const told = labelled.filter((mode) => policy[mode].level !== "privileged");
    const text = told.map((mode) => `${mode}=${standardText(policy[mode])}`).join(", ");
    if (told.length > 0)
      request.warn(
        `namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${text}) will be ignored`,
      );
    return true;
  };

  const refuseLabels = ({ kind }: AdmissionRequest, name: string, { errors }: LabelledPolicy): void => {
    if (errors.length > 0) throw invalidObject({ group: kind.group, kind: kind.kind }, name, errors);
  };

  return plugin("PodSecurity", [
    on([Pod, under(Pod, "ephemeralcontainers"), under(Pod, "resize")], ["CREATE", "UPDATE"], { validate: validatePod }),
    on([PodTemplate], ["CREATE", "UPDATE"], {
      validate: (request) => validateTemplate(request, request.object.template),
    }),
    on([ReplicationController, ReplicaSet, Deployment, StatefulSet, DaemonSet, Job], ["CREATE", "UPDATE"], {
      validate: (request) => validateTemplate(request, request.object.spec?.template),
    }),
    on(CronJob, ["CREATE", "UPDATE"], {
      validate: (request) => validateTemplate(request, request.object.spec?.jobTemplate?.spec?.template),
    }),
    on(Namespace, "CREATE", {
      validate(request) {
        const labelled = policyFor(request.object);
        const name = request.object.metadata.name ?? "";
        refuseLabels(request, name, labelled);
        warnIfExempt(request, name, labelled);
      },
    }),
    on(Namespace, "UPDATE", {
      validate(request) {
        const now = policyFor(request.object);
        const before = policyFor(request.old);
        const name = request.object.metadata.name ?? "";
        // Labels that were invalid before may stay while something else is repaired.
        if (before.errors.length === 0) refuseLabels(request, name, now);
        const { enforce } = now.policy;
        if (sameStandard(enforce, before.policy.enforce) || enforce.level === "privileged") return;
        if (enforce.version === before.policy.enforce.version && !isStricter(enforce, before.policy.enforce)) return;
        if (warnIfExempt(request, name, now)) return;
        const entries = context.registry.peekAll(context.catalog.of(Pod), name);
        const warnings = existingPodWarnings({
          namespace: name,
          pods: entries.slice(0, existingPodsMax).map((entry) => entry.object()),
          count: entries.length,
          standard: enforce,
          isExempt: isExemptSpec,
          vocabulary,
        });
        for (const warning of warnings) request.warn(warning);
      },
    }),
  ]);
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
