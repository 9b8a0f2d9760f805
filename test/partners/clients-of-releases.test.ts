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

for (const release of releases) {
  const folder = join(programs, release);
  const missing = existsSync(join(folder, "complete")) ? "" : ": node scripts/provide-clients.mjs gets them";
  describe.skipIf(missing !== "")(`kubectl ${release} and its helm, at level ${release}${missing}`, () => {
    const home = mkdtempSync(join(tmpdir(), "orch-clients-"));
    const env = { KUBECONFIG: join(home, "config"), HOME: home };
    let server: OrchServer;
    beforeAll(async () => {
      server = await createServer({ like: `kubernetes-${release}`, nodes: 2, controllers: ["*"] });
      writeFileSync(env.KUBECONFIG, (await server.clientConfig()).text, { mode: 0o600 });
    });
    afterAll(async () => {
      await server.close();
      rmSync(home, { recursive: true, force: true });
    });
    const said = async (program: string, args: readonly string[], input?: string) => {
      const path = join(folder, program, program);
      const { code, stdout, stderr } = await run(path, args, { env, timeoutMs: 120_000, ...(input ? { input } : {}) });
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
  });
}
