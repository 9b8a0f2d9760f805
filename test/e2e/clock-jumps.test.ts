/** F9: the wall clock of a server jumps; versions, order, history and timeouts do not follow it. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { findEtcd, startTestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { issueTokenKey } from "../../src/main/pki/issue.ts";
import { call } from "../cluster/call.ts";
import { watchOnce } from "../cluster/watchers.ts";
import { compileShim } from "../crash/shim.ts";
import { type OwnServer, startOwnServer } from "./own-server.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
const jumps = isLong ? 50 : 10;
const [secondMs, hourMs, yearMs] = [1_000, 3_600_000, 31_557_600_000];
const offsets = [secondMs, -secondMs, hourMs, -hourMs, 10 * yearMs, 0];
/** How often the clock goes back and forth during one write, after every tenth jump. */
const strobes = 20;
const path = "/api/v1/namespaces/default/configmaps";

const shim = compileShim("test/e2e/clock-shim.c");
const folder = mkdtempSync(join(tmpdir(), "orch-clock-"));
let running: OwnServer | undefined;
afterEach(() => {
  running?.child.kill("SIGKILL");
  running?.agent.destroy();
});
afterAll(() => {
  for (const made of [folder, shim ?? ""]) rmSync(made, { recursive: true, force: true });
});

async function jumpAbout(name: string, flags: readonly string[]): Promise<void> {
  const control = join(folder, `${name}.clock`);
  const setClock = (offsetMs: number): void => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(offsetMs));
    writeFileSync(control, bytes, { flag: "r+" });
  };
  writeFileSync(control, Buffer.alloc(8));
  const key = join(folder, "tokens.key");
  writeFileSync(key, issueTokenKey(), { mode: 0o600 });
  const signing = [`--service-account-signing-key-file=${key}`, `--service-account-key-file=${key}`];
  const issuer = "--service-account-issuer=https://orch.example.com";
  const server = await startOwnServer(folder, [...flags, ...signing, issuer], {
    LD_PRELOAD: shim!,
    CLOCK_CONTROL: control,
  });
  running = server;
  const leaving = new AbortController();
  const seen: { type: string; name: string; version: bigint }[] = [];
  const watch = watchOnce(server, `${path}?watch=1&timeoutSeconds=3000`, leaving.signal, ({ type, object }) => {
    const version = BigInt(object.metadata?.resourceVersion ?? 0);
    seen.push({ type, name: object.metadata?.name ?? "", version });
  });
  const send = async (method: string, to: string, body?: unknown) => {
    const outcome = await call(server, method, to, { body });
    if (outcome.kind === "lost" || outcome.status >= 300)
      throw new Error(`${method} ${to}: ${JSON.stringify(outcome)}`);
    return outcome.body;
  };
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await send("POST", accounts, { metadata: { name: "jumper" } });
  const issued = await send("POST", `${accounts}/jumper/token`, { spec: { expirationSeconds: 7_200 } });
  const { token = "" } = issued.status as { token?: string };
  await send("POST", path, { metadata: { name: "before" } });
  const page = await send("GET", `${path}?limit=1`);
  const written: string[] = [];
  let first = "";
  let years = 0;
  for (let jump = 0; jump < jumps; jump += 1) {
    setClock(offsets[jump % offsets.length]!);
    const offsetMs = offsets[jump % offsets.length]!;
    // A token is valid by the wall clock, and again when that was set right; a list continues whatever the clock says.
    if (offsetMs === 0 || offsetMs > yearMs) {
      const answer = await call(server, "GET", path, { token });
      expect([offsetMs, answer.kind === "answer" && answer.status]).toEqual([offsetMs, offsetMs === 0 ? 403 : 401]);
    }
    await send("GET", `${path}?limit=1&continue=${encodeURIComponent(page.metadata?.continue ?? "")}`);
    const object = `jump-${jump}`;
    const created = await send("POST", path, { metadata: { name: object } });
    if (Date.parse(created.metadata?.creationTimestamp ?? "") > Date.now() + yearMs) years += 1;
    for (let strobe = 0; jump % 10 === 9 && strobe < strobes; strobe += 1) {
      setClock(strobe % 2 === 0 ? hourMs : -hourMs);
      await send("GET", `${path}/${object}`);
    }
    await send("PUT", `${path}/${object}`, { metadata: { name: object }, data: { jump: String(jump) } });
    written.push(`ADDED ${object}`, `MODIFIED ${object}`);
    first ||= created.metadata?.resourceVersion ?? "";
    // History is kept by the time that has passed: the state of the first version is still there.
    const past = await send("GET", `${path}?resourceVersion=${first}&resourceVersionMatch=Exact`);
    expect(past.items?.some(({ metadata }) => metadata?.name === object)).toBe(jump === 0);
  }
  expect(years).toBeGreaterThan(0); // the shim works
  const allOurs = () => seen.filter((event) => event.name.startsWith("jump-"));
  await expect.poll(() => allOurs().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(written.length);
  const ours = allOurs();
  expect(ours.map(({ type, name: of }) => `${type} ${of}`)).toEqual(written);
  for (const [at, { version }] of ours.entries()) expect(version > (ours[at - 1]?.version ?? 0n)).toBe(true);
  leaving.abort();
  await watch;
  server.child.kill("SIGTERM");
  expect(await server.exited).toBe(0);
}

describe.skipIf(shim === undefined)(
  "a server whose wall clock jumps by seconds, hours and years (F9 in docs/security-rows.md)",
  () => {
    test(
      "keeps versions, order and history on the embedded store",
      () => jumpAbout("embedded", [`--data-dir=${join(folder, "data")}`]),
      300_000,
    );

    const etcd = isLong ? findEtcd() : undefined;
    test.skipIf(etcd === undefined)(
      "keeps versions, order and history on etcd",
      async () => {
        const member = await startTestEtcd(etcd!);
        await jumpAbout("etcd", [`--etcd-servers=${member.endpoint}`]).finally(() => member.remove());
      },
      300_000,
    );
  },
);
