/** The types of objects that the package has for editors are those of the declarations. */

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import * as kinds from "../src/kit/kinds.ts";

test("every kind has the type of its declaration, with documentation, under the strictest options", {
  timeout: 300_000,
}, async () => {
  const folder = ".cache/object-types-test";
  mkdirSync(folder, { recursive: true });
  try {
    const outfile = join(folder, "print.mjs");
    const options = { bundle: true, platform: "node", format: "esm", packages: "external" } as const;
    await build({ ...options, entryPoints: ["scripts/object-types.ts"], outfile });
    const { stdout } = spawnSync(process.execPath, [outfile], { encoding: "utf8" });
    expect(stdout).toContain("  /** Pending, Running, Succeeded, Failed or Unknown. */\n  phase?: string;");
    writeFileSync(join(folder, "object-types.d.ts"), stdout);
    const pairs = Object.keys(kinds).map(
      (name) =>
        `export const ${name}: types.${name} = given<kinds.${name}>();\nexport const ${name}Back: kinds.${name} = given<types.${name}>();`,
    );
    writeFileSync(
      join(folder, "same.ts"),
      `import type * as kinds from "../../src/kit/kinds.ts";\nimport type * as types from "./object-types.d.ts";\ndeclare function given<T>(): T;\n${pairs.join("\n")}\n`,
    );
    const config = { extends: "../../tsconfig.json", include: [], files: ["same.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const checked = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder], {
      encoding: "utf8",
    });
    expect(checked.stdout.slice(0, 2_000)).toBe("");
    expect(checked.status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
