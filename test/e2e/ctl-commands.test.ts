/** Commands of `ctl` that look at more than one object: access, ownership, events, nodes, certificates, proxies, completion, usage. */

import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSession, type Session } from "../../src/ctl/session.suite.ts";
import { eventually, follow } from "./ctl-transcript.ts";
import { describeWith, openssl } from "./programs.ts";

const roles = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: gardener}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, delete]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: gardeners, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gardener}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: rose}]
`;

describe("access commands", () => {
  test("who-can lists subjects with their binding, why explains a refusal, reconcile adds missing rules", async () => {
    await using session = await openSession("kubectl");
    session.file("roles.yaml", roles);
    session.file("more.yaml", roles.replace("name: rose", "name: ivy").replace("[get, delete]", "[get, list]"));
    session.file("old.yaml", roles.replaceAll("rbac.authorization.k8s.io/v1\n", "rbac.authorization.k8s.io/v1beta1\n"));
    await follow(session, [
      {
        run: "auth reconcile -f roles.yaml --dry-run=client",
        out: /gardener reconciled \(dry run\)/,
        err: /^\treconciliation required create\n\tmissing rules added:\n\t\t\{Verbs:\[get delete\] APIGroups:\[\] Resources:\[pods\]/,
      },
      { run: "get clusterrole gardener", code: 1, err: /not found/ },
      {
        run: "auth reconcile -f roles.yaml",
        out: /clusterrole\S+gardener reconciled\nrolebinding\S+gardeners reconciled\n/,
        err: /required create\n\tmissing subjects added:\n/,
      },
      { run: "auth who-can delete pods", out: /User +rose +default +RoleBinding\/gardeners +ClusterRole\/gardener\n/ },
      { run: "auth who-can create pods", out: "", err: "no role or binding allows this to any subject\n" },
      { run: "auth reconcile -f more.yaml", out: /reconciled/, err: /required update\n\tmissing/ },
      { run: "get rolebinding gardeners -o jsonpath={.subjects[*].name}", out: "rose ivy" },
      {
        run: "auth reconcile -f more.yaml --remove-extra-subjects",
        out: /reconciled/,
        err: /required update\n\textra subjects removed:\n\t\t\{Kind:User APIGroup:rbac/,
      },
      { run: "get rolebinding gardeners -o jsonpath={.subjects[*].name}", out: "ivy" },
      { run: "auth reconcile -f old.yaml", code: 1, err: /only rbac.authorization.k8s.io\/v1 is supported/ },
      { run: "why denied delete pods", out: /it is (allowed|denied)/ },
      { run: "auth can-i get pods", out: /^yes/ },
      {
        run: "auth can-i get /logs --subresource=log",
        code: 1,
        err: /--subresource can not be used with NonResourceURL/,
      },
      { run: "auth can-i get bears", out: /^yes/, err: "Warning: the server doesn't have a resource type 'bears'\n" },
      {
        run: "create role r --verb=get --resource=bears",
        code: 1,
        err: 'the server doesn\'t have a resource type "bears"\n',
      },
    ]);
  });
});

const stuck = `apiVersion: v1
kind: ConfigMap
metadata: {name: stuck, finalizers: [garden.example.com/keep]}
`;

describe("related objects", () => {
  test("tree shows owners and dependents, events what happened, and why what blocks a deletion", async () => {
    await using session = await openSession("kubectl", { controllers: ["*"] });
    session.file("stuck.yaml", stuck);
    await follow(session, [
      { run: "create deployment hedge --image=box --replicas=2" },
      { run: "create -f stuck.yaml" },
      { run: "delete configmap stuck --wait=false" },
      { run: "why configmap/stuck", out: /is being deleted since[\s\S]*finalizer garden.example.com\/keep/ },
    ]);
    await eventually(
      session,
      "tree deployment/hedge",
      /^deployment.apps\/hedge.*\n└─ replicaset.apps\/hedge-\S+.*\n {3}├─ pod\/hedge-\S+.*\n {3}└─ pod\//,
    );
    await eventually(
      session,
      "events --for=deployment/hedge",
      /ScalingReplicaSet +Deployment\/hedge +Scaled up replica set/,
    );
    await follow(session, [{ run: "events --types=Warning -o name", out: /^$/ }]);
  });

  test("drain evicts every pod that can move, and names the others", async () => {
    await using session = await openSession("kubectl");
    const pod = (name: string) =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, labels: {bed: ${name}}}\nspec: {nodeName: plot, containers: [{name: c, image: i}]}\n`;
    session.file(
      "plot.yaml",
      `apiVersion: v1\nkind: Node\nmetadata: {name: plot, labels: {soil: clay}}\n---\n${pod("bean")}---\n${pod("pea")}`,
    );
    const alone = "Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet";
    await follow(session, [
      { run: "create -f plot.yaml" },
      {
        run: "drain plot",
        code: 1,
        out: "node/plot cordoned\n",
        err: new RegExp(`cannot delete ${alone} \\(use --force to override\\): default/bean, default/pea`),
      },
      { run: "uncordon plot", out: "node/plot uncordoned\n" },
      { run: "uncordon plot", out: "node/plot already uncordoned\n" },
      {
        run: "drain plot --force --dry-run=client",
        out: "node/plot cordoned (dry run)\nevicting pod default/bean (dry run)\nevicting pod default/pea (dry run)\nnode/plot drained (dry run)\n",
        err: `WARNING: deleting ${alone}: default/bean, default/pea\n`,
      },
      {
        run: "drain plot --force --pod-selector=bed=bean --grace-period=0",
        out: /evicting pod default\/bean\npod\/bean evicted\nnode\/plot drained\n$/,
        err: /^WARNING/,
      },
      { run: "get pods -o name", out: "pod/pea\n" },
      {
        run: "drain plot --selector=soil=clay",
        code: 1,
        err: /cannot specify both a node name and a --selector option/,
      },
      { run: "cordon", code: 1, err: /USAGE: cordon NODE/ },
      { run: "cordon --selector=", code: 1, err: /must provide one or more resources/ },
      { run: "taint node plot wet=yes:NoSchedule", out: "node/plot tainted\n" },
      {
        run: "taint node plot wet=no:NoSchedule",
        code: 1,
        err: /already has wet taint\(s\) with same effect\(s\) and --overwrite is false/,
      },
      { run: "taint node plot wet-", out: "node/plot untainted\n" },
    ]);
  });
});

