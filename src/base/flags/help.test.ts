import { describe, expect, test } from "vitest";
import { anyDuration, bool, duration, int, string, strings } from "./flag.ts";
import { describeFlags, describeOptions } from "./help.ts";

const flags = {
  port: int("where to listen", 6443),
  quiet: bool("no noise"),
  name: string("what it is called", "", { aliases: ["title"] }),
  later: string("", "", { pending: "nothing reads it" }),
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

  test("shows how further names are typed", () => {
    const output = string("how to print", "", { short: "o", aliases: ["format"] });
    expect(describeFlags({ flags: { output }, first: [] }, false)).toContain("how to print (also -o) (also --format)");
  });

  test("as a list of options has names, short forms and defaults in order", () => {
    const options = {
      wait: anyDuration("how long", 60_000),
      output: string("how to print", "json", { short: "o" }),
      files: strings("several", ["a"]),
      secret: string("not shown", "", { isHidden: true }),
    };
    expect(describeOptions(options)).toBe(
      "      --files=[a]: several\n  -o, --output='json': how to print\n      --wait=1m0s: how long",
    );
  });
});
