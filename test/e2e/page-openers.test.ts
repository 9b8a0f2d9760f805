/** The command with which a page of the docs begins, run as it is written, on one server. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { run } from "./programs.ts";

/** These start servers of their own, run until they are stopped, or measure for minutes; other tests run them. */
const elsewhere: Readonly<Record<string, string>> = {
  console: "test/e2e/readme.test.ts",
  // What it finds depends on the machine: a port in use, few open files.
  doctor: "src/main/doctor/doctor.test.ts",
  encryption: "src/main/encryption.test.ts",
  operations: "test/e2e/background.test.ts",
  scale: "bench/README.md",
  "tutorial-definitions": "test/e2e/tutorials.test.ts",
  "tutorial-operator": "test/e2e/tutorials.test.ts",
};

const openers = readdirSync("docs")
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => {
    const block = /^# .*\n\n```sh\n([\s\S]*?)^```$/m.exec(readFileSync(join("docs", name), "utf8"))?.[1];
    return block === undefined ? [] : [{ page: name.slice(0, -".md".length), block }];
  })
  .filter(({ page }) => !(page in elsewhere));

const folder = mkdtempSync(join(tmpdir(), "orch-openers-"));
let server: OrchServer;
beforeAll(async () => {
  server = await createServer({ authorization: "RBAC", runtimeConfig: { "access.orch.io/v1alpha1": true } });
  writeFileSync(join(folder, "client.conf"), (await server.clientConfig()).text, { mode: 0o600 });
  mkdirSync(join(folder, "bin"));
  for (const name of ["orch", "ctl"]) symlinkSync(resolve("bin", name), join(folder, "bin", name));
});
afterAll(async () => {
  await server.close();
  // Some pages begin with a server in the background.
  for (const name of readdirSync(folder))
    if (existsSync(join(folder, name, "running.json")))
      await run(process.execPath, [resolve("bin/orch"), "stop", `--data-dir=${join(folder, name)}`]);
  rmSync(folder, { recursive: true, force: true });
});

test("most pages for users have one", () => expect(openers.length).toBeGreaterThan(10));

for (const { page, block } of openers)
  test(`docs/${page}.md`, { timeout: 120_000 }, async () => {
    const env = {
      PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter),
      KUBECONFIG: join(folder, "client.conf"),
      HOME: folder,
    };
    // Answers such as "no" are exit codes too, so only the last command decides.
    const { code, stdout, stderr } = await run("bash", ["-c", `cd ${folder}\n${block}`], { env, timeoutMs: 100_000 });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/unknown|error:/i) });
    expect(stdout).not.toBe("");
  });
