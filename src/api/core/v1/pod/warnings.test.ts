import { describe, expect, test } from "vitest";
import { Deployment } from "../../../apps/v1/deployment.ts";
import { CronJob } from "../../../batch/v1/cron-job.ts";
import { CronJob as CronJobV1beta1 } from "../../../batch/v1beta1/cron-job.ts";
import { bindVersions, create, update } from "../../../life.suite.ts";
import { container, pod } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

const now = bindVersions([Pod], {}, "1.35").version("v1");
const early = bindVersions([Pod]).version("v1");
const port = (more: object = {}) => ({ containerPort: 80, ...more });
const ports = (...list: object[]) => ({ containers: [{ ...container, ports: list }] });
const fieldsOf = (warnings: readonly string[]) => warnings.map((text) => text.slice(0, text.indexOf(": ")));

describe("at level 1.35 a new pod brings a warning about", () => {
  const term = { topologyKey: "zone" };
  const rows: { why: string; spec: object; metadata?: object; expected: readonly string[] }[] = [
    { why: "nothing, if nothing is odd", spec: {}, expected: [] },
    { why: "ports that repeat", spec: ports(port(), port()), expected: ["spec.containers[0].ports[1]"] },
    {
      why: "ports that overlap, and an address without a port",
      spec: ports(port({ hostPort: 1 }), port({ hostIP: "10.0.0.1" })),
      expected: ["spec.containers[0].ports[1]", "spec.containers[0].ports[1]"],
    },
    {
      why: "selectors that match no pod",
      spec: {
        topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", ...term }],
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      },
      expected: [
        "spec.topologySpreadConstraints[0].labelSelector",
        "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector",
      ],
    },
    {
      why: "files of a volume whose paths overlap",
      spec: {
        volumes: [
          {
            name: "v",
            projected: {
              sources: [
                { configMap: { name: "m", items: [{ key: "a", path: "dir" }] } },
                { secret: { name: "s", items: [{ key: "a", path: "dir/file" }] } },
                { secret: { name: "s", items: [{ key: "b", path: "directory" }] } },
              ],
            },
          },
        ],
      },
      expected: ["spec.volumes[0]"],
    },
    {
      why: "a seccomp annotation, unless there is the field too",
      spec: {},
      metadata: { annotations: { "seccomp.security.alpha.orch.io/pod": "unconfined" } },
      expected: ["metadata.annotations[seccomp.security.alpha.orch.io/pod]"],
    },
    {
      why: "the annotation of a profile that sets a field, before those without an effect",
      spec: {},
      metadata: {
        annotations: {
          "scheduler.alpha.orch.io/critical-pod": "",
          "container.apparmor.security.beta.orch.io/c": "runtime/default",
        },
      },
      expected: [
        "metadata.annotations[container.apparmor.security.beta.orch.io/c]",
        "metadata.annotations[scheduler.alpha.orch.io/critical-pod]",
      ],
    },
    {
      why: "pull secrets that repeat, also without a name",
      spec: { imagePullSecrets: [{ name: "a" }, {}, { name: "a" }, {}] },
      expected: [1, 3, 2, 3].map((index) => `spec.imagePullSecrets[${index}].name`),
    },
    {
      why: "no AppArmor annotation that the field of the container repeats",
      spec: { containers: [{ ...container, securityContext: { appArmorProfile: { type: "RuntimeDefault" } } }] },
      metadata: { annotations: { [`container.apparmor.security.beta.orch.io/${container.name}`]: "runtime/default" } },
      expected: [],
    },
    {
      why: "no AppArmor annotation that the field of the pod repeats",
      spec: { securityContext: { appArmorProfile: { type: "RuntimeDefault" } } },
      metadata: { annotations: { [`container.apparmor.security.beta.orch.io/${container.name}`]: "runtime/default" } },
      expected: [],
    },
  ];
  test.each(rows)("$why", ({ spec, metadata, expected }) => {
    const { warnings, problems } = create(now, pod(spec, metadata));
    expect([problems, fieldsOf(warnings)]).toEqual([[], expected]);
    expect(create(early, pod(spec, metadata)).warnings).toEqual([]);
  });

  test("an update of a pod tells nothing", () => {
    const old = create(now, pod(ports(port(), port())));
    expect(
      update(now, { ...old.object, metadata: { ...old.object.metadata, labels: { a: "b" } } }, old).warnings,
    ).toEqual([]);
  });
});

describe("templates", () => {
  const template = {
    metadata: { labels: { a: "b" } },
    spec: { containers: [{ ...container, env: [{ name: "A" }, { name: "A", value: "x" }] }] },
  };

  test("of a Deployment are judged when its spec changes", () => {
    const kind = bindVersions([Deployment], {}, "1.35").version("v1");
    const made = create(kind, { spec: { selector: { matchLabels: { a: "b" } }, template } });
    expect(fieldsOf(made.warnings)).toEqual(["spec.template.spec.containers[0].env[1]"]);
    const labelled = { ...made.object, metadata: { ...made.object.metadata, labels: { c: "d" } } };
    expect(update(kind, labelled, made).warnings).toEqual([]);
    const spec = { ...(made.object["spec"] as object), replicas: 7 };
    expect(update(kind, { ...made.object, spec }, made).warnings).toHaveLength(1);
  });

  test("bring no warning about an AppArmor annotation that a field of the pod or of the container replaces", () => {
    const kind = bindVersions([Deployment], {}, "1.35").version("v1");
    const annotations = { [`container.apparmor.security.beta.orch.io/${container.name}`]: "runtime/default" };
    const metadata = { labels: { a: "b" }, annotations };
    const told = (spec: object) =>
      create(kind, {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata, spec: { containers: [container], ...spec } },
        },
      }).warnings;
    const securityContext = { appArmorProfile: { type: "RuntimeDefault" } };
    expect(told({})).toHaveLength(1);
    expect(told({ securityContext })).toEqual([]);
    expect(told({ containers: [{ ...container, securityContext }] })).toEqual([]);
  });

  test("of a CronJob are those of its jobs", () => {
    const kind = bindVersions([CronJob, CronJobV1beta1], {}, "1.35").version("v1");
    const jobs = { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } };
    const { warnings } = create(kind, { spec: { schedule: "* * * * *", jobTemplate: jobs } });
    expect(fieldsOf(warnings)).toEqual(["spec.jobTemplate.spec.template.spec.containers[0].env[1]"]);
  });
});
