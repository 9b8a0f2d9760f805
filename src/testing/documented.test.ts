import { expect, test } from "vitest";
import { DaemonSetSpec } from "../api/apps/v1/daemon-set.ts";
import { DeploymentSpec } from "../api/apps/v1/deployment.ts";
import { StatefulSetSpec } from "../api/apps/v1/stateful-set.ts";
import { CronJobSpec } from "../api/batch/v1/cron-job.ts";
import { JobSpec } from "../api/batch/v1/job-spec.ts";
import { Container } from "../api/core/v1/pod/container.ts";
import { EnvVar } from "../api/core/v1/pod/container-env.ts";
import { PodSpec } from "../api/core/v1/pod/spec.ts";
import { ServicePort, ServiceSpec } from "../api/core/v1/service/spec.ts";
import { PersistentVolumeClaimSpec } from "../api/core/v1/volume/persistent-volume-claim-spec.ts";
import { LabelSelector } from "../api/meta/label-selector.ts";
import { IngressSpec } from "../api/networking/v1/ingress-spec.ts";
import { PolicyRule } from "../api/rbac/v1/rules.ts";
import { ObjectMetaStruct } from "../machinery/schema/object-meta.ts";
import type { Field, StructSchema } from "../machinery/schema/schema.ts";

/** Descriptions that `explain` shows. */
const lookedUp: readonly Field[] = [
  ...[ObjectMetaStruct, LabelSelector, PodSpec, Container, EnvVar, ServiceSpec, ServicePort],
  ...[DeploymentSpec, StatefulSetSpec, DaemonSetSpec, JobSpec, CronJobSpec],
  ...[IngressSpec, PersistentVolumeClaimSpec, PolicyRule],
];

for (const { schema } of lookedUp) {
  const { name, fields } = schema as StructSchema; // made by struct()
  test(`every field of ${name} has a description`, () => {
    expect([...fields].filter(([, { description }]) => description === "").map(([field]) => field)).toEqual([]);
  });
}
