/** `ctl` under the name kubectl prints what kubectl printed: replays test/e2e/recordings; `RECORD=name` records one with Debian's kubectl. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kubectlPath } from "./programs.ts";
import { parseRecording, playRecording, printRecording } from "./recording.ts";

const folder = "test/e2e/recordings";
const chosen = process.env["RECORD"];
/** Replayed each time; all others with LONG_TESTS=1. */
const short = ["access.txt", "nodes.txt"];
const isWanted = (file: string) =>
  chosen === undefined ? process.env["LONG_TESTS"] === "1" || short.includes(file) : file === `${chosen}.txt`;

describe("recordings of kubectl", () => {
  for (const name of readdirSync(folder).filter(isWanted))
    test(name, { timeout: 600_000 }, async () => {
      const path = join(folder, name);
      const recording = parseRecording(readFileSync(path, "utf8"));
      if (chosen !== undefined) {
        const theirs = await playRecording(recording, kubectlPath);
        const blocks = recording.blocks.map((block, index) =>
          theirs[index]?.isKept === true ? block : { ...block, expected: theirs[index]?.printed ?? "" },
        );
        writeFileSync(path, printRecording({ ...recording, blocks }));
        return;
      }
      const print = (ran: readonly { line: string }[], key: "expected" | "printed") =>
        ran.map((one) => `$ ${one.line}\n${(one as Record<string, string>)[key]}`).join("");
      const ours = await playRecording(recording);
      expect(print(ours, "printed")).toBe(print(ours, "expected"));
    });
});
