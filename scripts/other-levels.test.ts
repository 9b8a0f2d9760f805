import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { levelDefault, levels } from "../src/machinery/schema/levels.ts";

test("the levels that tests run at are those of the sources", async () => {
  // A module without types, because `npm test` runs it before anything is built.
  const script: { otherLevels(root: string): string[] } = await import(
    pathToFileURL(resolve("scripts/other-levels.mjs")).href
  );
  const others = levels.filter((level) => level !== levelDefault);
  expect(script.otherLevels(resolve("."))).toEqual(others);
});
