/** The kubectl of today (Debian's newest, 1.36 when this was written) at its own level and at its neighbours: a whole session. */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { freePort, run } from "../e2e/programs.ts";

const levels = ["1.35", "1.36", "1.37"] as const;
const folder = resolve(".cache/clients/newest");
const program = join(folder, "kubectl");
const missing = existsSync(join(folder, "complete")) ? "" : ": node scripts/provide-clients.mjs gets it";
const slow = { timeout: 300_000 };

/** Without a grace period, so that nothing waits for a shell that ignores the first signal, as the first process of a container does. */
const web = (replicas: number, image = "one:1") => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: web, image: "${image}", command: [sh, -c, "echo started; sleep 1000"], ports: [{containerPort: 8080}]}
`;

for (const level of levels)
  describe.skipIf(missing !== "")(`the newest kubectl at level ${level}${missing}`, () => {
    const home = mkdtempSync(join(tmpdir(), "orch-kubectl-"));
    const env = { KUBECONFIG: join(home, "config"), HOME: home };
    const manifest = join(home, "web.yaml");
    let server: OrchServer;
    beforeAll(async () => {
      server = await createServer({ like: `kubernetes-${level}`, nodes: 2, controllers: ["*"], authorization: "RBAC" });
      writeFileSync(env.KUBECONFIG, (await server.clientConfig()).text, { mode: 0o600 });
      writeFileSync(manifest, web(2));
    });
    afterAll(async () => {
      await server.close();
      rmSync(home, { recursive: true, force: true });
    });

    const ran = (args: readonly string[], more: Record<string, string> = {}, input?: string) =>
      run(program, args, { env: { ...env, ...more }, timeoutMs: 120_000, ...(input === undefined ? {} : { input }) });
    const said = async (args: readonly string[], more?: Record<string, string>, input?: string) => {
      const { code, stdout, stderr } = await ran(args, more, input);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringMatching(/error|warning: v/i) });
      return stdout;
    };
    /** One command line. Words are separated by one space. */
    const kubectl = (line: string, input?: string) => said(line.split(" "), {}, input);
    const refused = async (line: string) => {
      const { code, stdout, stderr } = await ran(line.split(" "));
      return { code, said: `${stdout}${stderr}` };
    };
    const podName = () => kubectl("get pods -l app=web -o jsonpath={.items[0].metadata.name}");

    test("what the server serves is found and explained", slow, async () => {
      expect(await kubectl("version -o json")).toContain(`"gitVersion": "v${level}.`);
      expect(await kubectl("api-resources --verbs=list,watch --namespaced -o name")).toContain("deployments.apps\n");
      expect(await kubectl("api-versions")).toContain("resource.k8s.io/v1\n");
      expect(await kubectl("explain deployment.spec.strategy")).toMatch(
        /GROUP: +apps[\s\S]*FIELD: strategy <DeploymentStrategy>/,
      );
      expect(await kubectl("explain pod --recursive")).toContain("restartPolicyRules");
      expect(await kubectl("explain pod.spec --output=plaintext-openapiv2")).toContain("nodeName");
      expect(await kubectl("cluster-info")).toContain("control plane");
      expect(await kubectl("get --raw /readyz")).toBe("ok");
      expect(await kubectl("auth whoami -o jsonpath={.status.userInfo.groups[0]}")).toBe("system:masters");
    });

    test(
      "objects are created, applied, compared, changed and edited, while a watch tells what happens",
      slow,
      async () => {
        expect(await kubectl("create configmap settings --from-literal=a=b")).toBe("configmap/settings created\n");
        const watch = spawn(program, ["get", "pods", "-w", "-o", "name"], { env: { ...process.env, ...env } });
        let seen = "";
        watch.stdout.on("data", (data) => {
          seen += data;
        });
        expect(await kubectl(`apply -f ${manifest}`)).toBe("deployment.apps/web created\n");
        expect(await kubectl("rollout status deployment/web --timeout=60s")).toContain("successfully rolled out");
        await expect.poll(() => new Set(seen.match(/pod\/web-\S+/g)).size, { timeout: 20_000 }).toBe(2);
        watch.kill();
        expect(await kubectl("get pods -l app=web --field-selector=status.phase=Running -o name")).toMatch(
          /^(pod\/web-.*\n){2}$/,
        );
        expect(await kubectl(`diff -f ${manifest}`)).toBe("");
        expect(await refused("diff -f -")).toMatchObject({ code: expect.any(Number) });
        writeFileSync(manifest, web(3));
        expect(await refused(`diff -f ${manifest}`)).toEqual({
          code: 1,
          said: expect.stringContaining("+  replicas: 3"),
        });
        expect(await kubectl(`apply -f ${manifest}`)).toBe("deployment.apps/web configured\n");
        await said(["patch", "deployment", "web", "-p", '{"spec":{"revisionHistoryLimit":5}}']);
        await said([
          "patch",
          "deployment",
          "web",
          "--type=json",
          "-p",
          '[{"op":"replace","path":"/spec/replicas","value":2}]',
        ]);
        await said([
          "patch",
          "deployment",
          "web",
          "--subresource=scale",
          "--type=merge",
          "-p",
          '{"spec":{"replicas":1}}',
        ]);
        expect(await kubectl("get deployment web --subresource=scale")).toMatch(
          /NAME +DESIRED +AVAILABLE +AGE\nweb +1/,
        );
        const edited = await said(["edit", "deployment", "web"], { KUBE_EDITOR: "sed -i s/one:1/two:2/" });
        expect(edited).toBe("deployment.apps/web edited\n");
        expect(await kubectl("get deployment web -o jsonpath={.spec.template.spec.containers[0].image}")).toBe("two:2");
        expect(await kubectl(`apply --server-side --force-conflicts -f ${manifest}`)).toContain("serverside-applied");
        const conflict = await ran(
          ["apply", "--server-side", "--field-manager=another", "-f", "-"],
          {},
          web(5, "five:5"),
        );
        expect(conflict).toMatchObject({ code: 1, stderr: expect.stringContaining("Apply failed with 2 conflicts") });
      },
    );

    test("workloads are rolled out, taken back, scaled, described and looked into", slow, async () => {
      await kubectl("set image deployment/web web=three:3");
      await kubectl("set env deployment/web LEVEL=5");
      await kubectl("set resources deployment/web --requests=cpu=10m");
      await kubectl("rollout status deployment/web --timeout=60s");
      expect(await kubectl("rollout history deployment/web")).toMatch(/REVISION +CHANGE-CAUSE\n\d+ /);
      expect((await ran(["rollout", "undo", "deployment/web"])).stdout).toBe("deployment.apps/web rolled back\n");
      for (const verb of ["restart", "pause", "resume"]) await kubectl(`rollout ${verb} deployment/web`);
      await kubectl("scale deployment web --replicas=1");
      await kubectl("rollout status deployment/web --timeout=60s");
      await expect.poll(() => kubectl("get pods -l app=web -o name"), { timeout: 60_000 }).toMatch(/^pod\/web-\S+\n$/);
      const pod = await podName();
      expect(await kubectl("describe deployment web")).toMatch(/ScalingReplicaSet +.* deployment-controller/);
      expect(await kubectl(`describe pod ${pod}`)).toMatch(
        /PodScheduled +True[\s\S]*Started +.*Started container:? web/,
      );
      expect(await kubectl("describe nodes")).toMatch(/Name: +node-0[\s\S]*Allocated resources/);
      expect(await kubectl("logs deployment/web --tail=1")).toBe("started\n");
      expect(await kubectl("logs -l app=web --prefix")).toBe(`[pod/${pod}/web] started\n`);
      expect(await kubectl("exec deployment/web -- echo hello")).toBe("hello\n");
      expect(await kubectl(`exec -i ${pod} -- cat`, "typed\n")).toBe("typed\n");
      const [from, back] = [join(home, "file.txt"), join(home, "back.txt")];
      writeFileSync(from, "content\n");
      await kubectl(`cp ${from} ${pod}:/tmp/file.txt`);
      await kubectl(`cp ${pod}:/tmp/file.txt ${back}`);
      expect(readFileSync(back, "utf8")).toBe("content\n");
      await kubectl(`debug ${pod} --image=busybox --profile=general --container=look -- sleep 100`);
      expect(await kubectl(`get pod ${pod} -o jsonpath={.spec.ephemeralContainers[0].name}`)).toBe("look");
      expect(await kubectl("events --for deployment/web")).toContain("ScalingReplicaSet");
      await expect.poll(() => kubectl("top pods"), { timeout: 60_000 }).toContain(pod);
    });

    test("ports of a pod and of a service are forwarded", slow, async () => {
      await kubectl("expose deployment web --port=80 --target-port=8080");
      for (const target of [`pod/${await podName()}`, "service/web"]) {
        const local = await freePort();
        const remote = target === "service/web" ? 80 : 8080;
        const forward = spawn(program, ["port-forward", target, `${local}:${remote}`], {
          env: { ...process.env, ...env },
        });
        const answer = () =>
          fetch(`http://127.0.0.1:${local}/hello`).then(
            (got) => got.text(),
            () => "",
          );
        await expect.poll(answer, { timeout: 30_000 }).toContain("/hello");
        forward.kill();
      }
    });

    test("rights are asked for, jobs waited for, nodes drained and everything deleted", slow, async () => {
      expect(await kubectl("auth can-i create pods")).toBe("yes\n");
      expect(await refused("auth can-i create pods --as=nobody")).toEqual({ code: 1, said: "no\n" });
      expect(await kubectl("create token default --duration=10m")).toMatch(/^ey[\w-]+\.[\w-]+.[\w-]+\n?$/);
      await said(["create", "job", "once", "--image=any", "--", "sh", "-c", "echo done"]);
      await kubectl("wait --for=condition=Complete job/once --timeout=60s");
      expect(await kubectl("logs job/once")).toBe("done\n");
      await said(["create", "cronjob", "tick", "--image=any", "--schedule=0 0 1 1 *", "--", "date"]);
      await kubectl("create job now --from=cronjob/tick");
      await kubectl("create role reader --verb=get --resource=pods");
      await kubectl("create rolebinding jane --role=reader --user=jane");
      expect(await kubectl("auth can-i get pods --as=jane")).toBe("yes\n");
      await kubectl("create quota few --hard=pods=20");
      await said(["create", "ingress", "shop", "--rule=a.example/*=web:80"]);
      await kubectl("create pdb web --selector=app=web --min-available=0");
      await kubectl("autoscale deployment web --min=1 --max=3 --cpu=50%");
      expect(await kubectl("get all")).toMatch(/deployment\.apps\/web[\s\S]*horizontalpodautoscaler\.autoscaling\/web/);
      await kubectl("taint nodes --all key=value:NoSchedule");
      await kubectl("taint nodes --all key-");
      expect(await kubectl("drain node-0 --force --timeout=60s")).toContain("node/node-0 drained\n");
      await kubectl("uncordon node-0");
      await kubectl("wait --for=jsonpath={.status.readyReplicas}=1 deployment/web --timeout=60s");
      expect(await kubectl("delete deployment,service web --cascade=foreground")).toContain(
        'deployment.apps "web" deleted from default namespace\n',
      );
      await kubectl("wait --for=delete pod -l app=web --timeout=60s");
      await kubectl("create namespace shop");
      await kubectl("create configmap settings -n shop");
      await kubectl("delete namespace shop --timeout=60s");
      expect(await refused("get configmap settings -n shop")).toEqual({
        code: 1,
        said: 'Error from server (NotFound): namespaces "shop" not found\n',
      });
    });
  });
