/** Messages that save a user minutes. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl", { emulatedVersion: "1.35" });
});
afterAll(() => session[Symbol.asyncDispose]());

describe("wait --for", () => {
  for (const [given, meant] of [
    ["cond=Ready", "condition=Ready"],
    ["conditon=Ready=False", "condition=Ready=False"],
    ["json={.status.phase}=Running", "jsonpath={.status.phase}=Running"],
    ["Ready", "condition=Ready"],
    ["delte", "delete"],
    ["{.status.phase}=Running", "jsonpath={.status.phase}=Running"],
  ])
    test(`${given} suggests ${meant}`, async () => {
      expect(await session.run(["wait", `--for=${given}`, "pod/x"])).toMatchObject({
        code: 1,
        err: `error: unrecognized condition: "${given}"\nDid you mean "--for=${meant}"?\n`,
      });
    });
  test("under the name kubectl the message is kubectl's", async () => {
    const { err } = await session.run("wait --for=cond=Ready pod/x", { program: "kubectl" });
    expect(err).toBe('error: unrecognized condition: "cond=Ready"\n');
  });
});

test("api-resources of a group that is not served suggests the nearest one", async () => {
  expect((await session.run("api-resources --api-group=app")).err).toBe(
    'The server has no group "app". Did you mean "apps"?\n',
  );
  expect((await session.run("api-resources --api-group=networking")).err).toBe(
    'The server has no group "networking". Did you mean "networking.orch.io"?\n',
  );
  expect((await session.run("api-resources --api-group=apps")).err).toBe("");
});

test("cel without an expression, or with several, says how it is used", async () => {
  expect(await session.run("cel")).toEqual({
    code: 1,
    out: "",
    err: "error: no expression is given; for example: ctl cel '1 + 1'\nSee 'ctl cel -h' for help and examples\n",
  });
  expect((await session.run("cel 1 + 1")).err).toContain("3 expressions are given, but one is tried: put it in quotes");
});

test("tree passes on no warnings about requests of its own", async () => {
  await session.ok("create configmap prices");
  expect(await session.run("tree configmap prices")).toEqual({ code: 0, out: "configmap/prices\n", err: "" });
});

describe("rollout status", () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web-1", labels: { app: "web" } },
    spec: deployment.spec.template.spec,
  };

  test("does not advise to run a scheduler before one could have seen the pod, or when one has", async () => {
    for (const object of [deployment, pod]) await session.ok("create -f -", { input: JSON.stringify(object) });
    await session.ok([
      "patch",
      "deploy/web",
      "--subresource=status",
      "--type=merge",
      "-p",
      '{"status":{"observedGeneration":1}}',
    ]);
    const early = await session.run("rollout status deploy/web --timeout=1s");
    expect(early.err).not.toContain("run one");
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: "0/1 nodes are available",
    };
    await session.ok([
      "patch",
      "pod/web-1",
      "--subresource=status",
      "--type=merge",
      "-p",
      JSON.stringify({ status: { conditions: [condition] } }),
    ]);
    const reported = await session.run("rollout status deploy/web --timeout=1s");
    expect(reported.err).toContain("pod/web-1 does not run yet: Unschedulable: 0/1 nodes are available");
    expect(reported.err).not.toContain("run one");
  });
});
