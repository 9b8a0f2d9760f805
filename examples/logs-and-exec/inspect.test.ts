import { createServer } from "orch";
import { connect, Pod } from "orch/client";
import { expect, test } from "vitest";
import { inspect } from "./inspect.ts";

test("the last lines and the answer of a command come from a simulated pod", async () => {
  await using server = await createServer({ nodes: 1 });
  await using client = await connect({ server });
  const annotations = {
    "simulation.orch.io/logs": "starting\nlistening\nready\n",
    "simulation.orch.io/exec": JSON.stringify({ uptime: "up 3 days\n" }),
  };
  await client.of(Pod).create({
    metadata: { name: "web", annotations },
    spec: { containers: [{ name: "web", image: "nginx" }] },
  });
  await server.until(Pod, "web", ({ status }) => status?.phase === "Running");
  await server.settled();
  const found = await inspect(client, "web", ["uptime"]);
  expect(found).toEqual({ lines: ["listening", "ready"], stdout: "up 3 days\n", exitCode: 0 });
});
