import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSession } from "../session.suite.ts";

test("without a configuration the error says where one would be, and that of the folder's server", async () => {
  await using session = await openSession("ctl");
  const run = () => session.run("get pods", { isConfigured: true });
  expect(await run()).toMatchObject({
    code: 1,
    err: expect.stringMatching(/names a server \(.*\); name one with --server/),
  });
  mkdirSync(join(session.folder, ".orch"));
  session.file(".orch/admin.conf", "apiVersion: v1\nkind: Config\n");
  expect((await run()).err).toContain(`export KUBECONFIG=${join(session.folder, ".orch/admin.conf")}`);
});
