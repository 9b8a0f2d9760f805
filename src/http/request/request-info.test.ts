import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRequestInfo, rememberedTargetsMax, targetCharsMax } from "./request-info.ts";

const facts = (method: string, target: string) => {
  const { problem, verb, isResource, group, version, resource, subresource, namespace, name } = parseRequestInfo(
    method,
    target,
  );
  return problem === undefined
    ? [isResource, verb, group, version, namespace, resource, subresource, name].join(" ")
    : problem.code;
};

test("a path is parsed alike the first time, from the cache, and after its eviction", () => {
  const path = "/api/v1/namespaces/a/pods/remembered";
  const first = parseRequestInfo("GET", path);
  expect(parseRequestInfo("GET", path)).toBe(first);
  expect(parseRequestInfo("DELETE", path).verb).toBe("delete");
  expect(parseRequestInfo("GET", `${path}?export=1`).query.get("export")).toBe("1");
  for (let count = 0; count <= rememberedTargetsMax; count++) parseRequestInfo("GET", `/api/v1/pods/${count}`);
  const again = parseRequestInfo("GET", path);
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});
test("neither queries nor refused targets are cached", () => {
  for (const target of ["/api/v1/pods?limit=1", "/api/v1/../pods"]) {
    expect(parseRequestInfo("GET", target)).not.toBe(parseRequestInfo("GET", target));
  }
});

describe("the target of a request", () => {
  const cases: [method: string, target: string, expected: string | number][] = [
    ["GET", "/api/v1/namespaces/a/pods", "true list  v1 a pods  "],
    ["GET", "/api/v1/namespaces/a/pods/", "true list  v1 a pods  "],
    ["GET", "/api/v1/namespaces/a/pods/p", "true get  v1 a pods  p"],
    ["HEAD", "/api/v1/namespaces/a/pods/p", "true get  v1 a pods  p"],
    ["PUT", "/api/v1/namespaces/a/pods/p/status", "true update  v1 a pods status p"],
    ["POST", "/api/v1/namespaces/a/pods", "true create  v1 a pods  "],
    ["DELETE", "/api/v1/namespaces/a/pods", "true deletecollection  v1 a pods  "],
    ["DELETE", "/api/v1/namespaces/a/pods/p", "true delete  v1 a pods  p"],
    ["PATCH", "/apis/apps/v1/namespaces/a/deployments/d", "true patch apps v1 a deployments  d"],
    ["GET", "/api/v1/pods", "true list  v1  pods  "],
    ["GET", "/api/v1/namespaces", "true list  v1  namespaces  "],
    ["GET", "/api/v1/namespaces/a", "true get  v1 a namespaces  a"],
    ["PUT", "/api/v1/namespaces/a/finalize", "true update  v1 a namespaces finalize a"],
    ["GET", "/api/v1/namespaces/a/status", "true get  v1 a namespaces status a"],
    ["GET", "/api/v1/watch/namespaces/a/pods", "true watch  v1 a pods  "],
    ["GET", "/api/v1/watch/namespaces/a/pods/p", "true watch  v1 a pods  p"],
    ["GET", "/api/v1/watch/pods/p/log", "true watch  v1  pods log p"],
    ["POST", "/api/v1/watch/pods", "true watch  v1  pods  "],
    ["GET", "/api/v1/proxy/namespaces/a/pods/p/x/y", "true proxy  v1 a pods  p"],
    ["DELETE", "/api/v1/proxy/nodes/n:10250/", "true proxy  v1  nodes  n:10250"],
    ["POST", "/apis/apps/v1/proxy/deployments", "true proxy apps v1  deployments  "],
    ["GET", "/api/v1/namespaces/proxy/pods/proxy", "true get  v1 proxy pods  proxy"],
    ["GET", "/api/v1/pods?watch=1", "true watch  v1  pods  "],
    ["GET", "/api/v1/pods?watch", "true watch  v1  pods  "],
    ["GET", "/api/v1/pods?watch=false", "true list  v1  pods  "],
    ["GET", "/api/v1/pods?watch=0", "true list  v1  pods  "],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Dp", "true list  v1  pods  p"],
    ["GET", "/api/v1/pods?watch=1&fieldSelector=metadata.name=p", "true watch  v1  pods  p"],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name!=p", "true list  v1  pods  "],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=p,metadata.name=q", "true list  v1  pods  "],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=..", "true list  v1  pods  "],
    ["DELETE", "/api/v1/namespaces/a/pods?fieldSelector=metadata.name=p", "true deletecollection  v1 a pods  "],
    ["GET", "/api/v1", "false get      "],
    ["GET", "/apis/apps/v1", "false get      "],
    ["HEAD", "/healthz", "false get      "],
    ["POST", "/healthz", "false post      "],
    ["GET", "/", "false get      "],
    ["GET", "/api/v1/namespaces/a/%63onfigmaps/a%62c", "true get  v1 a configmaps  abc"],
    ["GET", "/api/v1/namespaces/a/configmaps/%E2%82%AC", "true get  v1 a configmaps  €"],
  ];
  for (const [method, target, expected] of cases) {
    test(`${method} ${target}`, () => expect(facts(method, target)).toBe(expected));
  }
});

