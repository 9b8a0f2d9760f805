import { expect, test } from "vitest";
import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import { Service } from "../../api/core/v1/service.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Controller } from "../../controllers/contract.ts";
import { withControllers } from "../../controllers/scenario.suite.ts";
import { othersServe, publishMetrics, unreachedMsMax } from "./publish.ts";

const at = { address: "192.0.2.1", port: 1, authority: "" };
const publisher: Controller = { name: "publisher", start: (context) => publishMetrics(context, at) };
const name = "v1beta1.metrics.orch.io";

test("an API service that the server has not reached for a minute is removed, because it would keep namespaces from being deleted", async () => {
  const clock = createManualClock(Date.now());
  await withControllers(
    [publisher],
    async ({ until, untilGone }) => {
      const { spec } = await until(APIService, { name }, () => true);
      expect(spec?.service).toEqual({ namespace: "orch-system", name: "simulated-nodes-metrics", port: 1 });
      const passing = setInterval(() => clock.advance(unreachedMsMax), 200);
      await untilGone(APIService, { name }).finally(() => clearInterval(passing));
      await untilGone(Service, { namespace: "orch-system", name: "simulated-nodes-metrics" });
    },
    { clock },
  );
});

test("metrics that somebody else serves are left alone", async () => {
  const said: string[] = [];
  const log = { ...silentLog, info: (message: string) => void said.push(message) };
  let publish = () => {};
  const later: Controller = {
    name: "later",
    start(context) {
      publish = () => void publishMetrics(context, at);
      return undefined;
    },
  };
  await withControllers(
    [later],
    async ({ create, client }) => {
      const service = { namespace: "orch-system", name: "metrics-server" };
      const group = { group: "metrics.orch.io", version: "v1beta1", groupPriorityMinimum: 100, versionPriority: 100 };
      await create(APIService, { metadata: { name }, spec: { ...group, service, insecureSkipTLSVerify: true } });
      publish();
      await expect.poll(() => said, { timeout: 20_000 }).toEqual([othersServe]);
      expect((await client.of(APIService).get({ name })).spec?.service).toMatchObject(service);
      expect((await client.of(Service).list({ namespace: "orch-system" })).items).toEqual([]);
    },
    { log },
  );
});
