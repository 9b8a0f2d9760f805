import { afterAll, beforeAll, expect, test } from "vitest";
import { type PlayedNodes, playNodes } from "./played-nodes.ts";
import { describeWith, kubectl } from "./programs.ts";
import { openUpSession, type UpSession } from "./up-session.ts";

describeWith(kubectl, "kubectl and the controllers of orch up", () => {
  let session: UpSession;
  let nodes: PlayedNodes;
  beforeAll(async () => {
    session = await openUpSession();
    nodes = playNodes(session.client);
  });
  afterAll(async () => {
    await nodes?.stop();
    await session?.close();
  });
  // Each look is a process.
  const polled = { interval: 250 };
  const ctl = (args: string | readonly string[], input = "") => session.ctl(args, { input });
  const lines = async (args: string) => (await ctl(args)).trim().split("\n").filter(Boolean);
  const status = (name: string) => ctl(`rollout status ${name} --timeout=25s`);
  const images = (name: string) =>
    ctl(`get pods -l app=${name} --sort-by=.metadata.name -o jsonpath={..spec.containers[0].image}`);
  const until = (args: string) => expect.poll(() => ctl(args), polled);

  test("create deployment, rollout status and scale", async () => {
    await ctl("create deployment web --image=web:1 --replicas=3");
    expect(await status("deployment/web")).toContain('deployment "web" successfully rolled out');
    expect(await lines("get pods -l app=web -o name")).toHaveLength(3);
    const [head, row] = await lines("get deployment web");
    expect(head).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE$/);
    expect(row).toMatch(/^web +3\/3 +3 +3 /);
    await ctl("scale deployment web --replicas=5");
    await status("deployment/web");
    expect(await lines("get pods -l app=web -o name")).toHaveLength(5);
    await ctl("scale deployment web --current-replicas=5 --replicas=2");
    await until("get deployment web -o jsonpath={.status.replicas}").toBe("2");
    expect((await session.tryCtl("scale deployment web --current-replicas=5 --replicas=9")).code).toBe(1);
    expect(await ctl("describe deployment web")).toContain("Scaled up replica set web-");
  });

  test("set image, rollout history, undo, restart, pause and resume", async () => {
    await ctl("create deployment api --image=api:1 --replicas=2");
    await status("deployment/api");
    await ctl("set image deployment/api api=api:2");
    await ctl("annotate deployment/api kubernetes.io/change-cause=second");
    await status("deployment/api");
    await until("get pods -l app=api -o jsonpath={..spec.containers[0].image}").toBe("api:2 api:2");
    expect(await ctl("rollout history deployment/api")).toMatch(/REVISION +CHANGE-CAUSE\n1 +<none>\n2 +second\n/);
    expect(await ctl("rollout history deployment/api --revision=1")).toContain("Image:\tapi:1");

    await ctl("rollout undo deployment/api");
    await status("deployment/api");
    await expect.poll(() => images("api"), polled).toBe("api:1 api:1");
    expect(await ctl("rollout history deployment/api")).toMatch(/\n2 +second\n3 +<none>\n/);
    await ctl("rollout undo deployment/api --to-revision=2");
    await status("deployment/api");
    await expect.poll(() => images("api"), polled).toBe("api:2 api:2");
    expect((await session.tryCtl("rollout undo deployment/api --to-revision=99")).stderr).toContain(
      "unable to find specified revision 99 in history",
    );

    const before = await ctl("get pods -l app=api -o name");
    await ctl("rollout restart deployment/api");
    await status("deployment/api");
    await expect.poll(() => lines("get pods -l app=api -o name"), polled).toHaveLength(2);
    for (const name of await lines("get pods -l app=api -o name")) expect(before).not.toContain(name);

    await ctl("rollout pause deployment/api");
    await ctl("set image deployment/api api=api:3");
    await until(
      'get deployment api -o jsonpath={.status.conditions[?(@.type=="Progressing")].reason}/{.status.updatedReplicas}',
    ).toBe("DeploymentPaused/");
    expect(await images("api")).toBe("api:2 api:2");
    expect((await session.tryCtl("rollout undo deployment/api")).stderr).toContain("paused");
    await ctl("rollout resume deployment/api");
    await status("deployment/api");
    await expect.poll(() => images("api"), polled).toBe("api:3 api:3");
  });

  test("rollout status reports that a deployment does not progress", async () => {
    await ctl("create deployment stuck --image=good --replicas=2");
    await ctl(["patch", "deployment", "stuck", "-p", '{"spec":{"progressDeadlineSeconds":1}}']);
    await status("deployment/stuck");
    await ctl("set image deployment/stuck good=broken");
    const { code, stderr } = await session.tryCtl("rollout status deployment/stuck --timeout=25s");
    expect([code, stderr]).toEqual([1, expect.stringContaining('deployment "stuck" exceeded its progress deadline')]);
    expect(await lines("get deployment stuck -o jsonpath={.status.availableReplicas}")).toEqual(["2"]);
  });

  test("rollouts of stateful sets and daemon sets", async () => {
    const container = [{ name: "c", image: "c:1" }];
    const of = (kind: string, name: string, more: object) => ({
      apiVersion: "apps/v1",
      kind,
      metadata: { name },
      spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: container } },
        ...more,
      },
    });
    await ctl("create -f -", '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}');
    await ctl(
      ["patch", "node", "n1", "--type=merge", "-p", '{"spec":{"taints":null}}'], // new nodes are not ready yet
    );
    await ctl("create -f -", JSON.stringify(of("StatefulSet", "db", { replicas: 2, serviceName: "db" })));
    await ctl("create -f -", JSON.stringify(of("DaemonSet", "agent", {})));
    for (const name of ["statefulset/db", "daemonset/agent"]) {
      expect(await status(name)).toMatch(/roll(ing update|ed out)|complete/);
      await ctl(`set image ${name} c=c:2`);
      await status(name);
      await ctl(`rollout undo ${name}`);
      await status(name);
      await ctl(`rollout restart ${name}`);
      await status(name);
      expect((await lines(`rollout history ${name}`)).length).toBeGreaterThan(3);
    }
    expect(await lines("get pods -l app=db -o name")).toEqual(["pod/db-0", "pod/db-1"]);
    await ctl("scale statefulset db --replicas=1");
    await until("get pods -l app=db -o name").toBe("pod/db-0\n");
    await ctl("delete statefulset db");
    await ctl("delete daemonset agent");
    await ctl("delete node n1");
  });

  test("jobs and cron jobs", async () => {
    await ctl("create job once --image=x");
    await until("get pods -l job-name=once -o name").toMatch(/^pod\/once-/);
    const [pod = ""] = await lines("get pods -l job-name=once -o jsonpath={..metadata.name}");
    await session.client.fetch(`/api/v1/namespaces/default/pods/${pod}/status`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ status: { phase: "Succeeded" } }),
    });
    await ctl("wait --for=condition=complete job/once --timeout=25s");
    expect((await lines("get job once"))[1]).toMatch(/^once +1\/1 /);
    await ctl(["create", "cronjob", "tick", "--image=x", "--schedule=0 0 1 1 *"]);
    await ctl("create job by-hand --from=cronjob.v1beta1.batch/tick");
    await until("get pods -l job-name=by-hand -o name").toMatch(/^pod\/by-hand-/);
    await ctl("delete cronjob tick");
    await until("get job by-hand --ignore-not-found -o name").toBe("");
  });

  test("autoscale reports that it cannot get metrics, and stays within its bounds", async () => {
    await ctl("create deployment scaled --image=x --replicas=1");
    await status("deployment/scaled");
    await ctl("autoscale deployment scaled --min=2 --max=4 --cpu-percent=50");
    await until("get deployment scaled -o jsonpath={.spec.replicas}").toBe("2");
    expect((await lines("get hpa scaled"))[1]).toMatch(/^scaled +Deployment\/scaled +<unknown>\/50% +2 +4 /);
    expect(await ctl("describe hpa scaled")).toMatch(/AbleToScale +True/);
  });

  test("delete --cascade=background, foreground and orphan", async () => {
    for (const cascade of ["background", "foreground", "orphan"]) {
      await ctl(`create deployment ${cascade} --image=x --replicas=2`);
      await status(`deployment/${cascade}`);
      await ctl(`delete deployment ${cascade} --cascade=${cascade} --timeout=25s`); // waits until it is gone
      const left = () => lines(`get replicasets,pods -l app=${cascade} -o name`);
      if (cascade === "background") await expect.poll(left, polled).toEqual([]);
      // The owner of a foreground deletion goes last.
      else if (cascade === "foreground") expect(await left()).toEqual([]);
      else {
        expect(await left()).toHaveLength(3);
        expect(await ctl("get replicasets -l app=orphan -o jsonpath={..ownerReferences}")).toBe("");
      }
    }
    await ctl("delete replicasets -l app=orphan");
  });

  test("a namespace has an account, and delete ns empties and removes it", async () => {
    await ctl("create namespace shop");
    await until("get serviceaccount default -n shop -o jsonpath={.secrets[0].name}").toMatch(/^default-token-\w{5}$/);
    await until("get configmap kube-root-ca.crt -n shop -o name").toBe("configmap/kube-root-ca.crt\n");
    await ctl("create deployment web --image=x --replicas=3 -n shop");
    await ctl("create quota q --hard=pods=10,configmaps=5 -n shop");
    await ctl("expose deployment web --port=80 -n shop");
    await ctl("rollout status deployment/web -n shop --timeout=25s");
    await until("get endpoints web -n shop -o jsonpath={.subsets[0].ports[0].port}").toBe("80");
    await until("get quota q -n shop -o jsonpath={.status.used.pods}").toBe("3");
    await ctl("delete ns shop --timeout=25s");
    expect(await ctl("get ns shop --ignore-not-found")).toBe("");
  });

  test("a drain waits until the disruption budget allows it", async () => {
    await ctl("create deployment kept --image=x --replicas=3");
    await status("deployment/kept");
    await ctl("create poddisruptionbudget kept --selector=app=kept --min-available=2");
    await until("get pdb kept -o jsonpath={.status.disruptionsAllowed}").toBe("1");
    expect((await lines("get pdb kept"))[1]).toMatch(/^kept +2 +N\/A +1 /);
  });
});
