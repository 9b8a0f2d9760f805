import { expect, test } from "vitest";
import type { Log } from "../../base/log.ts";
import { ask, openTestServer } from "../server.fixture.ts";

const gadgets = "/apis/toys.example.com/v1/namespaces/a/gadgets";

test.each([
  { verbosity: 0, told: [] },
  { verbosity: 2, told: [{ method: "GET", path: `${gadgets}/absent`, code: 404, reason: /absent.*not found/ }] },
  {
    verbosity: 4,
    told: [
      { method: "GET", path: gadgets, code: 200, reason: undefined },
      { method: "GET", path: `${gadgets}/absent`, code: 404, reason: /absent.*not found/ },
    ],
  },
])("at --v=$verbosity, $told.length of two requests are logged, with the reason of a refusal", async (row) => {
  const lines: Record<string, unknown>[] = [];
  const none = () => {};
  const log: Log = {
    verbosity: row.verbosity,
    debug: none,
    warn: none,
    error: none,
    info: (message, fields) => message === "request" && lines.push(fields ?? {}),
  };
  const { fetch, close } = await openTestServer({ log });
  try {
    await ask(fetch, "GET", gadgets);
    await ask(fetch, "GET", `${gadgets}/absent?x=1`);
  } finally {
    await close();
  }
  expect(lines).toHaveLength(row.told.length);
  for (const [index, { reason, ...facts }] of row.told.entries()) {
    expect(lines[index]).toMatchObject({ ...facts, user: expect.any(String), ms: expect.any(Number) });
    if (reason === undefined) expect(lines[index]).not.toHaveProperty("reason");
    else expect(lines[index]!["reason"]).toMatch(reason);
  }
});
