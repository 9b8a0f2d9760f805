/** The tutorials that need nothing but Node. The others are in tutorials-long.test.ts. */

import { expect, test } from "vitest";
import { follow, slow } from "./tutorial.suite.ts";

test("your first operator in TypeScript", slow, async () => {
  const out = await follow("tutorial-operator.md");
  expect(out).toMatch(/^shop +3\b/m);
  expect(out).toContain("replicaset.apps/shop-");
  expect(out).toMatch(/^refused$/m);
  expect(out).toMatch(/ pass 1$/m);
});

test("your definitions through an upgrade", slow, async () => {
  const out = await follow("tutorial-definitions.md");
  expect(out).toMatch(/^this is what changes$/m);
  expect(out).toMatch(/open: true/);
  expect(out).toMatch(/^refused$/m);
  expect(out).toContain("example.com/v2");
});
