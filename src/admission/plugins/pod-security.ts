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
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, under } from "../on.ts";
import { existingPodsMax, existingPodWarnings } from "../pod-standards/existing-pods.ts";
import { isStricter, type LabelledPolicy, sameStandard } from "../pod-standards/policy.ts";
import { PodSecurityCheck } from "../pod-standards/request-check.ts";

export function createPodSecurity(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary, gates } = context.catalog.environment;
  if (!gates.enabled("PodSecurity")) return { name: "PodSecurity", handles: () => false };
  const check = new PodSecurityCheck(context);
  return plugin("PodSecurity", [
    on([Pod, under(Pod, "ephemeralcontainers"), under(Pod, "resize")], ["CREATE", "UPDATE"], {
      validate: (request) => check.pod(request),
    }),
    on([PodTemplate], ["CREATE", "UPDATE"], {
      validate: (request) => check.template(request, request.object.template),
    }),
    on([ReplicationController, ReplicaSet, Deployment, StatefulSet, DaemonSet, Job], ["CREATE", "UPDATE"], {
      validate: (request) => check.template(request, request.object.spec?.template),
    }),
    on(CronJob, ["CREATE", "UPDATE"], {
      validate: (request) => check.template(request, request.object.spec?.jobTemplate?.spec?.template),
    }),
    on(Namespace, "CREATE", {
      validate(request) {
        const labelled = check.policyFor(request.object);
        const name = request.object.metadata.name ?? "";
        refuseLabels(request, name, labelled);
        check.warnIfExempt(request, name, labelled);
      },
    }),
    on(Namespace, "UPDATE", {
      validate(request) {
        const now = check.policyFor(request.object);
        const before = check.policyFor(request.old);
        const name = request.object.metadata.name ?? "";
        // Labels that were invalid before may stay while something else is repaired.
        if (before.errors.length === 0) refuseLabels(request, name, now);
        const { enforce } = now.policy;
        if (sameStandard(enforce, before.policy.enforce) || enforce.level === "privileged") return;
        if (enforce.version === before.policy.enforce.version && !isStricter(enforce, before.policy.enforce)) return;
        if (check.warnIfExempt(request, name, now)) return;
        const entries = context.registry.peekAll(context.catalog.of(Pod), name);
        const warnings = existingPodWarnings({
          namespace: name,
          pods: entries.slice(0, existingPodsMax).map((entry) => entry.object()),
          count: entries.length,
          standard: enforce,
          isExempt: (spec) => check.isExemptSpec(spec),
          vocabulary,
        });
        for (const warning of warnings) request.warn(warning);
      },
    }),
  ]);
}

function refuseLabels({ kind }: AdmissionRequest, name: string, { errors }: LabelledPolicy): void {
  if (errors.length > 0) throw invalidObject({ group: kind.group, kind: kind.kind }, name, errors);
}
