import { describe, expect, test } from "vitest";
import { apiserverFlags } from "./apiserver-flags.ts";
import { bool, duration, type Flag, int, text } from "./flag.ts";
import { describeFlags } from "./help.ts";
import { upHelp } from "./up-flags.ts";

const flags = {
  port: int("where to listen", 6443),
  quiet: bool("no noise"),
  name: text("what it is called", "", { aliases: ["title"] }),
  later: text("", "", { pending: "nothing reads it" }),
};

describe("the help of flags", () => {
  test("shows the most common flags, and the number of the others", () => {
    expect(describeFlags({ flags, first: ["port"] }, false)).toBe(
      `${"  --port int".padEnd(44)}where to listen (default 6443)\n\n--help-all shows 2 more flags.`,
    );
  });

  test("shows every flag by task on request, those without effect last with the reason", () => {
    const groups = {
      Listening: { port: flags.port },
      Others: { quiet: flags.quiet, name: flags.name, later: flags.later },
    };
    expect(describeFlags({ flags, first: ["port"], groups }, true).split("\n\n")).toEqual([
      `Listening:\n${"  --port int".padEnd(44)}where to listen (default 6443)`,
      `Others:\n${"  --quiet".padEnd(44)}no noise\n${"  --name string".padEnd(44)}what it is called (also --title)`,
      `Known from v1.21, but without effect here:\n${"  --later string".padEnd(44)}nothing reads it`,
    ]);
  });

  test("shows durations as people write them", () => {
    const shown = [86_400_000, 5_400_000, 10_000, 1_500].map((ms) =>
      describeFlags({ flags: { wait: duration("", ms) }, first: [] }, false),
    );
    expect(shown.map((line) => line.split("default ")[1])).toEqual(["24h)", "90m)", "10s)", "1.5s)"]);
  });

  test("of `orch up` fits on a screen, and --help-all has every flag once", () => {
    expect(describeFlags(upHelp, false).split("\n").length).toBeLessThan(24);
    const all = describeFlags(upHelp, true);
    for (const [name, { deprecated }] of Object.entries<Flag>(apiserverFlags)) {
      if (deprecated !== undefined) continue;
      expect(all.split(`  --${name}`).length - 1, name).toBeGreaterThan(0);
    }
    const shown = Object.values(upHelp.flags).filter(({ deprecated }) => deprecated === undefined);
    expect(all.match(/^ {2}--/gm)).toHaveLength(shown.length);
  });
});
