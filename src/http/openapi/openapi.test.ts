import { expect, test } from "vitest";
import { openTestServer } from "../server.fixture.ts";

test("documents are made once, even for concurrent requests", async () => {
  const { catalog, fetch, close } = await openTestServer();
  let made = 0;
  const groups = catalog.groups.bind(catalog);
  catalog.groups = () => {
    made++;
    return groups();
  };
  const answers = await Promise.all(Array.from({ length: 10 }, () => fetch("/openapi/v2")));
  const tags = answers.map(({ status, headers }) => `${status} ${headers.get("etag")}`);
  expect(new Set(tags).size).toBe(1);
  expect(tags[0]).toMatch(/^200 "[0-9A-F]{64}"$/);
  const once = made;
  expect(once).toBeLessThan(answers.length);
  await fetch("/openapi/v2");
  expect(made).toBe(once);
  const known = { "if-none-match": answers[0]?.headers.get("etag") ?? "" };
  expect((await fetch("/openapi/v2", { headers: known })).status).toBe(304);
  await close();
});

test("/openapi/v3 lists every group version, with the hash of its document", async () => {
  const { fetch, close } = await openTestServer();
  const { paths } = (await (await fetch("/openapi/v3")).json()) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(["api/v1", "apis/toys.example.com/v1"]));
  for (const { serverRelativeURL } of Object.values(paths)) {
    const { status, headers } = await fetch(serverRelativeURL);
    expect(status).toBe(200);
    expect(headers.get("etag")).toBe(`"${new URLSearchParams(serverRelativeURL.split("?")[1]).get("hash")}"`);
  }
  await close();
});
