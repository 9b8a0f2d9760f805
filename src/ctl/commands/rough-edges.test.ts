/** What single commands say and do in corners that their own tests do not reach. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
});
afterAll(() => session[Symbol.asyncDispose]());

const map = (name: string, more = "") => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\n`;

describe("a patch that removes the last finalizer of an object that is being deleted", () => {
  test("says that the object is gone", async () => {
    session.file("held.yaml", map("held", ", finalizers: [example.com/hold]"));
    await session.ok("create -f held.yaml");
    await session.ok("delete cm held --wait=false");
    const release = ["patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}'];
    expect(await session.run(release)).toEqual({
      code: 0,
      out: "configmap/held patched\n",
      err: "configmap/held has no finalizers any more and is deleted now\n",
    });
    expect((await session.run("get cm held")).code).toBe(1);
  });
});

describe("create token", () => {
  test("prints a token of the account with which the server knows the caller", async () => {
    await session.ok("create serviceaccount robot");
    const token = (await session.ok("create token robot --duration=20m --audience=a,b")).trim();
    const [, payload = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    expect(claims).toMatchObject({ sub: "system:serviceaccount:default:robot", aud: ["a", "b"] });
    expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(1200);
  });
  for (const { line, err } of [
    { line: "create token", err: /exactly one NAME is required/ },
    { line: "create token nobody", err: /^error: failed to create token: serviceaccounts "nobody" not found\n$/ },
    {
      line: "create token robot --duration=1s",
      err: /^error: failed to create token: .*must be at least 600 seconds/s,
    },
    { line: "create token robot --duration=1ms", err: /--duration cannot be expressed in units less than seconds/ },
    { line: "create token robot --duration=-1s", err: /--duration must be greater than or equal to 0/ },
    {
      line: "create token robot --bound-object-kind=Service",
      err: /supported --bound-object-kind values are Node, Pod, Secret/,
    },
    { line: "create token robot --bound-object-kind=Pod", err: /--bound-object-name is required/ },
    { line: "create token robot --bound-object-name=x", err: /--bound-object-name can only be set if/ },
    { line: "create token robot --bound-object-uid=x", err: /--bound-object-uid can only be set if/ },
  ])
    test(`${line} is refused`, async () => {
      expect(await session.run(line)).toEqual({ code: 1, out: "", err: expect.stringMatching(err) });
    });
});

test("get -w on a terminal that does not know its size prints a line for each event", async () => {
  session.file("seen.yaml", map("seen"));
  await session.ok("create -f seen.yaml");
  const { out } = await session.run("get cm -w", { isTerminal: true, hasNoSize: true, stopAt: "seen" });
  expect(out).toMatch(/^TIME +EVENT +NAME/);
  expect(out).not.toContain("\u001b[");
});

describe("export and import", () => {
  test("carry the namespace along, under another name if one is chosen", async () => {
    await session.ok("create namespace shop");
    await session.ok("label namespace shop team=a");
    session.file("in-shop.yaml", map("stock", ", namespace: shop"));
    await session.ok("create -f in-shop.yaml");
    const exported = await session.ok("export -n shop");
    expect(exported).toMatch(/kind: Namespace\nmetadata:\n(.*\n)*? {2}name: shop\n/);
    session.file("shop.yaml", exported);
    expect(await session.ok("import shop.yaml -n other")).toBe("namespace/other imported\nconfigmap/stock imported\n");
    expect(await session.ok(["get", "ns", "other", "-o", "jsonpath={.metadata.labels.team}"])).toBe("a");
    expect(await session.ok("get cm stock -n other -o name")).toBe("configmap/stock\n");
    expect(await session.ok("export")).not.toContain("kind: Namespace");
  });
});

describe("diff", () => {
  test("--prune shows what apply --prune would delete", async () => {
    session.file("both.yaml", `${map("keep", ", labels: {set: d}")}---\n${map("drop", ", labels: {set: d}")}`);
    await session.ok("apply -f both.yaml");
    session.file("keep.yaml", map("keep", ", labels: {set: d}"));
    expect((await session.run("diff -f keep.yaml -l set=d")).code).toBe(0);
    const { code, out } = await session.run("diff -f keep.yaml --prune -l set=d");
    expect([code, out]).toEqual([1, expect.stringMatching(/^-+ LIVE\/v1\.ConfigMap\.default\.drop/m)]);
    expect(out).toContain("-  name: drop");
    expect(out).not.toContain("keep");
  });
  test("several objects of one name are several files for the external program, whose exit code counts", async () => {
    session.file(
      "same.yaml",
      `${map("same")}---\n${map("same").replace("ConfigMap", "Secret")}---\n${map("same", ", namespace: kube-public").replace("kube-public", "orch-public")}`,
    );
    const found = await session.run("diff -f same.yaml", { env: { KUBECTL_EXTERNAL_DIFF: "find" } });
    expect(found.code).toBe(0);
    for (const name of ["v1.ConfigMap.default.same", "v1.Secret.default.same", "v1.ConfigMap.orch-public.same"])
      expect(found.out).toContain(`/${name}\n`);
    expect((await session.run("diff -f same.yaml", { env: { KUBECTL_EXTERNAL_DIFF: "diff -N" } })).code).toBe(1);
  });
});

describe("manifests of another vocabulary", () => {
  test("are answered with the switch of the server", async () => {
    session.file(
      "crd.yaml",
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n",
    );
    for (const line of ["apply -f crd.yaml", "get leases.coordination.k8s.io"])
      expect(await session.run(line)).toMatchObject({
        code: 1,
        err: expect.stringContaining("started with --like=kubernetes-1.37"),
      });
  });
});

describe("--request-timeout", () => {
  for (const value of ["0", "1", "30", "1s", "2m", "1h30m", "500ms", "0s"])
    test(`${value} is accepted`, async () => {
      expect((await session.run(`get ns --request-timeout=${value}`)).code).toBe(0);
    });
  for (const value of ["1p", "-1", "s", "1.5", "timeout"])
    test(`${value} is refused`, async () => {
      expect(await session.run(`get ns --request-timeout=${value}`)).toMatchObject({
        code: 1,
        err: expect.stringContaining("Invalid timeout value"),
      });
    });
});

test("every object of a kind that the server does not serve is named with its line", async () => {
  const objects = ["a", "b", "c"].map(
    (name) => `apiVersion: example.com/v1\nkind: Nothing\nmetadata: {name: ${name}}\n`,
  );
  const file = session.file("three.yaml", objects.join("---\n"));
  const { err } = await session.run(`apply -f ${file}`);
  const lines = [...err.matchAll(/three\.yaml:(\d+): nothing\.example\.com\/\w: no matches for kind/g)];
  expect(lines.map(([, line]) => line)).toEqual(["2", "6", "10"]);
});

test("replace takes the place of the newest version, also of kinds that demand one", async () => {
  const service = (port: number) =>
    `apiVersion: v1\nkind: Service\nmetadata: {name: replaced}\nspec: {ports: [{port: ${port}}], selector: {a: b}}\n`;
  await session.ok(`create -f ${session.file("service.yaml", service(80))}`);
  expect(await session.ok(`replace -f ${session.file("service.yaml", service(81))}`)).toBe(
    "service/replaced replaced\n",
  );
  expect(await session.ok("get svc replaced -o jsonpath={.spec.ports[0].port}")).toBe("81");
  const missing = session.file("missing.yaml", service(80).replace("replaced", "missing"));
  const { err } = await session.run(`replace -f ${missing}`);
  // Since 1.23 servers create a Service that is replaced.
  expect(err).toContain(levelDefault === "1.21" ? 'services "missing" not found' : "");
});

test("a URL that cannot be read is named, with the reason", async () => {
  const { err } = await session.run("create -f https://127.0.0.1:1/x.yaml");
  expect(err).toContain('unable to read URL "https://127.0.0.1:1/x.yaml": ');
});

test("events are printed only by a watch", async () => {
  const { err } = await session.run("get cm --output-watch-events");
  expect(err).toContain("--output-watch-events option can only be used with --watch or --watch-only");
});

test("a configuration file that does not exist yet is shown as an empty one", async () => {
  expect(await session.ok("config view --kubeconfig=/nothing/here")).toContain("contexts: null");
  expect((await session.run("config current-context --kubeconfig=/nothing/here")).err).toContain("is not set");
});
