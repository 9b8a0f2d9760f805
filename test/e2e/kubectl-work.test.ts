import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubectlSession, openKubectlSession } from "./kubectl-session.ts";
import { describeWith, kubectl, kubectlPath, run } from "./programs.ts";

describeWith(kubectl, "a day's work with kubectl", () => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await openKubectlSession();
    await ctl("create deployment web --image=web:1 --replicas=2");
  });
  afterAll(() => session?.close());
  const ctl = (args: string | readonly string[], input = "") => session.ctl(args, { input });
  const lines = async (args: string) => (await ctl(args)).trim().split("\n");

  /** What a controller or a node would write. */
  async function patchStatus(path: string, status: object): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    const body = JSON.stringify({ status });
    expect((await session.server.fetch(`${path}/status`, { method: "PATCH", headers, body })).status).toBe(200);
  }

  const creations = [
    "configmap c --from-literal=a=b",
    "secret generic s --from-literal=a=b",
    "secret docker-registry d --docker-server=x --docker-username=u --docker-password=p",
    "serviceaccount a",
    "namespace n",
    "role r --verb=get --resource=pods",
    "rolebinding b --role=r --user=u",
    "clusterrole cr --verb=get --resource=pods",
    "clusterrolebinding crb --clusterrole=cr --group=g",
    "quota q --hard=pods=3",
    "poddisruptionbudget p --selector=app=web --min-available=1",
    "priorityclass pc --value=5",
    "job j --image=x",
    "service clusterip sc --tcp=80",
    "service nodeport sn --tcp=80",
    "service externalname se --external-name=a.example.com",
    "ingress i --rule=a.example.com/x=sc:80",
  ];
  for (const what of creations) {
    test(`create ${what.split(" --")[0]}`, async () => expect(await ctl(`create ${what}`)).toMatch(/ created\n$/));
  }

  test("create cronjob", async () => {
    await ctl(["create", "cronjob", "nightly", "--image=x", "--schedule=0 3 * * *"]);
    expect(await ctl("get cronjob nightly -o jsonpath={.spec.schedule}")).toBe("0 3 * * *");
  });

  test("the YAML of the server is the YAML of kubectl, character by character", async () => {
    const texts = [
      "no",
      "0x1F",
      "2021-01-01",
      "a: b",
      "*/5 * * * *",
      '{"a": 1}',
      " x ",
      "a\nb\n",
      "\n",
      "a \nb",
      "\ta",
    ];
    const data = Object.fromEntries([...texts, "word ".repeat(40)].map((text, at) => [`k${at}`, text]));
    await ctl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "texts" }, data }));
    for (const [name, path] of [
      ["configmap/texts", "/api/v1/namespaces/default/configmaps/texts"],
      ["cronjob/nightly", "/apis/batch/v1/namespaces/default/cronjobs/nightly"],
      ["deployment/web", "/apis/apps/v1/namespaces/default/deployments/web"],
    ] as const) {
      const own = await (await session.server.fetch(path, { headers: { accept: "application/yaml" } })).text();
      expect(await ctl(`get ${name} -o yaml`)).toBe(own);
    }
  });

  test("expose, autoscale and scale", async () => {
    await ctl("expose deployment web --port=80");
    expect(await ctl("get service web -o jsonpath={.spec.selector.app}")).toBe("web");
    await ctl("autoscale deployment web --min=1 --max=3 --cpu-percent=50");
    expect(await ctl("get hpa web -o jsonpath={.spec.maxReplicas}")).toBe("3");
    await ctl("scale deployment web --replicas=4");
    expect(await ctl("get deployment web -o jsonpath={.spec.replicas}")).toBe("4");
  });

  test("get all, and get -o wide", async () => {
    const all = await lines("get all -o name");
    expect(all).toContain("deployment.apps/web");
    expect(all).toContain("service/web");
    expect(all).toContain("horizontalpodautoscaler.autoscaling/web");
    expect(all).not.toContain("configmap/c");
    const [head, row] = await lines("get deployment web -o wide");
    expect(head).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR$/);
    expect(row).toMatch(/^web +0\/4 +0 +0 +\S+ +web +web:1 +app=web$/);
  });

  test("lists in chunks, sorted, by fields and in custom columns", async () => {
    const names = await lines("get namespaces --chunk-size=2 --sort-by=.metadata.name -o name");
    expect(names).toEqual(
      ["default", "kube-node-lease", "kube-public", "kube-system", "n"].map((n) => `namespace/${n}`),
    );
    expect(await lines("get namespaces --field-selector=metadata.name=n -o custom-columns=N:.metadata.name")).toEqual([
      "N",
      "n",
    ]);
  });

  test("rollout follows the status of a deployment", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments/web";
    await ctl("set image deployment/web web=web:2");
    const generation = Number(await ctl("get deployment web -o jsonpath={.metadata.generation}"));
    const [waiting, done] = [{ updatedReplicas: 1 }, { updatedReplicas: 4, availableReplicas: 4, readyReplicas: 4 }];
    await patchStatus(path, { observedGeneration: generation, replicas: 4, ...waiting });
    const watching = ctl("rollout status deployment/web --timeout=20s");
    await patchStatus(path, done);
    expect(await watching).toContain('deployment "web" successfully rolled out');
    await ctl("rollout pause deployment/web");
    await ctl("rollout resume deployment/web");
    await ctl("rollout restart deployment/web");
  });

  test("wait notices a condition and a deletion", async () => {
    await ctl("run waited --image=x");
    // Controllers watch pods as well.
    const podWatches = async () =>
      Number(
        /^apiserver_registered_watchers\{.*kind="Pod".*\} (\d+)/m.exec(
          await (await session.server.fetch("/metrics")).text(),
        )?.[1] ?? "0",
      );
    const others = await podWatches();
    const ready = ctl("wait --for=condition=Ready pod/waited --timeout=20s");
    await patchStatus("/api/v1/namespaces/default/pods/waited", { conditions: [{ type: "Ready", status: "True" }] });
    expect(await ready).toBe("pod/waited condition met\n");
    // Kubectl says that there is nothing to wait for when the pod goes before it has looked.
    await expect.poll(podWatches).toBe(others);
    const gone = ctl("wait --for=delete pod/waited --timeout=20s");
    await expect.poll(podWatches).toBe(others + 1);
    await Promise.all([gone, ctl("delete pod waited")]);
  });

  test("cordon, taint and drain", async () => {
    await ctl("create -f -", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");
    await ctl("taint nodes n1 kept=for:NoSchedule");
    expect(await ctl("get node n1 -o jsonpath={.spec.taints[0].key}")).toBe("kept");
    await ctl("taint nodes n1 kept-");
    await ctl("run evicted --image=x");
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "evicted" }, target: { name: "n1" } };
    await session.server.fetch("/api/v1/namespaces/default/pods/evicted/binding", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(binding),
    });
    expect(await ctl("drain n1 --force --grace-period=0 --timeout=20s")).toContain("evicting pod default/evicted");
    expect(await ctl("get node n1 -o jsonpath={.spec.unschedulable}")).toBe("true");
    await ctl("uncordon n1");
  });

  for (const cascade of ["background", "foreground", "orphan"]) {
    test(`delete --cascade=${cascade}`, async () => {
      await ctl(`create deployment ${cascade} --image=x`);
      const uid = await ctl(`get deployment ${cascade} -o jsonpath={.metadata.uid}`);
      const owner = { apiVersion: "apps/v1", kind: "Deployment", name: cascade, uid, blockOwnerDeletion: true };
      const child = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `of-${cascade}`, ownerReferences: [owner] },
      };
      await ctl("create -f -", JSON.stringify(child));
      await ctl(`delete deployment ${cascade} --cascade=${cascade} --timeout=20s`); // waits until it is gone
      const left = () => ctl(`get configmap of-${cascade} --ignore-not-found -o name`);
      if (cascade === "orphan") expect(await left()).toBe("configmap/of-orphan\n");
      else await expect.poll(left).toBe("");
    });
  }

  test("api-versions and raw paths", async () => {
    expect(await lines("api-versions")).toEqual(expect.arrayContaining(["apps/v1", "batch/v1beta1", "v1"]));
    expect(await ctl("get --raw /readyz")).toBe("ok");
    expect(JSON.parse(await ctl("get --raw /api/v1/namespaces/default")).kind).toBe("Namespace");
  });

  test("explain --recursive lists all fields of a kind", async () => {
    const told = await Promise.all(
      ["deployment", "ingress", "customresourcedefinition", "persistentvolume", "networkpolicy"].map((name) =>
        ctl(`explain --recursive ${name}`),
      ),
    );
    for (const [at, field] of ["livenessProbe", "pathType", "openAPIV3Schema", "glusterfs", "ipBlock"].entries()) {
      expect(told[at]).toContain(field);
    }
  });

  test("missing fields and wrong types are reported before the request", async () => {
    const refusals = [
      { spec: "{bogus: 1}", says: 'unknown field "bogus"' },
      { spec: "{selector: {}}", says: 'missing required field "template"' },
      { spec: "{replicas: many, selector: {}, template: {}}", says: 'got "string", expected "integer"' },
    ];
    for (const { spec, says } of refusals) {
      const input = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: odd}\nspec: ${spec}\n`;
      const { code, stderr } = await run(kubectlPath, ["create", "-f", "-"], { env: session.env, input });
      expect(code).toBe(1);
      expect(stderr).toContain(says);
    }
    expect(await ctl("get deployment odd --ignore-not-found -o name")).toBe("");
  });
});
