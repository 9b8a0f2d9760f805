/** A rewrite of the history, as after a change of keys, that is killed again and again. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";
import { inspectStore } from "../../src/kv/embedded/inspect.ts";
import { bundleChild } from "./bundle.ts";
import { rewriteOf, rewrittenBounds, tellHistory, writeHistory, writeNewest } from "./rewritten-history.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
const kills = isLong ? 100 : 4;
const seed = Date.now() % 1_000_000;

/** Whether it came to its end before it was killed. `afterMs`: since it has opened the store. */
function runKilled(program: string, args: readonly string[], afterMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let told = "";
    child.stdout.on("data", (chunk: Buffer) => {
      if (told === "") setTimeout(() => child.kill("SIGKILL"), afterMs);
      told += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", () => resolve(told.includes("done")));
  });
}

test(
  "no change and no state is lost, each is that of before or the new one, and the next run ends the work",
  async () => {
    const program = await bundleChild("test/crash/history-rewriter.ts");
    const parent = mkdtempSync(join(tmpdir(), "orch-rewrites-"));
    const folder = join(parent, "store");
    const random = seededRandom(seed);
    const open = () => openEmbeddedKv({ folder, noted: rewrittenBounds, syncMode: "none" });
    try {
      let [from, to] = ["one", "two"];
      let kv = await open();
      await writeHistory(kv, from, { from: 0, count: 2_000 });
      await writeNewest(kv, from, to);
      for (let kill = 0; kill < kills; kill += 1) {
        const all = (lines: readonly string[]) => lines.map((line) => line.replaceAll(`${from}:`, `${to}:`));
        const before = all(await tellHistory(kv));
        await kv.close();
        const isDone = await runKilled(program, [folder, from, to], random() * 400);
        const problems: string[] = [];
        await inspectStore({ folder, onEntry() {}, onProblem: (problem) => problems.push(problem) });
        expect(problems, `seed ${seed}, kill ${kill}`).toEqual([]);
        kv = await open();
        expect(all(await tellHistory(kv)), `seed ${seed}, kill ${kill}`).toEqual(before);
        if (!isDone && kill % 3 !== 2) continue; // the next one goes on
        await kv.rewriteHistory!(rewriteOf(from, to));
        expect(await tellHistory(kv), `seed ${seed}, kill ${kill}`).toEqual(before);
        [from, to] = [to, from];
        await writeHistory(kv, from, { from: (kill + 1) * 10_000, count: 200 });
        await writeNewest(kv, from, to);
      }
      await kv.close();
    } finally {
      rmSync(parent, { recursive: true, force: true });
      rmSync(program, { force: true });
    }
  },
  120_000 + kills * 10_000,
);
