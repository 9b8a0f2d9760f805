/** `ctl` as a process: how it starts, and that it prints what kubectl prints on the same server. */

import { symlinkSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubectlSession, openKubectlSession } from "./kubectl-session.ts";
import { describeWith, kubectl, kubectlPath, run } from "./programs.ts";

const ctlPath = resolve("bin/ctl");

const objects = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}, annotations: {note: "a note"}}
spec:
  containers:
  - name: c
    image: nginx:1.19
    ports: [{containerPort: 80}]
    env: [{name: A, value: "1"}, {name: B, valueFrom: {configMapKeyRef: {name: settings, key: k}}}]
    resources: {limits: {cpu: 100m}}
    livenessProbe: {httpGet: {path: /, port: 80}}
    volumeMounts: [{name: v, mountPath: /data}]
  volumes: [{name: v, configMap: {name: settings}}, {name: e, emptyDir: {}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec: {replicas: 2, selector: {matchLabels: {app: shop}}, template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: c, image: nginx}]}}}
---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec: {selector: {app: shop}, ports: [{port: 80, name: http}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {k: v}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {p: hunter2}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [pods, pods/log], verbs: [get, list]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: policy}
spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {a: b}}}], ports: [{port: 80, protocol: TCP}]}]}
`;

/** Ages pass while we compare. */
const ageless = (text: string) => text.replaceAll(/\b\d+(s|m\d*s?)\b/g, "AGE").replaceAll(/ {2,}/g, "  ");

describeWith(kubectl, "ctl and kubectl on the same server", () => {
  let session: KubectlSession;
  let asKubectl: string;
  beforeAll(async () => {
    session = await openKubectlSession();
    asKubectl = join(session.folder, "kubectl");
    symlinkSync(ctlPath, asKubectl);
    writeFileSync(join(session.folder, "objects.yaml"), objects);
    await session.ctl(["apply", "-f", join(session.folder, "objects.yaml")]);
  });
  afterAll(() => session.close());

  const lines = [
    "get pods",
    "get pods -o wide",
    "get pods,services --show-labels",
    "get all",
    "get pods web missing",
    "get configmap settings -o jsonpath={.data}",
    "get pods -o custom-columns=N:.metadata.name,I:.spec.containers[*].image",
    "get pods -o go-template={{range.items}}{{.metadata.name}}:{{end}}",
    "get nothing",
    "get pods --unknown",
    "get pods -o unknown",
    "describe pod web",
    "describe deployment shop",
    "describe service shop",
    "describe secret keys",
    "describe configmap settings",
    "describe namespace default",
    "describe role reader",
    "describe networkpolicy policy",
    "explain pod",
    "explain pod.spec.containers",
    "explain deployment --recursive",
    "explain pod.spec.nothing",
    "api-resources",
    "api-resources -o wide",
    "api-versions",
    "auth can-i --list",
    "auth can-i get pods",
    "rollout history deployment/shop",
    "config view",
    "config get-contexts",
    "create deployment d --image=nginx --port=80 --dry-run=client -o yaml",
    "create role r --verb=get,list --resource=pods,deployments.apps --dry-run=client -o yaml",
    "create service clusterip s --tcp=80:8080 --dry-run=client -o yaml",
    "run p --image=nginx --port=80 --env=A=B --dry-run=client -o yaml",
    "expose pod web --dry-run=client -o yaml",
    "autoscale deployment shop --max=3 --dry-run=client -o yaml",
    "set image deployment/shop c=x --dry-run=client",
    "delete pods",
    "rollout restart pod web",
  ];
  for (const line of lines)
    test(line, async () => {
      const options = { env: session.env };
      const [theirs, ours] = await Promise.all([
        run(kubectlPath, line.split(" "), options),
        run(asKubectl, line.split(" "), options),
      ]);
      const shown = ({ code, stdout, stderr }: typeof ours) => ({
        code,
        stdout: ageless(stdout),
        stderr: ageless(stderr),
      });
      expect(shown(ours)).toEqual(shown(theirs));
    });
});

describe("ctl as a process", () => {
  test("tells its version without a server, and its overview fits a screen", async () => {
    const version = await run(ctlPath, ["version", "--client"]);
    expect([version.code, version.stdout]).toEqual([0, expect.stringMatching(/^Client Version: .*API v1\.21/)]);
    const help = await run(ctlPath, ["--help"]);
    expect(help.stdout.split("\n").length).toBeLessThan(25);
  });
  test("writes configurations and caches that only their owner can read", async () => {
    const session = await openKubectlSession();
    const file = join(session.folder, "written");
    const env = { ...session.env, XDG_CACHE_HOME: join(session.folder, "cache") };
    expect(
      (await run(ctlPath, ["config", "set-credentials", "me", "--token=t", `--kubeconfig=${file}`], { env })).code,
    ).toBe(0);
    expect((await run(ctlPath, ["get", "pods"], { env })).code).toBe(0);
    const folder = join(session.folder, "cache/orch-ctl");
    const { readdirSync } = await import("node:fs");
    const files = [file, ...readdirSync(folder).map((name) => join(folder, name))];
    expect(files.length).toBeGreaterThan(1);
    for (const path of files) expect((await stat(path)).mode & 0o077).toBe(0);
    await session.close();
  });
  test("does not mind a reader that has seen enough", async () => {
    const session = await openKubectlSession();
    const { code, stdout } = await run("/bin/sh", ["-c", `"${ctlPath}" api-resources | head -1; exit 0`], {
      env: session.env,
    });
    expect([code, stdout.split("\n").length]).toEqual([0, 2]);
    await session.close();
  });
});
