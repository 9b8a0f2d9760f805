import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

const job = (name: string, spec = "") => `apiVersion: batch/v1
kind: Job
metadata: { name: ${name} }
spec:
  ${spec}
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: press, image: mill }]
`;

/** The description of the object as lines with one space between their columns. */
async function description(session: Session, object: string, program?: string): Promise<string[]> {
  const text = await session.ok(`describe ${object}`, program === undefined ? {} : { program });
  return text.split("\n").map((line) => line.trim().replaceAll(/\s+/g, " "));
}

async function create(session: Session, manifest: string): Promise<void> {
  await session.ok(`create -f ${session.file("object.yaml", manifest)}`);
}

describe("at a server of 1.35", () => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("ctl", { emulatedVersion: "1.35", disableAdmissionPlugins: ["ServiceAccount"] });
  });
  afterAll(() => session[Symbol.asyncDispose]());

  test("a job shows whether it is suspended, what may fail, and its indexes", async () => {
    const limits = ["suspend: true", "completionMode: Indexed", "backoffLimitPerIndex: 2", "maxFailedIndexes: 5"];
    await create(session, job("press", ["completions: 9", ...limits].join("\n  ")));
    const lines = await description(session, "job/press");
    expect(lines).toContain("Suspend: true");
    expect(lines).toContain("Backoff Limit: 2147483647");
    expect(lines).toContain("Backoff Limit Per Index: 2");
    expect(lines).toContain("Max Failed Indexes: 5");
    expect(lines).toContain("Completed Indexes: <none>");
    expect(lines).toContain("Failed Indexes: <none>");
  });

  test("the indexes of a large job are cut behind a comma", async () => {
    await create(session, job("wide", "completions: 99\n  completionMode: Indexed"));
    const odd = Array.from({ length: 30 }, (_, at) => at * 2 + 1).join(",");
    const status = { status: { completedIndexes: odd, succeeded: 30, active: 2, ready: 1 } };
    await session.ok(["patch", "job", "wide", "--subresource=status", "--type=merge", "-p", JSON.stringify(status)]);
    const lines = await description(session, "job/wide");
    expect(lines).toContain("Completed Indexes: 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,...");
    expect(lines).toContain("Pods Statuses: 2 Active (1 Ready) / 30 Succeeded / 0 Failed");
    expect(lines.join("\n")).not.toContain("Failed Indexes");
  });

  test("a cron job shows its time zone", async () => {
    const template = job("x").split("spec:\n").slice(1).join("spec:\n").replaceAll("\n", "\n      ");
    await create(
      session,
      `apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "0 3 * * *"
  timeZone: Europe/Vienna
  jobTemplate:
    spec:
    ${template}`,
    );
    expect(await description(session, "cronjob/nightly")).toContain("Time Zone: Europe/Vienna");
  });

  test("a pod shows what keeps it from being scheduled, and which init container is a sidecar", async () => {
    await create(
      session,
      `apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  schedulingGates: [{ name: shop.example/quota }, { name: shop.example/review }]
  initContainers:
  - { name: prepare, image: mill }
  - { name: proxy, image: mill, restartPolicy: Always }
  containers: [{ name: main, image: mill }]
`,
    );
    const lines = await description(session, "pod/web");
    expect(lines).toContain("Scheduling Gates: shop.example/quota, shop.example/review");
    expect(lines.filter((line) => line.startsWith("Restart Policy"))).toEqual(["Restart Policy: Always (sidecar)"]);
    expect(lines.indexOf("Restart Policy: Always (sidecar)")).toBeGreaterThan(lines.indexOf("proxy:"));
  });

  const meta = (name: string) => ({ metadata: { name } });
  const exactly = { deviceClassName: "gpu", count: 2, selectors: [{ cel: { expression: "true" } }] };
  const spec = { devices: { requests: [{ name: "one", exactly }] } };
  const rows = [
    {
      object: {
        apiVersion: "networking.orch.io/v1",
        kind: "ServiceCIDR",
        ...meta("more"),
        spec: { cidrs: ["10.9.0.0/24"] },
      },
      lines: ["Name: more", "Labels: <none>", "Annotations: <none>", "CIDRs: 10.9.0.0/24", "Events: <none>"],
    },
    {
      object: {
        apiVersion: "networking.orch.io/v1",
        kind: "IPAddress",
        ...meta("10.9.0.7"),
        spec: { parentRef: { resource: "services", namespace: "shop", name: "web" } },
      },
      lines: ["Parent Reference:", "Resource: services", "Namespace: shop", "Name: web"],
    },
    {
      object: {
        apiVersion: "storage.orch.io/v1",
        kind: "VolumeAttributesClass",
        ...meta("fast"),
        driverName: "d.io",
        parameters: { iops: "5" },
      },
      lines: ["Name: fast", "Annotations: <none>", "DriverName: d.io", "Parameters: iops=5"],
    },
    {
      object: {
        apiVersion: "resource.orch.io/v1",
        kind: "DeviceClass",
        ...meta("gpu"),
        spec: { selectors: exactly.selectors },
      },
      lines: ["Selectors:", "CEL: true"],
    },
    {
      object: { apiVersion: "resource.orch.io/v1", kind: "ResourceClaim", ...meta("mine"), spec },
      lines: [
        "Namespace: default",
        "Requests:",
        "Name: one",
        "Device Class: gpu",
        "Allocation: ExactCount, 2",
        "State: pending",
      ],
    },
    {
      object: { apiVersion: "resource.orch.io/v1", kind: "ResourceClaimTemplate", ...meta("each"), spec: { spec } },
      lines: ["Claim:", "Requests:", "Name: one", "Device Class: gpu"],
    },
    {
      object: {
        apiVersion: "resource.orch.io/v1",
        kind: "ResourceSlice",
        ...meta("rack"),
        spec: {
          driver: "d.io",
          nodeName: "n",
          pool: { name: "p", generation: 1, resourceSliceCount: 1 },
          devices: [{ name: "g0", attributes: { model: { string: "A" } }, capacity: { memory: { value: "2Gi" } } }],
        },
      },
      lines: ["Driver: d.io", "Pool: p (generation 1, slices 1)", "Nodes: n", "Name: g0", 'model: "A"', "memory: 2Gi"],
    },
  ];
  for (const { object, lines } of rows)
    test(`${object.kind} has a layout of its own`, async () => {
      await create(session, JSON.stringify(object));
      const found = await description(session, `${object.kind.toLowerCase()}/${object.metadata.name}`);
      expect(found).toEqual(expect.arrayContaining(lines));
    });
});