describe("debug without attaching", () => {
  test("copies a pod with one more container, replaces it, and creates a pod on a node", async () => {
    await using session = await openSession("kubectl");
    session.file("plot.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: plot}\n");
    await follow(session, [
      { run: "create -f plot.yaml" },
      { run: "run bee --image=hive" },
      { run: "debug bee --copy-to=bee-2 --image=lens --container=eye --attach=false" },
      { run: "get pod bee-2 -o jsonpath='{.spec.containers[*].image}'", out: "hive lens" },
      { run: "debug bee --copy-to=bee-3 --image=lens --container=bee --replace -- look 1m" },
      {
        run: "get pod bee-3 -o jsonpath='{.spec.containers[*].image} {.spec.containers[0].command}'",
        out: 'lens ["look","1m"]',
      },
      { run: "get pod bee", code: 1, err: /not found/ },
      {
        run: "debug node/plot --image=lens --attach=false -- true",
        out: /^Creating debugging pod node-debugger-plot-\w{5} with container debugger on node plot\.\n$/,
      },
      { run: "debug bee-2", code: 1, err: /you must specify --image when not using --copy-to/ },
      { run: "debug bee-2 --image=lens", code: 1, err: /ephemeral containers are disabled for this cluster/ },
      { run: "exec nobody -- date", code: 1, err: /pods "nobody" not found/ },
      { run: "create configmap leaf" },
      { run: "exec configmap/leaf -- date", code: 1, err: /selector for \*v1.ConfigMap not implemented/ },
      { run: "exec bee-2 -- date", code: 1, err: /does not have a host assigned/ },
    ]);
  });
});