describe("targets that name nothing", () => {
  const cases: [target: string, code: number, why: string][] = [
    ["/api/v1/namespaces/../pods", 404, "dot segments are not resolved"],
    ["/api/v1/proxy", 404, "a prefix without a resource"],
    ["/api/v1/watch", 404, "the other prefix without a resource"],
    ["/api/v1/./pods", 404, "single dots are not resolved"],
    ["/api//v1", 404, "empty segments are not skipped"],
    ["/api/v1/pods//", 404, "only one trailing slash is ignored"],
    ["/api/v1/namespaces/a/configmaps/a%2Fb", 404, "an escaped slash is not a separator"],
    ["/api/v1/namespaces/%2e%2e/pods", 400, "escaped dots"],
    ["/api/v1/namespaces/..%2fb/pods", 400, "escaped dots with a slash"],
    ["/api/v1/namespaces/a/configmaps/%00", 400, "a control character"],
    ["/api/v1/namespaces/a/configmaps/%zz", 400, "a broken escape"],
    ["/api/v1/namespaces/a/configmaps/%c0%af", 400, "no UTF-8"],
    ["/api/v1/namespaces/a/configmaps/a#b", 400, "a fragment"],
    ["/api/v1/namespaces/a\\b/configmaps", 400, "a backslash"],
    ["https://elsewhere/api/v1/pods", 400, "a target with an authority"],
    ["*", 400, "no path"],
    ["", 400, "nothing"],
    [`/api/v1/pods?x=${"a".repeat(targetCharsMax)}`, 400, "too long"],
  ];
  for (const [target, code, why] of cases) {
    test(`${target.slice(0, 60)}: ${why}`, () => {
      expect(facts("GET", target)).toBe(code);
      expect(parseRequestInfo("GET", target).resource).toBe("");
    });
  }
});

test("for ten thousand random targets the result never contains more than the path", () => {
  const piece = fc.constantFrom(
    ..."api apis v1 apps namespaces pods watch status a b .. . %2e %2E%2e %2f %00 %c0%af %zz ;x # \\ é A %41 // ?watch=1".split(
      " ",
    ),
  );
  const target = fc.array(piece, { maxLength: 9 }).map((pieces) => `/${pieces.join("/")}`);
  fc.assert(
    fc.property(fc.constantFrom("GET", "PUT", "DELETE", "POST", "TRACE"), target, (method, text) => {
      const info = parseRequestInfo(method, text);
      if (info.problem !== undefined) {
        expect([400, 404]).toContain(info.problem.code);
        expect(info.isResource).toBe(false);
        return;
      }
      const parts = [
        info.group,
        info.version,
        info.resource,
        info.subresource,
        info.namespace,
        info.name,
        ...info.rest,
      ];
      // One assertion for all parts: hundreds of thousands of them would take longer than what they check.
      expect(parts.filter((part) => /\/|\p{Cc}|^\.\.?$/u.test(part))).toEqual([]);
      // Parsing the result again returns the same: code behind the parser cannot read the path differently.
      const again = parseRequestInfo(method, encodeURI(info.path));
      expect({ ...again, query: null, verb: null }).toEqual({ ...info, query: null, verb: null });
    }),
    { numRuns: 10_000 },
  );
});
