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
  process.argv[1] = "/home/jane/shop/node_modules/.bin/orch";
  expect([ownCommand(), ctlBeside(ownCommand())]).toEqual(["npx orch", "npx ctl"]);
  process.argv[1] = "/home/jane/.npm/_npx/0f1e2d3c/node_modules/.bin/orch";
  expect([ownCommand(), ctlBeside(ownCommand())]).toEqual(["npx orch", "npx --package=orch ctl"]);
});
