import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openSession } from "../session.suite.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-completion-"));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("--install writes the code where the shell of the user looks for it, and again over an old one", async () => {
  vi.stubEnv("XDG_DATA_HOME", join(folder, "data"));
  vi.stubEnv("XDG_CONFIG_HOME", join(folder, "config"));
  await using session = await openSession("ctl");
  const places = {
    bash: "data/bash-completion/completions/ctl",
    zsh: "data/zsh/site-functions/_ctl",
    fish: "config/fish/completions/ctl.fish",
  };
  for (const [shell, place] of Object.entries(places)) {
    vi.stubEnv("SHELL", `/usr/bin/${shell}`);
    for (const line of ["completion --install", `completion ${shell} --install`])
      expect(await session.ok(line)).toContain(`${join(folder, place)} is written; `);
    expect(readFileSync(join(folder, place), "utf8")).toBe(await session.ok(`completion ${shell}`));
  }
});
