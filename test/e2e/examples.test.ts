import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { run } from "./programs.ts";

/** Those that vitest does not run itself. They use the built package, as its users do. */
const outputs: Record<string, RegExp> = {
  "node-test.mjs": /^\S pass 2\n/m,
  "watch.mjs": /^ADDED greeting\nDELETED greeting\n$/,
};

test("every example is run by somebody", () => {
  const files = readdirSync("examples").filter((name) => name.endsWith(".mjs"));
  expect(files.sort()).toEqual(Object.keys(outputs).sort());
});

for (const [name, output] of Object.entries(outputs)) {
  test(`examples/${name} does what it says`, async () => {
    const { code, stdout, stderr } = await run(process.execPath, [`examples/${name}`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(output);
  });
}
