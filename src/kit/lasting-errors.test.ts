/** Questions that a server will never answer: callers that wait are told at once. */

import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createServer } from "../main/library.ts";
import { ConfigMap, connect, controller, isDeleting, runControllers, StatusError } from "./orch-client.ts";

for (const emulatedVersion of ["1.21", "1.35"] as const)
  test(`an informer with a selector that is none rejects, and a controller ends, at level ${emulatedVersion}`, async () => {
    await using server = await createServer({ controllers: false, emulatedVersion });
    const client = await connect({ server, log: silentLog });
    await using informers = client.informers();
    const wrong = informers.of(ConfigMap, { labelSelector: "app==(" });
    const told = new Promise((resolve) => wrong.on({ error: resolve }));
    await expect(wrong.synced).rejects.toThrow(StatusError);
    expect([await told, wrong.hasSynced()]).toEqual([expect.any(StatusError), false]);
    await informers.of(ConfigMap, { labelSelector: "app=a" }).synced;
    const lost = controller({ for: ConfigMap, selection: { fieldSelector: "no.such=field" }, async reconcile() {} });
    const running = runControllers({ client, controllers: [lost], log: silentLog });
    await expect(running.ready).rejects.toThrow(StatusError);
    await expect(running.ended).rejects.toThrow(StatusError);
    expect(running.isHealthy()).toBe(false);
    await running.close();
  });

test("an object is being deleted only when it says since when", () => {
  const deletion = (deletionTimestamp: unknown) => isDeleting({ metadata: { deletionTimestamp } as object });
  expect([undefined, null, "2026-01-01T00:00:00Z"].map(deletion)).toEqual([false, false, true]);
});

test("a fault of 500 is an InternalError unless it says otherwise", async () => {
  await using server = await createServer({ controllers: false });
  const maps = (await connect({ server })).of(ConfigMap);
  const reasonOf = async (fault: { status: number; reason?: "ServerTimeout" }) => {
    const added = server.faults.add({ match: { resource: "configmaps" }, do: fault });
    const error = await maps.get("a").catch((refusal: unknown) => refusal);
    added.remove();
    return error instanceof StatusError ? error.reason : error;
  };
  expect(await reasonOf({ status: 500 })).toBe("InternalError");
  expect(await reasonOf({ status: 500, reason: "ServerTimeout" })).toBe("ServerTimeout");
  expect([await reasonOf({ status: 409 }), await reasonOf({ status: 410 })]).toEqual(["Conflict", "Expired"]);
});
