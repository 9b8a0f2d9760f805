import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl", { authorization: "RBAC" });
});
afterAll(() => session[Symbol.asyncDispose]());

describe("a pod without a node", () => {
  beforeAll(async () => {
    session.file(
      "pod.yaml",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n",
    );
    await session.ok("create -f pod.yaml");
  });
  test("is explained by why, with the report of the last event", async () => {
    session.file(
      "event.yaml",
      `apiVersion: v1\nkind: Event\nmetadata: {name: e}\nreason: FailedScheduling\nmessage: no scheduler runs here\ninvolvedObject: {kind: Pod, name: a, namespace: default, uid: ${await session.ok(["get", "pod", "a", "-o", "jsonpath={.metadata.uid}"])}}\n`,
    );
    await session.ok("create -f event.yaml");
    expect(await session.ok("why pod/a")).toBe(`pod/a in namespace default does not run yet
  no node is chosen for it: it waits for the scheduler "default-scheduler" (no scheduler runs here)
`);
  });
  for (const line of ["logs a", "exec a -- true", "cp a:/x y", "attach a", "port-forward a 80"])
    test(`is no target of ${line}`, async () => {
      const { code, out, err } = await session.run(line);
      const [command] = line.split(" ");
      expect([code, out, err]).toEqual([
        1,
        "",
        `error: ${command === "cp" ? "exec" : command} needs an agent on the node of the pod, and pod "a" has no node yet; "ctl why pod/a" says what is missing\n`,
      ]);
    });
  test("is the reason why a rollout waits", async () => {
    session.file(
      "web.yaml",
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}}\n",
    );
    await session.ok("create -f web.yaml");
    await session.ok("label pod a app=web");
    await session.ok([
      "patch",
      "deploy/web",
      "--subresource=status",
      "--type=merge",
      "-p",
      '{"status":{"observedGeneration":1}}',
    ]);
    const { out, err } = await session.run("rollout status deploy/web --watch=false");
    expect(out).toMatch(/^Waiting for deployment/);
    expect(err).toMatch(/^pod\/a does not run yet: no node is chosen for it/);
    expect((await session.run("rollout status deploy/web --watch=false --quiet")).err).toBe("");
  });
});

describe("a denied request", () => {
  const jane = () => ({ fetch: session.server.fetchAs({ name: "jane", groups: ["system:authenticated"] }) });
  beforeAll(async () => {
    await session.ok("create namespace shop");
    await session.ok("create role reader --verb=get,list --resource=deployments.apps -n shop");
    await session.ok("create rolebinding jane --role=reader --user=jane -n shop");
  });
  test("is explained with the nearest rule and the commands that allow it, which work", async () => {
    const out = await session.ok("why denied delete deployments -n shop", jane());
    expect(out).toBe(`it is denied: no rule allows it
  nearest rule: you may get, list deployments of apps; the request needs verb delete
  to allow it:
    ctl create role deployments-delete --verb=delete --resource=deployments.apps -n shop
    ctl create rolebinding deployments-delete --role=deployments-delete --user=jane -n shop
"ctl auth who-can delete deployments" lists who may; "ctl auth can-i --list" what you may
`);
    for (const [, line = ""] of out.matchAll(/^ {4}ctl (.*)$/gm)) await session.ok(line);
    expect(await session.ok("why denied delete deployments -n shop", jane())).toMatch(/^it is allowed/);
  });
  test("without any rule about the resource is explained by the commands alone", async () => {
    const out = await session.ok("why denied get nodes", jane());
    expect(out).not.toContain("nearest rule");
    for (const [, line = ""] of out.matchAll(/^ {4}ctl (.*)$/gm)) await session.ok(line);
    expect(await session.ok("why denied get nodes", jane())).toMatch(/^it is allowed/);
  });
  test("needs a verb and a resource", async () => {
    expect((await session.run("why denied delete")).code).toBe(1);
  });
});
