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
  test("gets a generated selector and labels, which it carries itself", () => {
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

  test("without labels of its own takes those of its template", () => {
    const template = { metadata: { labels: { mine: "1" } } };
    expect(create(job, body({}, {}, template)).object.metadata.labels).toEqual({ mine: "1", ...generated });
    expect(create(job, body({}, { labels: { mine: "1" } }, template)).object.metadata.labels).toEqual({ mine: "1" });
  });

  test("has no completions if only parallelism is set", () => {
    const { spec } = create(job, body({ parallelism: 4 })).object as { spec?: { completions?: number } };
    expect(spec?.completions).toBeUndefined();
  });

  test("keeps fields of enabled features and drops those of disabled ones", () => {
    const spec = { suspend: true, completionMode: "Indexed", completions: 2 };
    expect(create(gated, body(spec)).object["spec"]).toMatchObject(spec);
    const dropped = create(job, body(spec)).object["spec"];
    expect(dropped).not.toHaveProperty("suspend");
    expect(dropped).not.toHaveProperty("completionMode");
  });

  const cases = [
    {
      why: "must have a selector if manualSelector is set",
      spec: { manualSelector: true },
      problems: ["Invalid spec.template.metadata.labels", "Required spec.selector"],
    },
    {
      why: "may have invalid label values in its selector, as v1.21 does not compare it then",
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
      why: "must not have negative counts",
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

  test("must not have labels generated for another job", () => {
    const template = { metadata: { labels: { "controller-uid": "other" } } };
    expect(create(job, body({}, {}, template)).problems).toEqual([
      "Invalid spec.template.metadata.labels",
      "Invalid spec.template.metadata.labels[controller-uid]",
    ]);
  });

  test("that is indexed must have completions and bounded parallelism", () => {
    const spec = { completionMode: "Indexed", parallelism: 100_001 };
    expect(create(gated, body(spec)).problems).toEqual(["Invalid spec.parallelism", "Required spec.completions"]);
  });
});

describe("an update of a job", () => {
  const before = create(job, body());
  const spec = before.object["spec"] as object;

  test("may change the parallelism", () => {
    expect(update(job, { metadata: { name: "x" }, spec: { ...spec, parallelism: 3 } }, before).problems).toEqual([]);
  });

  test("must not change completions, selector or template", () => {
    expect(update(job, body({ completions: 9 }), before).problems).toEqual([
      "Invalid spec.completions",
      "Invalid spec.selector",
      "Invalid spec.template",
      "Invalid spec.template.metadata.labels",
      "Required spec.selector",
    ]);
  });

  test("must not change the generated labels", () => {
    const next = { ...spec, template: { metadata: { labels: { "job-name": "y" } }, spec: pods } };
    expect(update(job, { metadata: { name: "x" }, spec: next }, before).problems).toEqual([
      "Invalid spec.template",
      "Invalid spec.template.metadata.labels",
      "Invalid spec.template.metadata.labels[job-name]",
      "Required spec.template.metadata.labels[controller-uid]",
    ]);
  });

  test("must not suspend the job while the feature is off", () => {
    const next = update(job, { metadata: { name: "x" }, spec: { ...spec, suspend: true } }, before);
    expect(next.object["spec"]).not.toHaveProperty("suspend");
  });
});

describe("the row of a job", () => {
  const { environment } = job.family;
  const row = (spec: object, status: object = {}) =>
    tableRow(job, decodeKind(job, { metadata: { name: "x" }, spec, status }), environment).slice(1, 3);

  test("shows completions", () => {
    expect(row({ completions: 3 }, { succeeded: 1 })).toEqual(["1/3", ""]);
    expect(row({ parallelism: 1 })).toEqual(["0/1", ""]);
    expect(row({ parallelism: 4 })).toEqual(["0/1 of 4", ""]);
  });

  test("shows the duration", () => {
    const status = { startTime: "2021-05-01T10:00:00Z", completionTime: "2021-05-01T10:01:30Z" };
    expect(row({ completions: 1 }, status)[1]).toBe("90s");
  });
});
