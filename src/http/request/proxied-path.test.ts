import { expect, test } from "vitest";
import { splitProxiedTarget } from "./proxied-path.ts";

const prefix = "/api/v1/nodes/n/proxy";
const cases: [target: string, segments: number, path: string, query: string][] = [
  [prefix, 0, "", ""],
  [`${prefix}/`, 0, "/", ""],
  [`${prefix}/a`, 1, "/a", ""],
  [`${prefix}/a/b/`, 2, "/a/b/", ""],
  [`${prefix}/a%20b/c?x=/y/z`, 2, "/a%20b/c", "?x=/y/z"],
  [`${prefix}?a=1&b=%zz&c=1;d=2`, 0, "", "?a=1&b=%zz&c=1;d=2"],
];
for (const [target, segments, path, query] of cases) {
  test(`${target} reaches the backend byte by byte (C08 in docs/security-rows.md)`, () =>
    expect(splitProxiedTarget(target, segments)).toEqual({ prefix, path, query }));
}

test("a query that could break a request line is refused", () => {
  for (const query of ["?a b", "?a\r\nX: y", "?ü", "?#a"])
    expect(() => splitProxiedTarget(prefix + query, 0)).toThrow("must be escaped");
});
