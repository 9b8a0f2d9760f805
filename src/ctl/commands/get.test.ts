import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { manifestBytesMax } from "../input/manifests.ts";
import { openSession, type RunOptions, type Session } from "../session.suite.ts";

let session: Session;

const manifests = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: c, image: "nginx:1.19"}, {name: d, image: busybox}]}
---
apiVersion: v1
kind: Pod
metadata: {name: db, labels: {app: db}}
spec: {containers: [{name: c, image: postgres}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {escape: "\\e[31mred\\u202e"}
`;

async function post(path: string, body: object): Promise<void> {
  const response = await session.server.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
}

beforeAll(async () => {
  session = await openSession();
  const pod = (name: string, containers: object[]) => ({
    metadata: { name, labels: { app: name } },
    spec: { containers },
  });
  await post(
    "/api/v1/namespaces/default/pods",
    pod("web", [
      { name: "c", image: "nginx:1.19" },
      { name: "d", image: "busybox" },
    ]),
  );
  await post("/api/v1/namespaces/default/pods", pod("db", [{ name: "c", image: "postgres" }]));
  await post("/api/v1/namespaces/default/configmaps", { metadata: { name: "settings" }, data: { n: "1" } });
  session.file("all.yaml", manifests);
});

afterAll(() => session[Symbol.asyncDispose]());

describe("formats", () => {
  const cases: readonly { readonly line: readonly string[]; readonly out: string }[] = [
    { line: ["get", "pods", "-o", "name"], out: "pod/db\npod/web\n" },
    { line: ["get", "pods", "-ojsonpath={.items[*].metadata.name}"], out: "db web" },
    { line: ["get", "pod", "web", "-o", "jsonpath={.spec.containers[?(@.name=='d')].image}"], out: "busybox" },
    { line: ["get", "pods", "-o", "jsonpath={range .items[*]}{.metadata.name}{'\\n'}{end}"], out: "db\nweb\n" },
    { line: ["get", "pod/web", "-o", "go-template={{range .spec.containers}}{{.name}}:{{end}}"], out: "c:d:" },
    {
      line: ["get", "pod/web", "--template={{(index .spec.containers 0).image}} {{.nope}}"],
      out: "nginx:1.19 <no value>",
    },
    {
      line: ["get", "pods", "-o", "custom-columns=N:.metadata.name,I:.spec.containers[*].image", "--no-headers"],
      out: "db    postgres\nweb   nginx:1.19,busybox\n",
    },
    { line: ["get", "cm", "settings", "-o", "jsonpath={.data}"], out: '{"n":"1"}' },
    { line: ["get", "-f", "all.yaml", "-o", "name"], out: "pod/web\npod/db\nconfigmap/settings\n" },
  ];
  for (const { line, out } of cases) test(line.join(" "), async () => expect(await session.ok(line)).toBe(out));
});

describe("tables", () => {
  test("have the server's columns, aligned", async () => {
    const out = await session.ok("get pods -L app");
    expect(out.replaceAll(/\d+s\b/g, "9s")).toBe(
      "NAME   READY   STATUS    RESTARTS   AGE   APP\ndb     0/1     Pending   0          9s    db\nweb    0/2     Pending   0          9s    web\n",
    );
  });
  test("of several types show the type of each row", async () => {
    const out = await session.ok("get pods,cm");
    expect(out).toMatch(/^NAME {6}READY/);
    expect(out).toContain("\n\nNAME                 DATA   AGE\nconfigmap/settings   1");
  });
  test("that are empty print a message on standard error", async () => {
    expect(await session.run("get deployments")).toEqual({
      code: 0,
      out: "",
      err: "No resources found in default namespace.\n",
    });
  });
  test("show the objects that were found before errors about the others", async () => {
    const { code, out, err } = await session.run("get pods web nope");
    expect({ code, err }).toEqual({ code: 1, err: 'Error from server (NotFound): pods "nope" not found\n' });
    expect(out).toContain("web");
  });
});

describe("mistakes", () => {
  const cases = [
    { line: "get wrong", err: 'error: the server doesn\'t have a resource type "wrong"\n' },
    { line: "get podz", err: 'error: the server doesn\'t have a resource type "podz"\nDid you mean "pods"?\n' },
    {
      line: "get pods --wtch",
      err: "Error: unknown flag: --wtch (did you mean --watch?)\nSee 'kubectl get --help' for usage.\n",
    },
    { line: "get pods -l a=b web", err: "error: name cannot be provided when a selector is specified\n" },
    { line: "get pods web -A", err: "error: a resource cannot be retrieved by name across all namespaces\n" },
    {
      line: "gett pods",
      err: 'Error: unknown command "gett" for "kubectl"\n\nDid you mean this?\n\tget\n\nRun \'kubectl --help\' for usage.\n',
    },
    { line: "get -f missing.yaml", err: 'error: the path "missing.yaml" does not exist\n' },
  ];
  for (const { line, err } of cases)
    test(line, async () => expect(await session.run(line)).toEqual({ code: 1, out: "", err }));
});

test("a watch shows changes, and ends when the user interrupts", async () => {
  const watching = session.run("get cm -w -o name", { stopAt: "configmap/later" });
  await post("/api/v1/namespaces/default/configmaps", { metadata: { name: "later" } });
  expect((await watching).out).toContain("configmap/later\n");
});

test("a table on a terminal is updated in place", async () => {
  const watching = session.run(["get", "cm", "-w"], { stopAt: "live", isTerminal: true, program: "ctl" });
  await post("/api/v1/namespaces/default/configmaps", { metadata: { name: "live" } });
  const { out } = await watching;
  expect(out).toContain("\u001b[0J");
  expect(out.lastIndexOf("NAME")).toBeGreaterThan(-1);
});

describe("limits on input", () => {
  test("a URL must be https", async () => {
    expect((await session.run("get -f http://127.0.0.1:1/x.yaml")).err).toContain("only https is allowed");
  });
  test("a file must not be too large", async () => {
    session.file("large.yaml", `a: ${"x".repeat(manifestBytesMax)}`);
    expect((await session.run("get -f large.yaml")).err).toContain(`more than ${manifestBytesMax} bytes`);
  });
});

test("many rows are requested in chunks, and printed as they arrive", async () => {
  for (let at = 0; at < 12; at++)
    await post("/api/v1/namespaces/kube-public/configmaps", { metadata: { name: `row-${at}` } });
  const { out, err } = await session.run("get cm -n kube-public --chunk-size=5 -v=6");
  expect(out.match(/row-/g)).toHaveLength(12);
  expect(err.match(/limit=5/g)?.length).toBeGreaterThan(2);
});

test("objects of a server without tables are shown with their age by the clock of the command", async () => {
  const clock = createManualClock(Date.parse("2021-06-01T12:00:00Z"));
  const item = { metadata: { name: "old", creationTimestamp: "2021-06-01T10:00:00Z" } };
  const withoutTables: typeof fetch = async () => Response.json({ kind: "ConfigMapList", metadata: {}, items: [item] });
  const asked: RunOptions["fetch"] = (path, init) =>
    path.includes("/configmaps") ? withoutTables(path) : session.server.fetch(path, init);
  const { out } = await session.run("get cm", { clock, fetch: asked });
  expect(out.split("\n")[1]).toMatch(/^old +120m$/);
});
