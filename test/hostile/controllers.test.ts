/** Objects of one user that controllers look at again and again: others must go on meanwhile. */

import { expect, test } from "vitest";
import { checkTurns, useTarget } from "./target.ts";

const target = useTarget({
  command: "up",
  explainsTurns: true,
  flags: () => ["--nodes=2", "--emulated-version=1.35"],
});

/** Processor time of what is done for 100 large objects. To parse each of them for each change of a pod takes minutes. */
const workMsMax = 60_000;
/** For the clock, which runs on while others use the machine: what counts is the processor time. */
const limit = 10 * workMsMax;

const items = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

test("100 disruption budgets of 8,000 requirements do not stop a Deployment", { timeout: limit }, async () => {
  const matchExpressions = items(8_000, (at) => ({ key: `key${at}`, operator: "DoesNotExist" }));
  const cost = await target.cost(async () => {
    for (let at = 0; at < 100; at++) {
      const body = { metadata: { name: `b${at}` }, spec: { minAvailable: 1, selector: { matchExpressions } } };
      const path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
      expect((await target.post(path, body)).status).toBe(201);
    }
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const labels = { app: "a" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { replicas: 10, selector: { matchLabels: labels }, template };
    expect((await target.post(deployments, { metadata: { name: "d" }, spec })).status).toBe(201);
    const available = async () => (await target.request(`${deployments}/d`)).body.status.availableReplicas;
    await expect.poll(available, { timeout: limit, interval: 100 }).toBe(10);
  });
  expect(cost.totalMs).toBeLessThan(workMsMax);
  checkTurns(cost);
});
