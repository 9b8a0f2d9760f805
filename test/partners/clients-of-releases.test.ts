/** kubectl and helm as they were released, each at its level: a session of what people do every day. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { run } from "../e2e/programs.ts";

const releases = ["1.24", "1.28", "1.32", "1.35"] as const;
const programs = resolve(".cache/clients");
const slow = { timeout: 300_000 };

const web = (replicas: number, image: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "${image}", command: [sh, -c, "echo started; sleep 1000"]}
`;

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: toys, singular: toy, kind: Toy}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}
`;

for (const release of releases) {
  const folder = join(programs, release);
  const missing = existsSync(join(folder, "complete")) ? "" : ": node scripts/provide-clients.mjs gets them";
  describe.skipIf(missing !== "")(`kubectl ${release} and its helm, at level ${release}${missing}`, () => {
    const home = mkdtempSync(join(tmpdir(), "orch-clients-"));
    const env = { KUBECONFIG: join(home, "config"), HOME: home };
    let server: OrchServer;
    beforeAll(async () => {
      server = await createServer({ like: `kubernetes-${release}`, nodes: 2, controllers: ["*"], workspaces: true });
      writeFileSync(env.KUBECONFIG, (await server.clientConfig()).text, { mode: 0o600 });
    });
    afterAll(async () => {
      await server.close();
      rmSync(home, { recursive: true, force: true });
    });
    const said = async (program: string, args: readonly string[], input?: string, own = env) => {
      const path = join(folder, program, program);
      const { code, stdout, stderr } = await run(path, args, {
        env: own,
        timeoutMs: 120_000,
        ...(input ? { input } : {}),
      });
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringMatching(/error:/i) });
      return stdout;
    };
    const kubectl = (args: string, input?: string) => said("kubectl", args.split(" "), input);
    const helm = (args: string) => said("helm", ["--namespace=shop", ...args.split(" ")]);

    test("objects are applied, changed, waited for, looked into and deleted", slow, async () => {
      expect(await kubectl("version -o json")).toContain(`"gitVersion": "v${release}.`);
      expect(await kubectl("api-resources -o name")).toContain("deployments.apps");
      expect(await kubectl("explain deployment.spec.replicas")).toContain("replicas");
      await kubectl("apply -f -", web(2, "one:1"));
      await kubectl("rollout status deployment/web --timeout=60s");
      expect(await kubectl("diff -f -", web(2, "one:1"))).toBe("");
      await kubectl("apply --server-side --force-conflicts -f -", web(3, "two:2"));
      await kubectl("wait --for=jsonpath={.status.readyReplicas}=3 deployment/web --timeout=60s");
      expect(await kubectl("logs deployment/web --tail=1")).toBe("started\n");
      expect(await kubectl("exec deployment/web -- echo hello")).toBe("hello\n");
      await kubectl("rollout undo deployment/web");
      await kubectl("set env deployment/web LEVEL=5");
      await kubectl("scale deployment/web --replicas=1");
      await kubectl("rollout status deployment/web --timeout=60s");
      await kubectl("label deployment/web tier=front");
      expect(await kubectl("get deployments -l tier=front -o jsonpath={.items[*].spec.replicas}")).toBe("1");
      expect(await kubectl("describe deployment web")).toContain("ScalingReplicaSet");
      expect(await kubectl("auth can-i create pods")).toBe("yes\n");
      await kubectl("expose deployment web --port=80");
      expect(await kubectl("get service web -o jsonpath={.spec.ports[0].port}")).toBe("80");
      await kubectl("delete deployment,service web --cascade=foreground");
      expect(await kubectl("get all -l app=web -o name")).toBe("");
    });

    test("a chart is installed, upgraded, rolled back, tested and removed", slow, async () => {
      const chart = join(home, "shop");
      mkdirSync(join(chart, "templates"), { recursive: true });
      writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
      writeFileSync(join(chart, "values.yaml"), "replicas: 1\n");
      writeFileSync(
        join(chart, "templates/web.yaml"),
        web(0, "one:1").replace("replicas: 0", "replicas: {{ .Values.replicas }}"),
      );
      writeFileSync(
        join(chart, "templates/check.yaml"),
        `apiVersion: v1
kind: Pod
metadata: {name: check, annotations: {helm.sh/hook: test}}
spec:
  restartPolicy: Never
  containers: [{name: check, image: any, command: [sh, -c, "echo checked; exit 0"]}]
`,
      );
      await kubectl("create namespace shop");
      await helm(`install shop ${chart} --wait --timeout=60s`);
      await helm(`upgrade shop ${chart} --set replicas=3 --wait --timeout=60s`);
      expect(await kubectl("get deployment web -n shop -o jsonpath={.status.readyReplicas}")).toBe("3");
      await helm("rollback shop 1 --wait --timeout=60s");
      expect(await kubectl("get deployment web -n shop -o jsonpath={.spec.replicas}")).toBe("1");
      expect(await helm("history shop -o json")).toContain('"revision":3');
      expect(await helm("test shop --timeout=60s")).toContain("Succeeded");
      await helm("uninstall shop --wait --timeout=60s");
      expect(await helm("list -q")).toBe("");
    });

    test("a chart with a definition is installed, upgraded, rolled back and removed in a workspace", slow, async () => {
      const chart = join(home, "toys");
      mkdirSync(join(chart, "templates"), { recursive: true });
      mkdirSync(join(chart, "crds"));
      writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: toys\nversion: 1.0.0\n");
      writeFileSync(join(chart, "values.yaml"), "size: 1\n");
      writeFileSync(join(chart, "crds/toys.yaml"), definition);
      writeFileSync(
        join(chart, "templates/toy.yaml"),
        `apiVersion: example.com/v1
kind: Toy
metadata: {name: train}
spec: {size: {{ .Values.size }}}
---
apiVersion: v1
kind: Service
metadata: {name: toys}
spec: {selector: {app: toys}, ports: [{port: 80}]}
---
${web(0, "one:1")}`,
      );
      const workspace = await server.workspace("shop");
      const inside = { ...env, KUBECONFIG: join(home, "inside") };
      writeFileSync(inside.KUBECONFIG, (await workspace.clientConfig()).text, { mode: 0o600 });
      const here = (program: string, args: string) => said(program, args.split(" "), undefined, inside);
      const size = () => here("kubectl", "get toy train -n shop -o jsonpath={.spec.size}");
      await here("helm", `install toys ${chart} --namespace=shop --create-namespace --wait --timeout=60s`);
      expect(await size()).toBe("1");
      await here("helm", `upgrade toys ${chart} --namespace=shop --set size=2 --wait --timeout=60s`);
      expect(await size()).toBe("2");
      await here("helm", "rollback toys 1 --namespace=shop --wait --timeout=60s");
      expect(await size()).toBe("1");
      expect(await here("helm", "history toys --namespace=shop -o json")).toContain('"revision":3');
      await here("helm", "uninstall toys --namespace=shop --wait --timeout=60s");
      expect(await here("kubectl", "get toys,deployments -n shop -o name")).toBe("");
      expect((await server.fetch("/apis/example.com/v1")).status).toBe(404);
    });
  });
}
