import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createManualClock, systemClock } from "../../base/clock.ts";
import { execPluginOf, PluginCredentials, pluginRunsBurst } from "./exec-plugin.ts";
import { pluginOutputBytesMax, pluginPipeMsMax, pluginRunMsMax } from "./run-plugin.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-plugins-"));
afterAll(() => rmSync(folder, { recursive: true }));

const version = "client.authentication.orch.io/v1beta1";
const printed = (more = "") => `printf '{"apiVersion":"${version}","status":{"token":"t"${more}}}'`;
let scripts = 0;

/** A plugin that runs these lines, and writes its process id first. */
function plugin(lines: string, clock = createManualClock(0)) {
  const command = join(folder, `plugin-${++scripts}`);
  writeFileSync(command, `#!/bin/sh\necho $$ >> "${command}.pids"\n${lines}\n`);
  chmodSync(command, 0o755);
  const options = { cluster: undefined, server: "https://h" };
  const made = execPluginOf({ command, apiVersion: version }, { value: {}, file: command }, options);
  const around = { clock, env: { PATH: process.env["PATH"] }, isInteractive: false };
  const pids = () => {
    try {
      return readFileSync(`${command}.pids`, "utf8").trim().split("\n").map(Number);
    } catch {
      return []; // it has not begun
    }
  };
  return { clock, pids, credentials: new PluginCredentials(made, around) };
}

/** Neither running nor waiting for its parent to ask how it ended. */
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};
const allGone = (pids: readonly number[]) => pids.length > 0 && pids.every(isGone);

test("a plugin that floods is killed although it ignores signals, and leaves no process", async () => {
  const { credentials, pids } = plugin(`trap '' TERM INT PIPE\nwhile :; do head -c 262144 /dev/zero 2>/dev/null; done`);
  await expect(credentials.get()).rejects.toThrow(`printed more than ${pluginOutputBytesMax} bytes`);
  await expect.poll(() => allGone(pids())).toBe(true);
});

test("a plugin that never ends is killed after its time", async () => {
  const { credentials, pids, clock } = plugin("trap '' TERM\nwhile :; do sleep 1; done");
  const outcome = expect(credentials.get()).rejects.toThrow("did not end within 600 seconds");
  await expect.poll(() => pids().length).toBe(1);
  clock.advance(pluginRunMsMax);
  await outcome;
  await expect.poll(() => allGone(pids())).toBe(true);
});

test("a plugin is killed when its last caller aborts, and remaining callers get its credential", async () => {
  const left = new AbortController();
  const { credentials, pids } = plugin(
    `while [ ! -e "$0.go" ]; do sleep 0.05; done\n${printed()}`,
    createManualClock(0),
  );
  const first = expect(credentials.get(left.signal)).rejects.toThrow("enough");
  const second = credentials.get(new AbortController().signal);
  await expect.poll(() => pids().length).toBe(1);
  left.abort(new Error("enough"));
  await first;
  writeFileSync(join(folder, `plugin-${scripts}.go`), "");
  expect((await second).token).toBe("t");

  const alone = new AbortController();
  const hanging = plugin("trap '' TERM\nwhile :; do sleep 1; done");
  const third = expect(hanging.credentials.get(alone.signal)).rejects.toThrow("enough");
  await expect.poll(() => hanging.pids().length).toBe(1);
  alone.abort(new Error("enough"));
  await third;
  await expect.poll(() => allGone(hanging.pids())).toBe(true);
});

test("a child that holds the pipe of an ended plugin delays the credential only a little", async () => {
  const { credentials, pids, clock } = plugin(
    `(trap '' PIPE; while [ -d "${folder}" ]; do sleep 0.2; done) &\n${printed()}`,
  );
  const credential = credentials.get();
  await expect.poll(() => allGone(pids())).toBe(true);
  // The exit is noticed a little later than the process is gone.
  let token: string | undefined;
  void credential.then((value) => {
    token = value.token;
  });
  const waited = () => {
    clock.advance(pluginPipeMsMax);
    return token;
  };
  await expect.poll(waited).toBe("t");
});

test("a plugin whose credentials have always expired runs a few times, then once in a second", async () => {
  const { credentials, pids, clock } = plugin(printed(',"expirationTimestamp":"1960-01-01T00:00:00Z"'));
  for (let at = 0; at < pluginRunsBurst; at++) await credentials.get();
  expect(pids()).toHaveLength(pluginRunsBurst);
  const next = credentials.get();
  await new Promise((done) => setImmediate(done));
  expect(pids()).toHaveLength(pluginRunsBurst);
  clock.advance(1_000);
  expect((await next).token).toBe("t");
  expect(pids()).toHaveLength(pluginRunsBurst + 1);
});

test("an expiration must be a time in RFC 3339, up to the end of the year 9999", async () => {
  for (const wrong of ["2026", "tomorrow", "+275760-09-13T00:00:00Z", "9".repeat(5_000)])
    await expect(plugin(printed(`,"expirationTimestamp":"${wrong}"`)).credentials.get()).rejects.toThrow("RFC 3339");
  const last = await plugin(printed(',"expirationTimestamp":"9999-12-31T23:59:59Z"')).credentials.get();
  expect(last.expiresMs).toBe(Date.UTC(9999, 11, 31, 23, 59, 59));
});

test("a plugin that cannot be started, or gets more than a process can, is reported with the reason", async () => {
  const made = (exec: object) =>
    new PluginCredentials(
      execPluginOf(
        { apiVersion: version, ...exec },
        { value: {}, file: join(folder, "config") },
        { cluster: undefined, server: "https://h" },
      ),
      { clock: systemClock, env: {}, isInteractive: false },
    );
  writeFileSync(join(folder, "plain"), "text");
  await expect(made({ command: "./plain" }).get()).rejects.toThrow("could not be started: permission denied");
  const env = [{ name: "X", value: "x".repeat(4_000_000) }];
  await expect(made({ command: "/bin/true", env }).get()).rejects.toThrow("environment are too long");
});
