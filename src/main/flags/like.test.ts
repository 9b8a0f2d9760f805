import { expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { levels } from "../../machinery/schema/levels.ts";
import { vocabularies } from "../../vocabulary/by-name.ts";
import { createServer } from "../library.ts";
import { likes, meaningOf } from "./like.ts";
import { runFlags } from "./small-commands.ts";
import { upFlags } from "./up-flags.ts";

// Several levels of `orch run` are several servers.
const tables = [
  { command: "orch up", flags: upFlags, levelOf: (level: string) => level },
  { command: "orch run", flags: runFlags, levelOf: (level: string) => [level] },
];

for (const { command, flags, levelOf } of tables)
  test(`${command}: one word chooses the names and the level, and counts as both flags`, () => {
    const { values, given } = parseFlags(flags, ["--like=kubernetes-1.37"]);
    expect(values).toMatchObject({ vocabulary: "kubernetes", "emulated-version": levelOf("1.37") });
    expect([...given]).toEqual(["like", "vocabulary", "emulated-version"]);
    expect(parseFlags(flags, ["--like=orch-1.21", "--vocabulary=orch"]).values.vocabulary).toBe("orch");
    expect(parseFlags(flags, ["--like=orch-1.35", "--like=orch-1.21"]).values["emulated-version"]).toEqual(
      levelOf("1.21"),
    );
  });

test("another word is refused with all of them, and so is a flag that says something else", () => {
  const read = (...args: string[]) => parseFlags(upFlags, args);
  expect(() => read("--like=kubernetes")).toThrow(
    `--like must be one of kubernetes-1.21 to kubernetes-${levels.at(-1)}, orch-1.21 to orch-${levels.at(-1)}, not "kubernetes"`,
  );
  expect(() => read("--vocabulary=orch", "--like=kubernetes-1.37")).toThrow(
    "--like=kubernetes-1.37 means --vocabulary=kubernetes, but the command line also has --vocabulary=orch",
  );
  expect(() => read("--like=kubernetes-1.37", "--emulated-version=1.21")).toThrow("also has --emulated-version=1.21");
});

test("every vocabulary has a word at every level", () => {
  expect(new Set(likes.map((like) => meaningOf(like)?.vocabulary))).toEqual(
    new Set(vocabularies.map(({ name }) => name)),
  );
  expect(meaningOf("kubernetes-1.20")).toBeUndefined();
});

test("createServer takes the word, and refuses options that say something else", async () => {
  await using server = await createServer({ like: "kubernetes-1.37" });
  const version = await (await server.fetch("/version")).json();
  expect(version).toMatchObject({ major: "1", minor: "37" });
  expect((await server.fetch("/apis/resource.k8s.io/v1")).status).toBe(200);
  await expect(createServer({ like: "kubernetes-1.37", vocabulary: "orch" })).rejects.toThrow(
    'like: "kubernetes-1.37" means vocabulary "kubernetes", but the options also have "orch"',
  );
  // A program in JavaScript may name anything.
  await expect(createServer({ like: "kubernetes-1.20" as "kubernetes-1.37" })).rejects.toThrow(
    /like: must be one of kubernetes-1\.21 to kubernetes-1\.\d+, orch-1\.21 to .*, not "kubernetes-1\.20"/,
  );
});
