import { context, propagation } from "@opentelemetry/api";
import { createServer } from "orch";
import { ConfigMap, connect, runControllers } from "orch/client";
import { expect, test } from "vitest";
import { printTrace, startTracing, vault } from "./traced.ts";

test("a reconcile is a trace, down to the store", async () => {
  const { tracer, spans } = startTracing();
  try {
    await using server = await createServer({ controllers: false, tracing: tracer });
    await using client = await connect({ server, tracing: tracer });
    await using running = runControllers({ client, controllers: [vault] });
    await running.ready;
    await client.of(ConfigMap).create({ metadata: { name: "keys", labels: { app: "vault" } } });
    const done = () => spans().find(({ name }) => name === "reconcile vault");
    await expect.poll(done).toBeDefined();
    const traced = () => printTrace(spans(), done()!);
    await expect.poll(traced).toContain("patch secrets");
    expect(traced().split("\n")).toEqual([
      "reconcile vault",
      "  patch secrets",
      "    admission mutate",
      "    admission validate",
      "    store put",
      "",
    ]);
  } finally {
    context.disable();
    propagation.disable();
  }
});
