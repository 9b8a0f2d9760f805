import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { openRevocationFile, pollMs } from "./revocation-file.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-revocations-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Resolves when the work of a timer is done; reading a file takes several turns of the event loop. */
async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition).toBe(true);
}

describe("a revoked certificate is refused within ten seconds (A11 in docs/security-rows.md)", () => {
  test("the file is reloaded, and connected clients must reconnect", async () => {
    const path = join(folder, "list");
    await writeFile(path, "2A\n");
    const clock = createManualClock(0);
    const errors: string[] = [];
    const log: Log = { debug() {}, info() {}, warn() {}, error: (message) => errors.push(message) };
    let changes = 0;
    const file = await openRevocationFile({ path, clock, log, onChange: () => changes++ });
    expect([file.isRevoked("2A"), file.isRevoked("2B"), changes]).toEqual([true, false, 1]);

    await writeFile(path, "2A\n2b # the laptop that was stolen\n");
    expect(pollMs).toBeLessThan(10_000);
    clock.advance(pollMs);
    await until(() => file.isRevoked("2B"));
    expect(changes).toBe(2);

    await writeFile(path, "what\n");
    await until(() => {
      clock.advance(pollMs);
      return errors.length > 0;
    });
    expect([file.isRevoked("2A"), file.isRevoked("2B")]).toEqual([true, true]);
    await expect(file.reload()).rejects.toThrow(/client-certificate-revocations-file: .*line 1/);

    file.close();
    await writeFile(path, "");
    clock.advance(10 * pollMs);
    await new Promise((done) => setTimeout(done, 20));
    expect(file.isRevoked("2B")).toBe(true);
  });

  test("a missing file stops the start, and without a file no certificate is revoked", async () => {
    const options = {
      clock: createManualClock(0),
      log: { debug() {}, info() {}, warn() {}, error() {} },
      onChange() {},
    };
    await expect(openRevocationFile({ ...options, path: join(folder, "nowhere") })).rejects.toThrow(/cannot read/);
    expect((await openRevocationFile({ ...options, path: "" })).isRevoked("2A")).toBe(false);
  });
});
