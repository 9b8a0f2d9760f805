/** `orch up --enable-testing` and `orch run --enable-testing`: the journal and faults of a server in a process of its own. */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { runRemoteCtl } from "../../src/ctl/streams/remote-session.suite.ts";
import { run } from "./programs.ts";
import { openUpSession } from "./up-session.ts";

const ctl = resolve("bin/ctl");
const soon = { timeout: 60_000, interval: 50 };

const plan = {
  apiVersion: "testing.orch.io/v1alpha1",
  kind: "FaultPlan",
  metadata: { name: "storm" },
  spec: { match: { verb: "create", resource: "configmaps" }, do: { status: 503, message: "on purpose" } },
};

test("up, with the names of Kubernetes: requests are shown as they are answered, and a plan makes them fail", async () => {
  const session = await openUpSession("--vocabulary=kubernetes", "--enable-testing", "--console=false");
  const config = join(session.folder, "data/admin.conf");
  const env = { KUBECONFIG: config, HOME: session.folder };
  const call = async (...args: string[]) => {
    const { code, out, err } = await runRemoteCtl(args, { config, program: "ctl" });
    return { code, stdout: String(out), stderr: err };
  };
  const follow = spawn(process.execPath, [ctl, "journal", "-f", "--by=kubernetes-admin", "--resource=configmaps"], {
    env: { ...process.env, ...env },
  });
  let followed = "";
  follow.stdout.on("data", (chunk) => (followed += String(chunk)));
  try {
    expect((await call("create", "configmap", "one")).code).toBe(0);
    await vi.waitFor(() => expect(followed).toMatch(/create +201 +[\d.]+ms +\/api\/v1\/.*configmaps/), soon);
    const [header = "", first = ""] = followed.split("\n");
    expect(header.indexOf("REQUEST")).toBe(first.indexOf("/api"));
    const path = join(session.folder, "plan.json");
    writeFileSync(path, JSON.stringify(plan));
    expect(await call("apply", "-f", path)).toMatchObject({ code: 0 });
    await vi.waitFor(
      async () => expect((await call("create", "configmap", "two")).stderr).toContain("on purpose"),
      soon,
    );
    await vi.waitFor(() => expect(followed).toMatch(/create +503 /), soon);
    const { stdout } = await call("journal", "--verb=create", "-o", "json");
    const codes = stdout
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { code: number }).code]));
    expect(codes).toEqual(expect.arrayContaining([201, 503]));
  } finally {
    follow.kill();
    await session.close();
  }
});

test("run, with names of its own: the command does the same, and a server without testing says how to get it", async () => {
  const orch = resolve("bin/orch");
  const call = `"${process.execPath}" "${ctl}"`;
  const journal = `${call} journal --verb=create --resource=configmaps --no-headers`;
  const script = `
    echo '${JSON.stringify(plan)}' | ${call} apply -f - &&
    until ${call} create configmap one 2>&1 | grep -q "on purpose"; do :; done
    ${journal}`;
  const on = await run(process.execPath, [orch, "run", "--enable-testing", "--", "sh", "-c", script]);
  expect(on.stdout).toMatch(/admin +create +503 +[\d.]+ms +\/api\/v1\/.*configmaps/);
  const off = await run(process.execPath, [orch, "run", "--", "sh", "-c", journal]);
  expect(off.stderr).toContain("the server has no journal: start it with --enable-testing");
  expect(off.code).toBe(1);
});
