import { describe, expect, test } from "vitest";
import { subjects } from "./differences.ts";

describe("in every release", () => {
  for (const [subject, differences] of Object.entries(subjects)) {
    test(`${subject} differ from the facts only where it is known`, async () => {
      await expect(`${differences().join("\n")}\n`).toMatchFileSnapshot(`known/${subject}.txt`);
    });
  }
});
