import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { ctlBeside, ownCommand } from "./own-command.ts";

const program = process.argv[1]!;
afterEach(() => {
  vi.unstubAllEnvs();
  process.argv[1] = program;
});

test("the other program is named as this one was called", () => {
  vi.stubEnv("npm_command", "");
  vi.stubEnv("PATH", "/opt/orch/bin");
  process.argv[1] = "/opt/orch/bin/orch";
  expect([ownCommand(), ctlBeside(ownCommand())]).toEqual(["orch", "ctl"]);
  process.argv[1] = `${process.cwd()}/bin/orch`;
  expect([ownCommand(), ctlBeside(ownCommand())]).toEqual(["node bin/orch", "node bin/ctl"]);
});

test("npx finds it by its name in a clone and in a project, and by the package where it was fetched for one call", () => {
  vi.stubEnv("npm_command", "exec");
  const home = realpathSync(mkdtempSync(join(tmpdir(), "orch-npx-")));
  const place = (...path: string[]) => {
    const file = join(home, ...path);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  };
  const saidBy = (path: string) => {
    process.argv[1] = path;
    return [ownCommand(), ctlBeside(ownCommand())];
  };
  try {
    const fetched = place(".npm/_npx/0f1e/node_modules/orch/bin/orch");
    const clone = place("clone/bin/orch");
    for (const file of [fetched, clone]) writeFileSync(file, "");
    expect(saidBy(fetched)).toEqual(["npx orch", "npx --package=orch ctl"]);
    expect(saidBy(clone)).toEqual(["npx orch", "npx ctl"]);
    const link = place(".npm/_npx/2d3c/node_modules/.bin/orch");
    symlinkSync(clone, link);
    expect(saidBy(link)).toEqual(["npx orch", "npx ctl"]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