test("at a server of 1.21 a job is described as kubectl of that time does, with one line more under our own name", async () => {
  await using session = await openSession("kubectl");
  await create(session, job("press"));
  const own = await description(session, "job/press", "ctl");
  const kubectl = await description(session, "job/press");
  expect(own.filter((line) => !kubectl.includes(line))).toEqual(["Backoff Limit: 6"]);
  expect(kubectl.join("\n")).not.toMatch(/Suspend|Backoff|Indexes|Ready\)/);
});

describe("the whole text, with aligned columns", () => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("ctl", { disableAdmissionPlugins: ["ServiceAccount"] });
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const cases = [
    {
      why: "a table that is sorted by verbs",
      manifest: `apiVersion: rbac.authorization.orch.io/v1
kind: Role
metadata: { name: reader }
rules:
- { apiGroups: [""], resources: [pods, pods/log], verbs: [get, list] }
- { apiGroups: [apps], resources: [deployments], resourceNames: [web], verbs: [patch] }
`,
      object: "role/reader",
      text: `Name:         reader
Labels:       <none>
Annotations:  <none>
PolicyRule:
  Resources         Non-Resource URLs  Resource Names  Verbs
  ---------         -----------------  --------------  -----
  pods/log          []                 []              [get list]
  pods              []                 []              [get list]
  deployments.apps  []                 [web]           [patch]
`,
    },
    {
      why: "nested sections",
      manifest: `apiVersion: networking.orch.io/v1
kind: NetworkPolicy
metadata: { name: inside, labels: { app: web, tier: front } }
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress:
  - from:
    - ipBlock: { cidr: 10.0.0.0/8, except: [10.1.0.0/16] }
    - podSelector: { matchExpressions: [{ key: app, operator: In, values: [b, a] }] }
    ports: [{ port: 80, protocol: TCP }]
`,
      object: "networkpolicy/inside",
      text: `Name:         inside
Namespace:    default
Created on:   (a time)
Labels:       app=web
              tier=front
Annotations:  <none>
Spec:
  PodSelector:     <none> (Allowing the specific traffic to all pods in this namespace)
  Allowing ingress traffic:
    To Port: 80/TCP
    From:
      IPBlock:
        CIDR: 10.0.0.0/8
        Except: 10.1.0.0/16
    From:
      PodSelector: app in (a,b)
  Not affecting egress traffic
  Policy Types: Ingress
`,
    },
    {
      why: "lists in lists, each indented as kubectl does",
      manifest: `apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers:
  - name: main
    image: mill
    args: ["-c", "a\\nb"]
    ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }]
    env: [{ name: PORT, value: "80" }, { name: POD, valueFrom: { fieldRef: { fieldPath: metadata.name } } }]
    resources: { limits: { memory: 1Gi } }
    volumeMounts: [{ name: cache, mountPath: /cache, subPath: a }]
  volumes: [{ name: cache, emptyDir: {} }]
`,
      object: "pod/web",
      text: `Name:         web
Namespace:    default
Priority:     0
Node:         <none>
Labels:       <none>
Annotations:  <none>
Status:       Pending
IP:           
IPs:          <none>
Containers:
  main:
    Image:       mill
    Ports:       80/TCP, 81/TCP
    Host Ports:  0/TCP, 8081/TCP
    Args:
      -c
      a
      b
    Limits:
      memory:  1Gi
    Requests:
      memory:  1Gi
    Environment:
      PORT:  80
      POD:   web (v1:metadata.name)
    Mounts:
      /cache from cache (rw,path="a")
Volumes:
  cache:
    Type:        EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:      
    SizeLimit:   <unset>
QoS Class:       Burstable
Node-Selectors:  <none>
Tolerations:     node.orch.io/not-ready:NoExecute op=Exists for 300s
                 node.orch.io/unreachable:NoExecute op=Exists for 300s
Events:          <none>
`,
    },
  ];
  for (const { why, manifest, object, text } of cases)
    test(`${object}: ${why}`, async () => {
      await create(session, manifest);
      const shown = await session.ok(`describe ${object}`);
      expect(shown.replace(/(?<=Created on: +)\d.*/, "(a time)")).toBe(text);
    });
});