describeWith(openssl, "certificates", () => {
  test("can be approved and denied once", async () => {
    await using session = await openSession("kubectl");
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
    const file = session.file("key.pem", String(key));
    const request = execFileSync("openssl", ["req", "-new", "-key", file, "-subj", "/CN=fern"]).toString("base64");
    session.file(
      "csr.yaml",
      `apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {name: fern}\nspec: {request: ${request}, signerName: example.com/moss, usages: [client auth]}\n`,
    );
    await follow(session, [
      { run: "create -f csr.yaml" },
      { run: "certificate approve fern", out: "certificatesigningrequest.certificates.k8s.io/fern approved\n" },
      { run: "get csr fern -o jsonpath={.status.conditions[0].type}", out: "Approved" },
      { run: "certificate deny -f csr.yaml", code: 1, err: /certificate signing request "fern" is already Approved/ },
      { run: "describe csr fern", out: /Common Name:\s+fern/ },
    ]);
  });
});

describe("a local proxy", () => {
  /** Runs a proxy while `visit` asks it. */
  async function withProxy(session: Session, flags: string[], visit: (base: string) => Promise<void>): Promise<void> {
    let visited: Promise<void> | undefined;
    const stop = new AbortController();
    const done = session.run(["proxy", "--port=0", ...flags], {
      signal: stop.signal,
      onOut: (text) => {
        const [, address = ""] = /Starting to serve on (\S+)\n/.exec(text) ?? [];
        visited ??= visit(`http://${address}`).finally(() => stop.abort());
      },
    });
    await done;
    await visited;
  }
  const codeOf = async (url: string, headers: Record<string, string> = {}) => (await fetch(url, { headers })).status;

  test("passes on the answers of the server, serves a folder and nothing outside it", async () => {
    await using session = await openSession("kubectl");
    mkdirSync(join(session.folder, "www"));
    session.file("www/a.txt", "leaf");
    session.file("www2", "secret");
    symlinkSync(join(session.folder, "www2"), join(session.folder, "www/out"));
    await withProxy(session, ["--www=www"], async (base) => {
      expect(await codeOf(`${base}/api/v1/namespaces`)).toBe(200);
      expect(await codeOf(`${base}/api/nothing`)).toBe(404);
      expect(await codeOf(`${base}/static/`)).toBe(200);
      expect(await (await fetch(`${base}/static/a.txt`)).text()).toBe("leaf");
      for (const path of ["..%2fwww2", "%2e%2e/www2", "out", "..%2f..%2f..%2fetc/passwd", "%ff"])
        expect([path, await codeOf(`${base}/static/${path}`)]).toEqual([path, 404]);
      expect(await codeOf(`${base}/api/v1/namespaces/default/pods/a/exec`)).toBe(403);
    });
  });
  test("may have a path prefix", async () => {
    await using session = await openSession("kubectl");
    await withProxy(session, ["--api-prefix=/custom"], async (base) => {
      expect(await codeOf(`${base}/custom/api/v1/namespaces`)).toBe(200);
      expect(await codeOf(`${base}/custom/healthz`)).toBe(200);
      expect(await codeOf(`${base}//custom/healthz`)).toBe(200);
      expect(await codeOf(`${base}/custom//api/v1/namespaces`)).toBe(200);
      expect(await codeOf(`${base}/api/v1/namespaces`)).toBe(404);
    });
  });
});

describe("completion", () => {
  test("has a script for each shell, and requests names from the server", async () => {
    await using session = await openSession("kubectl");
    for (const shell of ["bash", "zsh", "fish", "powershell"])
      expect(await session.ok(`completion ${shell}`)).toMatch(/kubectl.*__complete/s);
    await follow(session, [
      { run: "completion tcsh", code: 1, err: /Unsupported shell type "tcsh"/ },
      { run: "completion powershell --install", code: 1, err: /powershell has no folder for completions/ },
      { run: "create configmap acorn" },
      { run: "__complete get configmaps ac", out: "acorn\n" },
      { run: "__complete get configmaps/ac", out: "configmaps/acorn\n" },
      { run: "__complete describe deploym", out: "deployments\ndeployments.apps\n" },
      { run: "__complete rollout re", out: "resume\nrestart\n" },
      { run: "__complete get pods --sort", out: "--sort-by\n" },
      { run: "__complete -n defa", out: "default\n" },
    ]);
  });
});

