import { expect, test } from "vitest";
import { createServer, type OrchServer } from "../library.ts";
import { advanceMsMax } from "./clock-route.ts";

const start = "2026-01-01T00:00:00.000Z";
const clockOf = async (server: OrchServer) => (await server.fetch("/clock")).json();
const advance = (server: OrchServer, body: unknown) =>
  server.fetch("/clock", { method: "POST", body: JSON.stringify(body) });

test("the virtual clock of a server for tests is moved by a request, and what comes due is done", async () => {
  await using server = await createServer({ controllers: false, forks: true, clock: { virtual: start } });
  expect(await clockOf(server)).toEqual({ now: start, isMoving: false });
  let isDue = false;
  server.clock.after(60_000, () => {
    isDue = true;
  });
  expect((await advance(server, { advance: "1m30s" })).status).toBe(202);
  await expect.poll(() => clockOf(server)).toEqual({ now: "2026-01-01T00:01:30.000Z", isMoving: false });
  expect(isDue).toBe(true);
});

test("a clock is not moved by what is no time, too far, or while it moves", async () => {
  await using server = await createServer({ controllers: false, journal: true, clock: { virtual: start } });
  for (const body of [{}, { advance: "soon" }, { advance: "-1m" }, { advance: 60 }, "1m"])
    expect((await advance(server, body)).status).toBe(400);
  expect((await advance(server, { advance: `${advanceMsMax + 1}ms` })).status).toBe(400);
  expect((await server.fetch("/clock", { method: "DELETE" })).status).toBe(405);
  expect(await clockOf(server)).toEqual({ now: start, isMoving: false });
  const [first, second] = await Promise.all([advance(server, { advance: "1m" }), advance(server, { advance: "1m" })]);
  expect([first.status, second.status].sort()).toEqual([202, 429]);
});

test("only administrators move a clock, and only that of a server for tests that has one of its own", async () => {
  await using guarded = await createServer({
    controllers: false,
    forks: true,
    authorization: "RBAC",
    clock: { virtual: start },
  });
  const jane = guarded.fetchAs({ name: "jane", groups: ["system:authenticated"] });
  expect((await jane("/clock", { method: "POST", body: '{"advance":"1m"}' })).status).toBe(403);
  await using plain = await createServer({ controllers: false, clock: { virtual: start } });
  await using real = await createServer({ controllers: false, forks: true });
  for (const server of [plain, real]) expect((await server.fetch("/clock")).status).toBe(404);
});
