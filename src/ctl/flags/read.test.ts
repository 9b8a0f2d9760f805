/** Every flag that a command declares is read by the code of that command, so that help promises nothing. */

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Command } from "../command.ts";
import { commands } from "../commands/list.ts";
import { globalFlags } from "./declared.ts";

const root = resolve(import.meta.dirname, "..");
const contents = new Map<string, string>();
const contentOf = (file: string): string => {
  const known = contents.get(file) ?? readFileSync(file, "utf8");
  contents.set(file, known);
  return known;
};

/** The file and everything in this room that it runs; what it imports for its types only is not run. */
function codeOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, path = ""] of contentOf(file).matchAll(
    /^(?:import(?! type)|\} from)[^"]*"(\.[^"]+)";$|import\("(\.[^"]+)"\)/gm,
  )) {
    const target = join(dirname(file), path);
    if (path !== "" && target.startsWith(root) && !/declared\.ts$|commands\/list\.ts$/.test(target))
      codeOf(target, seen);
  }
  return seen;
}

const isRead = (name: string, files: Iterable<string>): boolean =>
  [...files].some((file) => new RegExp(`(?<!name: |Flag\\()"${name}"`).test(contentOf(file)));

const listed = contentOf(join(root, "commands/list.ts"));

describe("flags are read by the code of their command", () => {
  for (const { name } of commands)
    test(name, async () => {
      const entry = commands.find((one) => one.name === name);
      const command = await entry?.load();
      const at = listed.indexOf(`name: "${name}"`);
      const path = /import\("(\.[^"]+)"\)/.exec(listed.slice(at))?.[1] ?? "";
      const files = codeOf(join(root, "commands", path));
      const unread: string[] = [];
      const visit = (one: Command, called: string) => {
        for (const flag of one.flags ?? [])
          if (!/^Ignored/.test(flag.help) && !isRead(flag.name, files)) unread.push(`${called} --${flag.name}`);
        for (const sub of one.subcommands ?? []) visit(sub, `${called} ${sub.name}`);
      };
      if (command !== undefined) visit(command, name);
      expect(unread).toEqual([]);
    });
  test("of all commands", () => {
    const files = ["context.ts", "program.ts", "preferences.ts", "server/session.ts", "commands/version.ts"].map(
      (file) => join(root, file),
    );
    const unread = globalFlags.filter(({ name, help }) => help !== "Ignored" && !isRead(name, files));
    expect(unread.map(({ name }) => name)).toEqual([]);
  });
});
