import { describe, expect, test } from "vitest";
import { decodeKind } from "../../../machinery/schema/decode-kind.ts";
import { tableRow } from "../../../machinery/table/table.ts";
import { bindVersions, create, update } from "../../life.suite.ts";
import { Job } from "./job.ts";

const job = bindVersions([Job]).version("v1");
const gated = bindVersions([Job], { IndexedJob: true, SuspendJob: true }).version("v1");

const pods = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
const body = (spec: object = {}, metadata: object = {}, template: object = {}) => ({
  metadata: { name: "x", ...metadata },
  spec: { template: { ...template, spec: pods }, ...spec },
});
const generated = { "job-name": "x", "controller-uid": "uid" };

describe("a new job", () => {
  test("finds its pods by labels it makes, and has them itself", () => {
    const { object, problems } = create(job, body());
    expect(problems).toEqual([]);
    expect(object.metadata.labels).toEqual(generated);
    expect(object["spec"]).toMatchObject({
      selector: { matchLabels: { "controller-uid": "uid" } },
      template: { metadata: { labels: generated } },
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
    });
  });

  test("shares the labels of its template, but not its own", () => {
    const template = { metadata: { labels: { mine: "1" } } };
    expect(create(job, body({}, {}, template)).object.metadata.labels).toEqual({ mine: "1", ...generated });
    expect(create(job, body({}, { labels: { mine: "1" } }, template)).object.metadata.labels).toEqual({ mine: "1" });
  });

  test("leaves completions open when only parallelism is given", () => {
    const { spec } = create(job, body({ parallelism: 4 })).object as { spec?: { completions?: number } };
    expect(spec?.completions).toBeUndefined();
  });

  test("keeps fields of features that are on, and drops them otherwise", () => {
    const spec = { suspend: true, completionMode: "Indexed", completions: 2 };
    expect(create(gated, body(spec)).object["spec"]).toMatchObject(spec);
    const dropped = create(job, body(spec)).object["spec"];
    expect(dropped).not.toHaveProperty("suspend");
    expect(dropped).not.toHaveProperty("completionMode");
  });

  const cases = [
    {
      why: "needs a selector of its own",
      spec: { manualSelector: true },
      problems: ["Invalid spec.template.metadata.labels", "Required spec.selector"],
    },
    {
      why: "is taken with values that no label can have, as v1.21 compares nothing then",
      spec: {
        manualSelector: true,
        selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b c"] }] },
      },
      problems: [],
    },
    {
      why: "must generate the selector",
      spec: { selector: { matchLabels: { a: "b" } } },
      problems: ["Invalid spec.selector", "Invalid spec.template.metadata.labels"],
    },
    {
      why: "counts from zero",
      spec: { parallelism: -1, backoffLimit: -1 },
      problems: ["Invalid spec.backoffLimit", "Invalid spec.parallelism"],
    },
    {
      why: "must not have the restart policy Always",
      spec: { template: { spec: { ...pods, restartPolicy: "Always" } } },
      problems: ["Required spec.template.spec.restartPolicy"],
    },
  ];
  for (const { why, spec, problems } of cases) {
    test(`${why}: ${JSON.stringify(spec)}`, () => expect(create(job, body(spec)).problems).toEqual(problems));
  }

  test("refuses labels that would find pods of other jobs", () => {
    const template = { metadata: { labels: { "controller-uid": "other" } } };
    expect(create(job, body({}, {}, template)).problems).toEqual([
      "Invalid spec.template.metadata.labels",
      "Invalid spec.template.metadata.labels[controller-uid]",
    ]);
  });

  test("with an index needs completions and some modesty", () => {
    const spec = { completionMode: "Indexed", parallelism: 100_001 };
    expect(create(gated, body(spec)).problems).toEqual(["Invalid spec.parallelism", "Required spec.completions"]);
  });
});

describe("a job that changes", () => {
  const before = create(job, body());
  const spec = before.object["spec"] as object;

  test("may run more pods at a time", () => {
    expect(update(job, { metadata: { name: "x" }, spec: { ...spec, parallelism: 3 } }, before).problems).toEqual([]);
  });

  test("keeps completions, selector and template", () => {
    expect(update(job, body({ completions: 9 }), before).problems).toEqual([
      "Invalid spec.completions",
      "Invalid spec.selector",
      "Invalid spec.template",
      "Invalid spec.template.metadata.labels",
      "Required spec.selector",
    ]);
  });

  test("keeps the labels that were generated", () => {
    const next = { ...spec, template: { metadata: { labels: { "job-name": "y" } }, spec: pods } };
    expect(update(job, { metadata: { name: "x" }, spec: next }, before).problems).toEqual([
      "Invalid spec.template",
      "Invalid spec.template.metadata.labels",
      "Invalid spec.template.metadata.labels[job-name]",
      "Required spec.template.metadata.labels[controller-uid]",
    ]);
  });

  test("cannot begin to be suspended while the feature is off", () => {
    const next = update(job, { metadata: { name: "x" }, spec: { ...spec, suspend: true } }, before);
    expect(next.object["spec"]).not.toHaveProperty("suspend");
  });
});

describe("the row of a job", () => {
  const { environment } = job.family;
  const row = (spec: object, status: object = {}) =>
    tableRow(job, decodeKind(job, { metadata: { name: "x" }, spec, status }), environment).slice(1, 3);

  test("shows how far it is", () => {
    expect(row({ completions: 3 }, { succeeded: 1 })).toEqual(["1/3", ""]);
    expect(row({ parallelism: 1 })).toEqual(["0/1", ""]);
    expect(row({ parallelism: 4 })).toEqual(["0/1 of 4", ""]);
  });

  test("shows how long it took", () => {
    const status = { startTime: "2021-05-01T10:00:00Z", completionTime: "2021-05-01T10:01:30Z" };
    expect(row({ completions: 1 }, status)[1]).toBe("90s");
  });
});
