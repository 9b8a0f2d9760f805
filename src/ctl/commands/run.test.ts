import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession } from "../session.suite.ts";
import { type NodeServer, openNodeServer } from "../streams/node-server.suite.ts";
import { runRemoteCtl } from "../streams/remote-session.suite.ts";

let node: NodeServer;
const pods = "/api/v1/namespaces/default/pods";
const patch = (path: string, status: object) =>
  node.objects.fetch(`${path}/status`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ status }),
  });
beforeAll(async () => {
  node = await openNodeServer();
  await node.objects.fetch("/api/v1/nodes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "node" } }),
  });
  await patch("/api/v1/nodes/node", { conditions: [{ type: "Ready", status: "True" }] });
});
afterAll(() => node[Symbol.asyncDispose]());

/** As a node agent does: once the pod is there it runs, and it ends as asked for when its first session has begun. */
async function play(name: string, ending: object): Promise<void> {
  const before = node.asked.length;
  while (!(await patch(`${pods}/${name}`, { phase: "Running" })).ok)
    await new Promise((resolve) => setTimeout(resolve, 10));
  while (node.asked.length === before) await new Promise((resolve) => setTimeout(resolve, 10));
  await patch(`${pods}/${name}`, ending);
}

describe("run with a session", () => {
  test("attaches when the pod runs, exits with the code of the pod, and deletes it", async () => {
    const state = { terminated: { exitCode: 9, reason: "Error" } };
    const containerStatuses = [{ name: "job", state, ready: false, restartCount: 0, image: "i", imageID: "" }];
    const [{ code, out, err }] = await Promise.all([
      runRemoteCtl("run job --image=i -i --rm --restart=Never", { config: node.config, input: "x\n" }),
      play("job", { phase: "Failed", containerStatuses }),
    ]);
    expect([code, String(out), err]).toEqual([
      9,
      'got x\npod "job" deleted\n',
      "If you don't see a command prompt, try pressing enter.\npod default/job terminated (Error)\n",
    ]);
    expect((await node.objects.fetch(`${pods}/job`)).status).toBe(404);
  });

  test("does not wait for the end of a pod that restarts", async () => {
    const [{ code, out }] = await Promise.all([
      runRemoteCtl("run server --image=i --attach -q", { config: node.config }),
      play("server", { phase: "Running" }),
    ]);
    expect([code, String(out)]).toEqual([0, ""]);
  });

  test("reports in one line that nothing runs pods here", async () => {
    await using session = await openSession("ctl");
    expect((await session.run("run a --image=i -i")).err).toBe(
      'error: the container was created, but attach needs an agent on the node of the pod; this server has none attached. "ctl describe" and "ctl events" show what is known\n',
    );
  });
});
