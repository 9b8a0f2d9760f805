import { describe, expect, test } from "vitest";
import { DaemonSet } from "../../../apps/v1/daemon-set.ts";
import { Deployment } from "../../../apps/v1/deployment.ts";
import { ReplicaSet } from "../../../apps/v1/replica-set.ts";
import { StatefulSet } from "../../../apps/v1/stateful-set.ts";
import { CronJob } from "../../../batch/v1/cron-job.ts";
import { Job } from "../../../batch/v1/job.ts";
import { CronJob as BetaCronJob } from "../../../batch/v1beta1/cron-job.ts";
import { bindVersions, create, update } from "../../../life.suite.ts";
import { Pod } from "../pod.ts";
import { PodTemplate } from "../pod-template.ts";
import { ReplicationController } from "../replication-controller.ts";

const labels = { app: "a" };
const selector = { matchLabels: labels };
const podSpec = (pages: string, image: string, restartPolicy: string) => ({
  restartPolicy,
  containers: [{ name: "c", image, resources: { limits: { cpu: "1", "hugepages-2Mi": pages } } }],
});
const templateOf = (pages: string, image: string, restartPolicy = "Always") => ({
  metadata: { labels },
  spec: podSpec(pages, image, restartPolicy),
});
const jobOf = (pages: string, image: string) => ({ spec: { template: templateOf(pages, image, "Never") } });

const kinds = [
  { kind: Pod, of: (pages: string, image: string) => ({ spec: podSpec(pages, image, "Always") }) },
  { kind: PodTemplate, of: (pages: string, image: string) => ({ template: templateOf(pages, image) }) },
  {
    kind: ReplicationController,
    of: (pages: string, image: string) => ({ spec: { selector: labels, template: templateOf(pages, image) } }),
  },
  ...[Deployment, ReplicaSet, DaemonSet, StatefulSet].map((kind) => ({
    kind,
    of: (pages: string, image: string) => ({ spec: { selector, template: templateOf(pages, image) } }),
  })),
  { kind: Job, of: (pages: string, image: string) => ({ ...jobOf(pages, image) }) },
  {
    kind: CronJob,
    of: (pages: string, image: string) => ({ spec: { schedule: "0 0 * * *", jobTemplate: jobOf(pages, image) } }),
  },
];

describe.each(kinds)("at level 1.35 $kind.kind", ({ kind, of }) => {
  const now = bindVersions(kind === CronJob ? [kind, BetaCronJob] : [kind], {}, "1.35").version("v1");
  const object = (pages: string, image: string) => ({ metadata: { name: "x", namespace: "ns" }, ...of(pages, image) });
  const pages = (problems: readonly string[]) => problems.filter((problem) => problem.includes("hugepages"));

  test("may keep parts of huge pages that it had, and may not get any", () => {
    const odd = create(now, object("3Mi", "i"));
    expect(pages(odd.problems).length).toBeGreaterThan(0);
    expect(pages(update(now, object("3Mi", "j"), odd).problems)).toEqual([]);
    const even = create(now, object("4Mi", "i"));
    expect(pages(even.problems)).toEqual([]);
    expect(pages(update(now, object("3Mi", "j"), even).problems).length).toBeGreaterThan(0);
  });
});
