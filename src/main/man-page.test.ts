import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commands } from "./commands/list.ts";
import { manPage } from "./man-page.ts";

const page = manPage(commands, "1.0.0");

test("the manual page has every command with its flags, and no line that man would take for a macro of ours", () => {
  for (const { name } of commands) expect(page).toContain(`.SS orch ${name.replaceAll("-", "\\-")} `);
  const macros = new Set(page.match(/^\.\w+/gm));
  expect([...macros].sort()).toEqual([".B", ".PP", ".SH", ".SS", ".TH", ".fi", ".nf"]);
});

test.skipIf(spawnSync("man", ["--version"]).status !== 0)("man shows it without a warning", () => {
  const { status, stdout, stderr } = spawnSync("man", ["--warnings", "-l", "-"], { input: page, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("orch up [flags]");
});
