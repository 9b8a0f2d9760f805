import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { countedMs, RepeatedWarnings } from "./repeated-warnings.ts";

test("a warning is written at once, then counted for a while, each message by itself", () => {
  const lines: unknown[] = [];
  const log: Log = { ...silentLog, warn: (message, fields) => void lines.push([message, fields]) };
  const clock = createManualClock(0);
  const warnings = new RepeatedWarnings(log, clock);
  for (let time = 0; time < 4; time += 1) warnings.warn("broke", { time });
  warnings.warn("switched", { time: 4 });
  clock.advance(countedMs);
  warnings.warn("broke", { time: 5 });
  warnings.warn("switched", { time: 6 });
  expect(lines).toEqual([
    ["broke", { time: 0 }],
    ["switched", { time: 4 }],
    ["broke", { time: 5, omitted: 3 }],
    ["switched", { time: 6 }],
  ]);
});