describe("usage", () => {
  test("of nodes and pods comes from the metrics API, with percentages of the capacity of a node", async () => {
    const list = (items: unknown[]) => ({ kind: "List", apiVersion: "v1", metadata: {}, items });
    const answers: Record<string, unknown> = {
      "/api": { kind: "APIVersions", versions: ["v1"] },
      "/apis": {
        kind: "APIGroupList",
        groups: [
          {
            name: "metrics.k8s.io",
            versions: [{ version: "v1beta1", groupVersion: "metrics.k8s.io/v1beta1" }],
            preferredVersion: { version: "v1beta1" },
          },
        ],
      },
      "/api/v1": {
        kind: "APIResourceList",
        resources: [{ name: "nodes", singularName: "", kind: "Node", namespaced: false, verbs: ["get", "list"] }],
      },
      "/apis/metrics.k8s.io/v1beta1": {
        kind: "APIResourceList",
        resources: [
          { name: "nodes", singularName: "", kind: "NodeMetrics", namespaced: false, verbs: ["get", "list"] },
          { name: "pods", singularName: "", kind: "PodMetrics", namespaced: true, verbs: ["get", "list"] },
        ],
      },
      "/api/v1/nodes": list([{ metadata: { name: "plot" }, status: { allocatable: { cpu: "2", memory: "1Gi" } } }]),
      "/apis/metrics.k8s.io/v1beta1/nodes": list([
        { metadata: { name: "plot" }, usage: { cpu: "500m", memory: "256Mi" } },
      ]),
      "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods": list([
        {
          metadata: { name: "bee", namespace: "default" },
          containers: [
            { name: "a", usage: { cpu: "1m", memory: "1Mi" } },
            { name: "b", usage: { cpu: "2m", memory: "3Mi" } },
          ],
        },
      ]),
    };
    const stub = createServer((request, response) => {
      const value = answers[(request.url ?? "").split("?")[0] ?? ""];
      response.statusCode = value === undefined ? 404 : 200;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(value ?? {}));
    });
    await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
    const { port } = stub.address() as AddressInfo;
    await using session = await openSession("kubectl");
    const options = { fetch: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init) };
    await follow(session, [
      {
        run: "top nodes",
        ...options,
        out: /CPU\(cores\) +CPU% +MEMORY\(bytes\) +MEMORY% *\nplot +500m +25% +256Mi +25% *\n$/,
      },
      { run: "top pods", ...options, out: /\nbee +3m +4Mi *\n$/ },
      {
        run: "top pods --containers",
        ...options,
        out: /^POD +NAME +CPU\(cores\) +MEMORY\(bytes\) *\nbee +a +1m +1Mi *\nbee +b +2m +3Mi *\n$/,
      },
      { run: "top pods wasp", ...options, code: 1, err: /"wasp" not found/ },
      { run: "top nodes", code: 1, err: "error: Metrics API not available\n" },
    ]);
    await new Promise((resolve) => stub.close(resolve));
  });
});

describe("long lists", () => {
  test("are printed row by row before the rest is requested", async () => {
    await using session = await openSession("kubectl");
    const made = Array.from(
      { length: 12 },
      (_, at) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: leaf-${at + 10}}\n`,
    );
    session.file("leaves.yaml", made.join("---\n"));
    await session.ok("create -f leaves.yaml");
    const log: string[] = [];
    let printed = 0;
    await session.run("get configmaps --chunk-size=4", {
      fetch: (path, init) => {
        if (path.includes("/configmaps")) log.push("ask");
        return session.server.fetch(path, init);
      },
      onOut: (text) => {
        const rows = text.split("\n").filter((line) => line.startsWith("leaf-")).length;
        if (rows > printed) log.push(`rows ${rows - printed}`);
        printed = rows;
      },
    });
    // Each chunk is printed, and so forgotten, before the next one is read.
    expect(printed).toBe(12);
    expect(log.filter((entry) => entry === "ask").length).toBeGreaterThan(2);
    expect(log.slice(0, 3)).toEqual(["ask", expect.stringMatching(/^rows [34]$/), "ask"]);
    expect(
      Math.max(...log.filter((entry) => entry.startsWith("rows")).map((entry) => Number(entry.slice(5)))),
    ).toBeLessThanOrEqual(4);
  });
});
