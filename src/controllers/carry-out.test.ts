import { describe, expect, test } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { StatusError } from "../machinery/status/status.ts";
import { carriedOut } from "./plan.suite.ts";
import { create, messageOf, type Plan, patch, read, remove, statusOf, update, whenFailed } from "./plan.ts";

const map = (name: string): ConfigMap => ({ metadata: { namespace: "ns", name } });
const about = map("subject");
const event = (message: string) => ({ type: "Normal", reason: "R", message }) as const;
const refuse = (request: string, error: Error) => (sent: string) => {
  if (sent === request) throw error;
  return undefined;
};
const missing = new StatusError("NotFound", "it is gone");
const conflict = new StatusError("Conflict", "it has changed");

describe("a plan", () => {
  test("is carried out in the order of its members", async () => {
    const plan: Plan = {
      about,
      reads: [read(ConfigMap, { namespace: "ns", name: "r" })],
      writes: [create(ConfigMap, map("a"), { events: [event("made")] }), update(ConfigMap, map("b"))],
      events: [event("done")],
      reviewInMs: 7,
      next: () => ({ writes: [remove(ConfigMap, { namespace: "ns", name: "c" }, {})] }),
    };
    expect((await carriedOut(plan, () => about)).log).toEqual([
      "get configmaps ns/r",
      "create configmaps ns/a",
      "Normal R: made",
      "update configmaps ns/b",
      "Normal R: done",
      "again in 7",
      "delete configmaps ns/c",
    ]);
  });

  test("passes what the server answered on to what follows", async () => {
    const creation = create(ConfigMap, map("a"));
    const plan: Plan = {
      writes: [creation],
      next: (done) => ({ about, events: [event(done.of(creation)?.metadata.uid ?? "")] }),
    };
    const { log } = await carriedOut(plan, () => ({ metadata: { uid: "7" } }));
    expect(log.at(-1)).toBe("Normal R: 7");
  });

  test("lists what only the server knows, for what follows", async () => {
    const present = { kind: ConfigMap, namespace: "ns" };
    const plan: Plan = {
      lists: [present],
      next: (done) => ({
        writes: done
          .listed(present)
          .map(({ metadata }) => remove(ConfigMap, { namespace: "ns", name: metadata.name ?? "" }, {})),
      }),
    };
    const { log } = await carriedOut(plan, () => undefined, undefined, [map("a"), map("b")]);
    expect(log).toEqual(["list configmaps ns/", "delete configmaps ns/a", "delete configmaps ns/b"]);
  });

  test("ends with its first failure", async () => {
    const plan: Plan = {
      about,
      writes: [update(ConfigMap, map("a")), update(ConfigMap, map("b"))],
      events: [event("done")],
      reviewInMs: 1,
      next: () => ({ about, events: [event("next")] }),
    };
    const { log, error } = await carriedOut(plan, refuse("update configmaps ns/a", conflict));
    expect([log, error]).toEqual([["update configmaps ns/a"], conflict]);
  });

  test("records what it announces before a request, and why the request was refused", async () => {
    const request = update(ConfigMap, map("a"), {
      announce: event("soon"),
      events: [event("done")],
      refused: (error) => event(messageOf(error)),
    });
    const { log } = await carriedOut({ about, writes: [request] }, refuse("update configmaps ns/a", conflict));
    expect(log).toEqual(["Normal R: soon", "update configmaps ns/a", "Normal R: it has changed"]);
  });
});

describe("a failure", () => {
  const failing: Plan = { writes: [update(ConfigMap, map("a"))], failed: () => ({ about, events: [event("why")] }) };

  test("is reported after what follows from it", async () => {
    const { log, error } = await carriedOut(failing, refuse("update configmaps ns/a", conflict));
    expect([log.at(-1), error]).toEqual(["Normal R: why", conflict]);
  });
  test("is reported even if what follows from it fails too", async () => {
    const plan: Plan = { ...failing, failed: () => ({ writes: [create(ConfigMap, map("c"))] }) };
    const { error } = await carriedOut(plan, (sent) => {
      throw sent.startsWith("update") ? conflict : missing;
    });
    expect(error).toBe(conflict);
  });
  test("is over when a plan deals with it", async () => {
    const plan: Plan = { ...failing, failed: () => ({ recovered: true, about, events: [event("fine")] }) };
    const { log, error } = await carriedOut(plan, refuse("update configmaps ns/a", conflict));
    expect([log.at(-1), error]).toEqual(["Normal R: fine", undefined]);
  });
  test("that is planned is reported when all is done", async () => {
    const { log, error } = await carriedOut({ about, events: [event("all")], failure: conflict });
    expect([log, error]).toEqual([["Normal R: all"], conflict]);
  });
  test("of any part is reported with whenFailed, unless that part deals with it", async () => {
    const report = () => ({ about, events: [event("why")] });
    const later: Plan = { next: () => ({ writes: [update(ConfigMap, map("a"))] }) };
    expect((await carriedOut(whenFailed(later, report), refuse("update configmaps ns/a", conflict))).log).toEqual([
      "update configmaps ns/a",
      "Normal R: why",
    ]);
    const settled: Plan = { ...failing, failed: () => ({ recovered: true }) };
    const { log } = await carriedOut(whenFailed(settled, report), refuse("update configmaps ns/a", conflict));
    expect(log).toEqual(["update configmaps ns/a"]);
  });
  test("of a later part is not dealt with by an earlier one", async () => {
    const plan: Plan = {
      next: () => ({ writes: [update(ConfigMap, map("a"))] }),
      failed: () => ({ recovered: true }),
    };
    expect((await carriedOut(plan, refuse("update configmaps ns/a", conflict))).error).toBe(conflict);
  });
});

describe("a refusal that is as good as success", () => {
  test.each([
    ["a read of an object that is gone", read(ConfigMap, about.metadata as { name: string }), missing],
    ["a patch of an object that is gone", patch(ConfigMap, { name: "a" }, {}), missing],
    ["a delete of an object that is gone", remove(ConfigMap, { name: "a" }, {}, { events: [event("x")] }), missing],
    [
      "a create of an object that exists",
      create(ConfigMap, map("a"), { tolerates: ["AlreadyExists"], events: [event("x")] }),
      new StatusError("AlreadyExists", "exists"),
    ],
  ])("%s ends nothing and records nothing", async (_, request, refusal) => {
    const plan: Plan = { about, writes: [request], next: (done) => ({ reviewInMs: done.of(request) ? 1 : 2 }) };
    const { log, error } = await carriedOut(plan, () => {
      throw refusal;
    });
    expect([log.slice(1), error]).toEqual([["again in 2"], undefined]);
  });
});

test("a status that the object has already is not written", () => {
  const object = { metadata: { name: "x" }, status: { phase: "a" } };
  expect(statusOf({} as never, object, { phase: "a" })).toBeUndefined();
  expect(statusOf({} as never, object, { phase: "b" })?.call).toEqual({
    verb: "updateStatus",
    object: { ...object, status: { phase: "b" } },
  });
});

test("a plan with pods needs somebody who writes them", async () => {
  const { error } = await carriedOut({ about, pods: { create: [{ metadata: {} }] } });
  expect(messageOf(error)).toContain("PodWriter");
});
