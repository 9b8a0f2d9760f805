/** When workspaces open and close: by use, by their number, and by time. */

import { expect, test } from "vitest";
import { maps, openWithClock as open } from "./clock.fixture.ts";

test("a workspace closes when it is idle, and opens with what it had", async () => {
  const { server, clock, fetch, make, write, count } = await open(10);
  await make("shop");
  expect(await write("shop", "one")).toBe(201);
  expect(server.workspaces.openCount).toBe(1);
  clock.advance(29_000);
  expect(await count("shop")).toBe(1);
  clock.advance(29_000);
  expect(server.workspaces.openCount).toBe(1);
  const watch = await fetch(`/clusters/shop${maps}?watch=1`);
  clock.advance(60_000);
  expect(server.workspaces.openCount).toBe(1);
  await watch.body?.cancel();
  clock.advance(60_000);
  expect(server.workspaces.openCount).toBe(0);
  expect(await count("shop")).toBe(1);
  expect(await write("shop", "two")).toBe(201);
  expect(await count("shop")).toBe(2);
  await server.close();
});

test("no more are open than may be: the one that was used least recently closes, and never one in use", async () => {
  const { server, fetch, make, write, count } = await open(2);
  for (const name of ["a", "b", "c", "d"]) {
    await make(name);
    expect(await write(name, name)).toBe(201);
    expect(server.workspaces.openCount).toBeLessThanOrEqual(2);
  }
  for (const name of ["a", "b", "c", "d"]) expect(await count(name)).toBe(1);
  const watches = [await fetch(`/clusters/a${maps}?watch=1`), await fetch(`/clusters/b${maps}?watch=1`)];
  expect((await fetch(`/clusters/c${maps}`)).status).toBe(429);
  await watches[0]?.body?.cancel();
  expect(await count("c")).toBe(1);
  await watches[1]?.body?.cancel();
  await server.close();
});

test("fewer stay open that are idle than may be in use", async () => {
  const { server, fetch, make } = await open(4, 2);
  for (const name of ["a", "b", "c", "d"]) await make(name);
  expect(server.workspaces.openCount).toBe(2);
  const watches = [];
  for (const name of ["a", "b", "c", "d"]) watches.push(await fetch(`/clusters/${name}${maps}?watch=1`));
  expect(server.workspaces.openCount).toBe(4);
  for (const watch of watches) await watch.body?.cancel();
  await make("e");
  expect(server.workspaces.openCount).toBe(4);
  await server.close();
});

test("a workspace that is asked for by many at once opens once", async () => {
  const { server, fetch, make } = await open(10);
  await make("shop");
  const [shop] = [server.workspaces.find("shop")];
  await server.workspaces.end(shop?.metadata.uid ?? "");
  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`/clusters/shop${maps}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(server.workspaces.openCount).toBe(1);
  await server.close();
});
