import { expect, test, vi } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { createServer } from "../main/library.ts";
import { remakeIntervalMs } from "./mandatory-objects.ts";

const flowControl = "/apis/flowcontrol.apiserver.orch.io/v1beta1";
const mandatory = [
  `${flowControl}/prioritylevelconfigurations/catch-all`,
  `${flowControl}/flowschemas/exempt`,
  "/api/v1/namespaces/orch-node-lease",
];
const suggested = `${flowControl}/flowschemas/global-default`;

test("what no server can be without is there again within a minute; what was a suggestion is not", async () => {
  const clock = createManualClock(Date.parse("2021-06-01T00:00:00Z"));
  const server = await createServer({ clock });
  const codes = (paths: readonly string[]) => Promise.all(paths.map(async (path) => (await server.fetch(path)).status));
  const deleted = [...mandatory.slice(0, 2), suggested];
  try {
    await new Promise(setImmediate); // the server tends to its objects once its clients have been let in
    for (const path of deleted) expect((await server.fetch(path, { method: "DELETE" })).status).toBe(200);
    expect(await codes(deleted)).toEqual([404, 404, 404]);
    for (const round of [1, 2]) {
      clock.advance(remakeIntervalMs);
      await vi.waitFor(async () => expect(await codes(mandatory), `round ${round}`).toEqual([200, 200, 200]));
      await server.fetch(mandatory[1]!, { method: "DELETE" });
    }
    expect(await codes([suggested])).toEqual([404]);
  } finally {
    await server.close();
  }
});
