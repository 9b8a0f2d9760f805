/** `ctl` under the name kubectl prints what kubectl prints on the same server. */

import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "../../src/ctl/session.suite.ts";
import { openKubectlSession } from "./kubectl-session.ts";
import { describeWith, kubectl, kubectlPath, type Outcome, run } from "./programs.ts";

const ctlPath = resolve("bin/ctl");

const objects = `apiVersion: v1
kind: Node
metadata: {name: plot}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: limits}
spec: {hard: {pods: "9"}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: slow}
provisioner: example.com/slow
---
apiVersion: v1
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
  volumes: [{name: v, configMap: {name: settings}}, {name: e, emptyDir: {}}, {name: d, persistentVolumeClaim: {claimName: disk}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
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
rules:
- {apiGroups: ["", apps], resources: [pods, pods/log], verbs: [get, list]}
- {apiGroups: [""], resources: [pods], verbs: [get, delete]}
- {apiGroups: [""], resources: [secrets], resourceNames: [a, b], verbs: [get]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: policy}
spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {a: b}}}], ports: [{port: 80, protocol: TCP}]}]}
`;

/** Ages pass while we compare; v1.21 writes one title otherwise than Debian's kubectl. */
const ageless = (text: string) =>
  text
    .replaceAll("Memory Limits  Age", "Memory Limits  AGE")
    .replaceAll(/\b\d+(s|m\d*s?)\b/g, "AGE")
    .replaceAll(/ {2,}/g, "  ");

describeWith(kubectl, "ctl and kubectl on the same server", () => {
  let session: Session;
  let env: Record<string, string>;
  beforeAll(async () => {
    session = await openSession("kubectl", { controllers: [] });
    session.file("config", (await session.server.clientConfig()).text);
    env = { KUBECONFIG: join(session.folder, "config"), HOME: session.folder };
    symlinkSync(ctlPath, join(session.folder, "kubectl"));
    session.file("objects.yaml", objects);
    for (const [name, kind] of [
      ["local.yaml", "Deployment"],
      ["service.yaml", "Service"],
    ] as const) {
      const documents = objects.split("---\n").filter((text) => text.includes(`kind: ${kind}\n`));
      session.file(name, documents[0] ?? "");
    }
    const applied = await run(kubectlPath, ["apply", "-f", join(session.folder, "objects.yaml")], { env });
    expect(applied.code, applied.stderr).toBe(0);
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const inProcess = async (words: readonly string[]): Promise<Outcome> => {
    const { code, out, err } = await session.run(words, { env, isConfigured: true });
    return { code, stdout: out, stderr: err };
  };
  const asProcess = (words: readonly string[]) => run(join(session.folder, "kubectl"), words, { env });
  /** Those that are run as processes as well: a table, an error beside output, a refused flag. */
  const ofProcess = new Set(["get pods -o wide", "get pods web missing", "get pods --unknown"]);

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
    "describe node plot",
    "describe clusterrole view",
    "describe clusterrole admin",
    "describe componentstatuses",
    "describe pvc disk",
    "describe endpoints kubernetes",
    "describe quota limits",
    "describe storageclass slow",
    "describe nothing",
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
    "get deployment shop -o name",
    "get pods -o jsonpath={range.items[*]}{.metadata.name}:{.spec.containers[*].image}{end}",
    'get pods -o jsonpath={.items[?(@.metadata.name=="web")].spec.containers[0].name}',
    "get pods --sort-by=.metadata.name --no-headers",
    "get pods -l a=(",
    "get pod/web service/shop",
    "rollout undo deployment/shop --to-revision=7",
    "rollout history deployment/shop --revision=1",
    "set image deployment/shop nothing=x",
    "label pod web app=other",
    "set image -f FOLDER/local.yaml c=x --local -o yaml",
    "set selector -f FOLDER/service.yaml a=b --local -o yaml",
    "apply -f nothing.yaml",
    "create clusterrole r --verb=get",
    "drain plot --dry-run=client --force",
    "cordon",
    "debug web",
    "explain service.spec --recursive",
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
    "rollout history configmap/settings",
    "rollout history pod/web",
    "rollout undo pod/web",
    "rollout status configmap/settings",
    "rollout nothing",
    "create nothing x",
    "create ns",
    "create secret tls t --key=nothing --cert=nothing",
    "create quota q --hard=nothing --dry-run=client",
    "run",
    "label namespace --all --list",
    "label pod web a=b=c",
    "annotate pod web note=other",
    "get pods/",
    "get pod --context=missing",
    "explain nothing",
    "explain",
    "patch --patch-file=nothing pod web",
    "auth reconcile -f FOLDER/objects.yaml --dry-run=client",
    "get pods -o jsonpath={.items[?(@.metadata.name=~/x/)]}",
    "get quota limits -o go-template={{.status}}",
    "api-versions nothing",
    "config unset contexts.nothing",
  ];
  const shown = ({ code, stdout, stderr }: Outcome) => ({ code, stdout: ageless(stdout), stderr: ageless(stderr) });
  for (const line of lines)
    test(line, async () => {
      const words = line.replace("FOLDER", session.folder).split(" ");
      const ways = ofProcess.has(line) ? [inProcess, asProcess] : [inProcess];
      const [theirs, ...ours] = await Promise.all([run(kubectlPath, words, { env }), ...ways.map((way) => way(words))]);
      for (const outcome of ours) expect(shown(outcome)).toEqual(shown(theirs));
    });
});

describeWith(kubectl, "diff", () => {
  test("of an existing object prints the same lines as kubectl and exits with the same code", async () => {
    const session = await openKubectlSession();
    const asKubectl = join(session.folder, "kubectl");
    symlinkSync(ctlPath, asKubectl);
    const file = join(session.folder, "lamp.yaml");
    const write = (lit: string) =>
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "lamp" }, data: { lit } }),
      );
    const compared = async () => {
      const [theirs, ours] = await Promise.all(
        [kubectlPath, asKubectl].map((program) => run(program, ["diff", "-f", file], { env: session.env })),
      );
      const shown = ({ code, stdout }: NonNullable<typeof ours>) => ({
        code,
        lines: stdout.split("\n").filter((line) => /^[-+] /.test(line) && !/uid|[tT]ime/.test(line)),
      });
      expect(shown(ours!)).toEqual(shown(theirs!));
      return ours!.code;
    };
    write("yes");
    await run(kubectlPath, ["apply", "-f", file], { env: session.env });
    expect(await compared()).toBe(0);
    write("no");
    expect(await compared()).toBe(1);
  });
});

describeWith(kubectl, "whole objects", () => {
  test("have their members in kubectl's order, without managed fields", async () => {
    const session = await openKubectlSession();
    const asKubectl = join(session.folder, "kubectl");
    symlinkSync(ctlPath, asKubectl);
    const without = (text: string) =>
      JSON.stringify(JSON.parse(text), (key, value: unknown) => (key === "managedFields" ? undefined : value), 4);
    for (const line of ["get ns default -o json", "get services -o json", "get ns/default svc/kubernetes -o json"]) {
      const [theirs, ours] = [kubectlPath, asKubectl].map((program) =>
        run(program, line.split(" "), { env: session.env }),
      );
      const { stdout } = (await ours) ?? { stdout: "" };
      expect(stdout).toBe(`${without((await theirs)?.stdout ?? "{}")}\n`);
    }
    await session.close();
  });
});
