import { describe, expect, test } from "vitest";
import type { ControllerRevision } from "../../../api/apps/v1/controller-revision.ts";
import { printSorted } from "../../../machinery/json/go-json.ts";
import { encodeJson } from "../../../machinery/json/json.ts";
import { planRevision, revisionData, sortRevisions, surplusRevisions, templateOf } from "./history.ts";

const template = (image: string) => ({ spec: { containers: [{ name: "c", image }] } });
const revisionOf = (image: string, revision: number): ControllerRevision => ({
  metadata: { name: `r-${image}` },
  data: revisionData(template(image)),
  revision,
});

describe("the revision of a template", () => {
  const known = [revisionOf("a", 1), revisionOf("b", 2)];
  const rows = [
    { why: "the newest one is kept", image: "b", plan: { action: "keep", revision: known[1] } },
    { why: "an older one becomes the newest", image: "a", plan: { action: "raise", revision: revisionOf("a", 3) } },
    { why: "a new template gets the next number", image: "c", plan: { action: "create", number: 3 } },
  ];
  for (const { why, image, plan } of rows) {
    test(why, () => expect(planRevision(known, revisionData(template(image)))).toEqual(plan));
  }
  test("the first one has number 1", () => {
    expect(planRevision([], revisionData(template("a")))).toEqual({ action: "create", number: 1 });
  });
});

test("the data of a revision has sorted members, and integers as the reference rounds them", () => {
  const spec = { containers: [], terminationGracePeriodSeconds: 2n ** 63n - 1n, activeDeadlineSeconds: 1 };
  const data = revisionData({ spec, metadata: {} } as object);
  expect(printSorted(data)).toBe(encodeJson(data));
  expect(encodeJson(data)).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{},"spec":' +
      '{"activeDeadlineSeconds":1,"containers":[],"terminationGracePeriodSeconds":9223372036854776000}}}}',
  );
});

test("the template can be restored from a revision", () => {
  expect(templateOf(revisionOf("a", 1))).toEqual(template("a"));
  expect(templateOf({ metadata: {}, data: { spec: 1 }, revision: 1 })).toBeUndefined();
});

test("the oldest unused revisions are deleted, beyond the limit", () => {
  const sorted = sortRevisions(["d", "b", "c", "a"].map((image) => revisionOf(image, image.charCodeAt(0))));
  const names = (limit: number) =>
    surplusRevisions(sorted, new Set(["r-a"]), limit).map(({ metadata }) => metadata.name);
  expect(names(1)).toEqual(["r-b", "r-c"]);
  expect(names(3)).toEqual([]);
  expect(names(0)).toEqual(["r-b", "r-c", "r-d"]);
});
