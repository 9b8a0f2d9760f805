import { describe, expect, test, vi } from "vitest";
import { runCommand } from "./run.ts";
import { labelled, runAtLevels } from "./run-levels.ts";

const stoppedClock = { now: () => 0 };

describe("a command at several levels", () => {
  test("runs side by side, as many at once as allowed, and the table is in the order of the levels", async () => {
    let running = 0;
    let most = 0;
    const written: string[] = [];
    const code = await runAtLevels({
      levels: ["1.24", "1.28", "1.31", "1.35"],
      atOnce: 2,
      clock: stoppedClock,
      write: (text) => written.push(text),
      run: async (level) => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running -= 1;
        if (level === "1.31") throw new Error("it did not start");
        return level === "1.28" ? 3 : 0;
      },
    });
    expect(most).toBe(2);
    expect(code).toBe(3);
    expect(written.join("")).toBe(
      [
        "LEVEL   RESULT   EXIT CODE   TIME",
        "1.24    passed   0           0.0s",
        "1.28    failed   3           0.0s",
        "1.31    failed   -           0.0s   it did not start",
        "1.35    passed   0           0.0s",
        "",
      ].join("\n"),
    );
  });

  test("lines keep together, each after its level", () => {
    const written: string[] = [];
    const lines = labelled("[1.24] ", { write: (text: string) => written.push(text) > 0 });
    lines.write(Buffer.from("one\ntw"));
    lines.write(Buffer.from("o\nlast"));
    lines.end();
    expect(written).toEqual(["[1.24] one\n", "[1.24] two\n", "[1.24] last\n"]);
  });

  test("each run has a server of its level, and finds its name in the environment", async () => {
    const written: string[] = [];
    const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
    const script = `fetch(process.env.ORCH_SERVER + "/version").catch(() => {}); console.log(process.env.ORCH_EMULATED_VERSION)`;
    try {
      await runCommand(["--emulated-version=1.24,1.35", "--", process.execPath, "-e", script]);
    } finally {
      spy.mockRestore();
    }
    expect(process.exitCode).toBe(0);
    process.exitCode = undefined;
    const text = written.join("");
    for (const level of ["1.24", "1.35"]) {
      expect(text).toContain(`[${level}] ${level}\n`);
      expect(text).toMatch(new RegExp(`^${level} +passed +0 `, "m"));
    }
  });

  test("a port and a folder are those of one server", async () => {
    await expect(runCommand(["--emulated-version=1.24,1.35", "--data-dir=x", "--", "true"])).rejects.toThrow(
      "one level",
    );
    await expect(runCommand(["--emulated-version=1.99", "--", "true"])).rejects.toThrow("must be all or some of 1.21");
  });
});
