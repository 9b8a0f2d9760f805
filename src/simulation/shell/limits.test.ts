import { describe, expect, test } from "vitest";
import { linesKeptMax, logBytesMax } from "../agent/log-lines.ts";
import { lineBytesMax } from "../containers/container-log.ts";
import { podBytesMax, podEntriesMax } from "../containers/file-tree.ts";
import { trimCharsMax, trimPatternCharsMax } from "./expand.ts";
import { bytesOfLine, bytesPerSecondMax, stepsPerSecondMax, tasksMax, variablesMax, wordsMax } from "./limits.ts";
import { widthMax } from "./programs/printf.ts";
import { outcomeOf, startCommand } from "./shell.suite.ts";

const sh = (script: string, options = {}) => startCommand(["sh", "-c", script], options);

describe("a simulated process has limits:", () => {
  test("commands in a second", () => {
    const { codeAt, lines } = sh("while true; do echo x; done");
    codeAt(0);
    const first = lines().length;
    codeAt(10_000);
    expect(first).toBeLessThanOrEqual(stepsPerSecondMax);
    expect(lines().length).toBeLessThanOrEqual(11 * stepsPerSecondMax);
    expect(lines().length).toBeGreaterThan(first * 5);
  });

  test("bytes in a second", () => {
    const files = { "/big": "x".repeat(2 ** 20) };
    const { codeAt } = sh("for i in $(seq 100); do cat /big > /dev/null; done", { files });
    const seconds = (100 * 2 * 2 ** 20) / bytesPerSecondMax;
    expect([codeAt(seconds * 900), codeAt(seconds * 1_100)]).toEqual([undefined, 0]);
  });

  test("lines in a second, however short they are", () => {
    const { codeAt, process } = sh("while true; do seq 1000; done");
    codeAt(10_000);
    expect(process.log.count).toBeGreaterThan(10_000);
    expect(process.log.count).toBeLessThanOrEqual((11 * bytesPerSecondMax) / bytesOfLine);
  });

  test("values, words, variables and what $(…) takes", () => {
    expect(outcomeOf("x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done")).toMatch(/word is too long\nexit 2$/);
    expect(outcomeOf(`x=$(while true; do echo ${"a".repeat(1_000)}; done)`)).toMatch(/too long\nexit 2$/);
    expect(outcomeOf(`for i in $(seq ${variablesMax + 1}); do eval v$i=1; done`)).toMatch(
      /too many variables\nexit 2$/,
    );
    expect(outcomeOf(`seq ${wordsMax + 1}`)).toContain(`at most ${wordsMax} numbers`);
    expect(outcomeOf(`printf '%${widthMax + 500}d' 1 | wc -c`)).toContain(String(widthMax));
    const long = `x=${"a".repeat(trimCharsMax + 1)}; echo \${x#${"*".repeat(trimPatternCharsMax)}}`;
    expect(outcomeOf(long)).toMatch(/value is too long\nexit 2$/);
    const endless = `while true; do printf ${"a".repeat(1_000)}; done | (read line; echo $?)`;
    expect(outcomeOf(endless)).toBe("sh: read: line is too long\nexit 2");
  });

  test("processes at once, and calls of functions and shells", () => {
    expect(outcomeOf(`for i in $(seq ${tasksMax + 1}); do sleep 100 & done`)).toMatch(/can't fork.*\nexit 2$/s);
    expect(outcomeOf("f() { f; }; f")).toMatch(/nested too deeply\nexit 2$/);
    expect(outcomeOf('export X=\'sh -c "$X"\'; sh -c "$X"')).toContain("nested too deeply");
    expect(outcomeOf("f() { f | f; }; f")).toMatch(/exit 2$/);
  });

  test("the bytes, number and names of its files", () => {
    const full = "No space left on device";
    const files = { "/half": "x".repeat(podBytesMax / 2 + 1) };
    expect(outcomeOf("cp /half /tmp/other; echo $?", { files })).toContain(full);
    const name = "n".repeat(200);
    const {
      codeAt,
      lines,
      files: made,
    } = sh(
      `for i in $(seq ${podEntriesMax / 250}); do touch $(printf "/tmp/$i-%s-${name} " $(seq 250)) || exit 5; done`,
    );
    expect(codeAt(60_000)).toBe(5);
    expect(made.list("/tmp")?.length).toBeLessThan(podEntriesMax);
    expect(lines().join()).toContain(full);
    expect(outcomeOf(`touch /tmp/${"n".repeat(300)}`)).toContain("File name too long");
  });

  test("the lines and bytes of its log", () => {
    const { codeAt, process } = sh("while true; do seq 1000; done");
    codeAt(5_000);
    expect(process.log.count).toBeGreaterThan(linesKeptMax);
    expect(process.log.count - process.log.first).toBeLessThanOrEqual(linesKeptMax);
    const long = sh(`while true; do printf ${"x".repeat(10_000)}; done`);
    long.codeAt(3_000);
    const kept = long.lines();
    expect(Math.max(...kept.map((line) => line.length))).toBeLessThanOrEqual(lineBytesMax);
    expect(kept.join("").length).toBeLessThanOrEqual(logBytesMax);
  });
});
