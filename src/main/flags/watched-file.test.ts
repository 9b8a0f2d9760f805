import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { configPollMs, openWatchedFile } from "./watched-file.ts";

test("a changed file takes effect, and a broken one leaves the last valid one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "watched-"));
  const path = join(folder, "a");
  await writeFile(path, "1");
  const clock = createManualClock(0);
  const parse = ({ text }: { text: string }) => {
    if (text === "broken") throw new Error("it is broken");
    return text;
  };
  const reloads: string[] = [];
  const onReload = (status: string) => void reloads.push(status);
  const file = await openWatchedFile({ flag: "a", path, parse, clock, log: silentLog, onReload });
  let changes = 0;
  file.onChange(() => changes++);
  const change = async (text: string, seen: string, count: number) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
    await expect
      .poll(() => {
        clock.advance(configPollMs);
        return [file.current(), changes];
      })
      .toEqual([seen, count]);
  };
  try {
    await change("2", "2", 1);
    await change("broken", "2", 1);
    await expect.poll(() => reloads).toEqual(["success", "failure"]);
    await change("3", "3", 2);
  } finally {
    file.close();
    await rm(folder, { recursive: true });
  }
  await expect(openWatchedFile({ flag: "a", path, parse, clock, log: silentLog })).rejects.toThrow("--a: cannot read");
});
