import { describe, expect, test } from "vitest";
import { mandatoryLevels, mandatorySchemas } from "../api/flowcontrol/v1beta1/built-in.ts";
import type { FlowSchemaSpec } from "../api/flowcontrol/v1beta1/flow-schema-spec.ts";
import type { PriorityLevelConfigurationSpec } from "../api/flowcontrol/v1beta1/priority-level-spec.ts";
import type { Attributes } from "../authz/contract.ts";
import { createManualClock } from "../base/clock.ts";
import type { Configured } from "./configuration.ts";
import { dumpedQueuesMax, dumpLevels, dumpQueues, dumpRequests } from "./dumps.ts";
import { PriorityAndFairness } from "./fairness.ts";
import { rememberedFlowsMax } from "./flow.ts";

const waitMsMax = 15_000;

function request(user: string, more: Partial<Attributes> = {}): Attributes {
  return {
    user: { name: user, uid: "", groups: ["system:authenticated"], extra: new Map() },
    verb: "get",
    isResource: true,
    path: "/api/v1/namespaces/a/pods/p",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "a",
    name: "p",
    ...more,
  };
}

const level = (shares: number, queuing?: { queues: number; handSize: number; queueLengthLimit: number }) =>
  ({
    type: "Limited",
    limited: {
      assuredConcurrencyShares: shares,
      limitResponse: queuing === undefined ? { type: "Reject" } : { type: "Queue", queuing },
    },
  }) satisfies PriorityLevelConfigurationSpec;
const everything = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const schema = (name: string, user: string, by = "ByUser"): FlowSchemaSpec => ({
  priorityLevelConfiguration: { name },
  matchingPrecedence: 100,
  distinguisherMethod: { type: by },
  rules: [{ subjects: [{ kind: "User", user: { name: user } }], ...everything }],
});

/** Configuration as values; `change` replaces it. */
function open(
  seats: number,
  levels: Record<string, PriorityLevelConfigurationSpec>,
  schemas: Record<string, FlowSchemaSpec>,
) {
  const clock = createManualClock(Date.parse("2021-06-01T00:00:00Z"));
  const configured = <Spec>(specs: Record<string, Spec>, mandatory: ReadonlyMap<string, object>) => {
    const all = { ...(Object.fromEntries(mandatory) as Record<string, Spec>), ...specs };
    return new Map<string, Configured<Spec>>(
      Object.entries(all).map(([name, spec]) => [name, { name, uid: `uid-${name}`, spec }]),
    );
  };
  let current = { levels, schemas };
  let changed = () => {};
  const fairness = new PriorityAndFairness({
    clock,
    seats,
    waitMsMax,
    source: {
      read: () => ({
        levels: configured(current.levels, mandatoryLevels),
        schemas: [...configured(current.schemas, mandatorySchemas).values()],
      }),
      follow(callback) {
        changed = callback;
        return () => {};
      },
    },
  });
  return {
    fairness,
    clock,
    metrics: () => fairness.metrics.map((metric) => metric.text()).join(""),
    change(next: Partial<typeof current>) {
      current = { ...current, ...next };
      changed();
    },
  };
}

/** Two seats for "jobs" of ten: 5 shares are catch-all's. */
const two = () =>
  open(12, { jobs: level(1, { queues: 1, handSize: 1, queueLengthLimit: 2 }) }, { jobs: schema("jobs", "jane") });

describe("a request", () => {
  test("is executed, queued or rejected according to its level", () => {
    const { fairness } = two();
    const phases = Array.from({ length: 5 }, () => fairness.admit(request("jane")).phase);
    expect(phases).toEqual(["executing", "executing", "waiting", "waiting", "rejected"]);
    expect(fairness.admit(request("joe")).phase).toBe("executing");
  });
  test("records the schema and the level that it was assigned to", () => {
    const { fairness } = two();
    const { schemaUid, levelUid } = fairness.admit(request("jane"));
    expect([schemaUid, levelUid]).toEqual(["uid-jobs", "uid-jobs"]);
    expect(fairness.admit(request("joe")).schemaUid).toBe("uid-catch-all");
  });
  test("of a user without groups is assigned to catch-all", () => {
    const { fairness } = two();
    const stranger = request("x", { user: { name: "x", uid: "", groups: [], extra: new Map() } });
    expect(fairness.admit(stranger).levelUid).toBe("uid-catch-all");
  });
  test("of an exempt level never waits", () => {
    const { fairness } = two();
    const master = request("m", { user: { name: "m", uid: "", groups: ["system:masters"], extra: new Map() } });
    for (let count = 0; count < 50; count++) expect(fairness.admit(master).phase).toBe("executing");
  });
  test("that waits gets the seat of one that ends", () => {
    const { fairness } = two();
    const [first, , third] = [1, 2, 3].map(() => fairness.admit(request("jane")));
    let settled = 0;
    third!.onSettled(() => settled++);
    first!.end();
    first!.end();
    expect([third!.phase, settled]).toEqual(["executing", 1]);
  });
  test("is rejected once it has waited for too long", () => {
    const { fairness, clock } = two();
    const [, , third] = [1, 2, 3].map(() => fairness.admit(request("jane")));
    let settled = 0;
    third!.onSettled(() => settled++);
    clock.advance(waitMsMax - 1);
    expect(third!.phase).toBe("waiting");
    clock.advance(1);
    expect([third!.phase, settled]).toEqual(["rejected", 1]);
    expect(fairness.admit(request("jane")).phase).toBe("waiting");
  });
  test("that no longer waits makes space in its queue", () => {
    const { fairness } = two();
    const tickets = [1, 2, 3, 4].map(() => fairness.admit(request("jane")));
    tickets[3]!.end();
    expect(fairness.admit(request("jane")).phase).toBe("waiting");
    expect(tickets[3]!.phase).toBe("ended");
  });
  test("that waits for another server lends its seat to another flow, not to its own", () => {
    const { fairness } = open(
      7,
      { jobs: level(2, { queues: 64, handSize: 1, queueLengthLimit: 2 }) },
      { jobs: schema("jobs", "*") },
    );
    const [first, second] = [fairness.admit(request("jane")), fairness.admit(request("jane"))];
    const more = fairness.admit(request("jane"));
    const comeBack = first!.releaseSeat();
    expect([second!.phase, more.phase]).toEqual(["executing", "waiting"]);
    expect(fairness.admit(request("joe")).phase).toBe("executing");
    comeBack();
    expect(fairness.admit(request("jim")).phase).toBe("waiting");
  });
});

describe("flows", () => {
  test.each([
    ["ByUser", 2],
    ["ByNamespace", 1],
  ])("are distinguished %s", (by, queues) => {
    const spec = level(1, { queues: 1_000, handSize: 1, queueLengthLimit: 10 });
    const { fairness } = open(100, { jobs: spec }, { jobs: schema("jobs", "*", by) });
    for (const user of ["jane", "joe", "jane"]) fairness.admit(request(user));
    const jobs = fairness.levels().find(({ name }) => name === "jobs");
    expect(jobs?.queueSet.active().length).toBe(queues);
  });
  test("of more users than are cached still have the same queues", () => {
    const spec = level(1, { queues: 1_000, handSize: 1, queueLengthLimit: 10 });
    const { fairness } = open(1e6, { jobs: spec }, { jobs: schema("jobs", "*") });
    const queueOf = (user: string) => {
      const ticket = fairness.admit(request(user));
      const index = ticket.queue?.index;
      ticket.end();
      return index;
    };
    const before = queueOf("jane");
    for (let count = 0; count <= rememberedFlowsMax; count++) queueOf(`user-${count}`);
    expect(queueOf("jane")).toBe(before);
  });
});

describe("a change of the configuration", () => {
  test("applies to the next request", () => {
    const { fairness, change } = two();
    const again = request("joe");
    expect([again, again].map((one) => fairness.admit(one).levelUid)).toEqual(["uid-catch-all", "uid-catch-all"]);
    change({ schemas: { jobs: schema("jobs", "joe") } });
    expect(fairness.admit(again).levelUid).toBe("uid-jobs");
    change({ schemas: {} });
    expect(fairness.admit(again).levelUid).toBe("uid-catch-all");
  });
  test("gives new seats to requests that wait, without another request", () => {
    const { fairness, change, clock } = two();
    const tickets = [1, 2, 3, 4].map(() => fairness.admit(request("jane")));
    change({ levels: { jobs: level(5, { queues: 1, handSize: 1, queueLengthLimit: 2 }) } });
    clock.advance(100);
    expect(tickets.map(({ phase }) => phase)).toEqual(Array(4).fill("executing"));
  });
  test("that removes a level lets its requests end, and marks its schema as dangling", () => {
    const { fairness, change } = two();
    const tickets = [1, 2, 3].map(() => fairness.admit(request("jane")));
    change({ levels: {} });
    expect(fairness.admit(request("jane")).levelUid).toBe("uid-catch-all");
    expect(dumpLevels(fairness.levels())).toMatch(/^jobs, +1, +false, +true, +1, +2,$/m);
    for (const ticket of tickets) ticket.end();
    expect(dumpLevels(fairness.levels())).not.toContain("jobs");
  });
});

test("metrics count what happened to requests, and sample how many there are", () => {
  const { fairness, clock, metrics } = two();
  const tickets = [1, 2, 3, 4, 5].map(() => fairness.admit(request("jane", { verb: "create" })));
  const flow = 'flow_schema="jobs",priority_level="jobs"';
  const now = metrics();
  for (const line of [
    `apiserver_flowcontrol_dispatched_requests_total{${flow}} 2`,
    `apiserver_flowcontrol_rejected_requests_total{${flow},reason="queue-full"} 1`,
    `apiserver_flowcontrol_current_inqueue_requests{${flow}} 2`,
    `apiserver_flowcontrol_current_executing_requests{${flow}} 2`,
    'apiserver_flowcontrol_request_concurrency_limit{priority_level="jobs"} 2',
    'apiserver_flowcontrol_request_concurrency_limit{priority_level="catch-all"} 10',
    'apiserver_current_inqueue_requests{request_kind="mutating"} 2',
    'apiserver_current_inqueue_requests{request_kind="readOnly"} 0',
  ]) {
    expect(now).toContain(`${line}\n`);
  }
  clock.advance(10);
  tickets[0]!.end();
  clock.advance(waitMsMax);
  for (const ticket of tickets) ticket.end();
  const later = metrics();
  for (const line of [
    `apiserver_flowcontrol_dispatched_requests_total{${flow}} 3`,
    `apiserver_flowcontrol_rejected_requests_total{${flow},reason="time-out"} 1`,
    `apiserver_flowcontrol_current_inqueue_requests{${flow}} 0`,
    `apiserver_flowcontrol_current_executing_requests{${flow}} 0`,
    `apiserver_flowcontrol_request_execution_seconds_count{${flow}} 3`,
    `apiserver_flowcontrol_request_wait_duration_seconds_count{execute="true",${flow}} 3`,
    `apiserver_flowcontrol_request_wait_duration_seconds_count{execute="false",${flow}} 2`,
    'apiserver_flowcontrol_priority_level_request_count_samples_count{phase="waiting",priority_level="jobs"} 15010',
    'apiserver_flowcontrol_read_vs_write_request_count_samples_sum{phase="executing",request_kind="mutating"} 30020',
    'apiserver_flowcontrol_priority_level_request_count_watermarks_count{mark="high",phase="executing",priority_level="jobs"} 15010',
  ]) {
    expect(later).toContain(`${line}\n`);
  }
});

describe("dumps", () => {
  test("show levels, with a row without values for the exempt one", () => {
    const { fairness } = two();
    for (let count = 0; count < 4; count++) fairness.admit(request("jane"));
    expect(dumpLevels(fairness.levels())).toBe(
      [
        "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests,",
        "catch-all,         0,            true,   false,       0,               0,",
        "exempt,            <none>,       <none>, <none>,      <none>,          <none>,",
        "jobs,              1,            false,  false,       2,               2,",
        "",
      ].join("\n"),
    );
  });
  test("show queues, including empty ones, up to a limit", () => {
    const { fairness } = open(
      100,
      { jobs: level(5, { queues: 5_000, handSize: 1, queueLengthLimit: 2 }) },
      { jobs: schema("jobs", "jane") },
    );
    fairness.admit(request("jane"));
    const lines = dumpQueues(fairness.levels()).trimEnd().split("\n");
    expect(lines[0]).toBe("PriorityLevelName, Index,  PendingRequests, ExecutingRequests, VirtualStart,");
    expect(lines.filter((line) => line.startsWith("jobs,")).length).toBe(dumpedQueuesMax);
    expect(lines[2]).toBe("jobs,              0,      0,               0,                 0.0000,");
  });
  test("show the waiting requests, on demand with their details", () => {
    const { fairness, clock } = two();
    for (let count = 0; count < 3; count++) fairness.admit(request("jane"));
    const lines = (details: boolean) => dumpRequests(fairness.levels(), clock, details).trimEnd().split("\n");
    expect(lines(false)[2]?.split(/, */)).toEqual(["jobs", "jobs", "0", "0", "", "2021-06-01T00:00:00.000Z", ""]);
    expect(lines(true)[0]).toMatch(/UserName, +Verb, +APIPath, .*SubResource,$/);
    expect(lines(true)[1]).toMatch(/^exempt, +(?:<none>, *){5}$/);
    expect(lines(true)[2]).toMatch(/jane, +get, +\/api\/v1\/namespaces\/a\/pods\/p, +a, +p, +v1, +pods, +,$/);
  });
  test("keep a name with line breaks in its line", () => {
    const { fairness, clock } = two();
    for (let count = 0; count < 3; count++) fairness.admit(request("jane", { name: "a\nfake,\r row" }));
    expect(dumpRequests(fairness.levels(), clock, true).trimEnd().split("\n").length).toBe(3);
  });
});

test("metrics stay right when a schema changes while its requests are executing, and when they are read twice", () => {
  const { fairness, change, metrics } = two();
  const flow = 'flow_schema="jobs",priority_level="jobs"';
  const counts = () => {
    const value = (name: string) =>
      Number(metrics().split(`apiserver_flowcontrol_${name}{${flow}} `)[1]?.split("\n")[0]);
    return [value("dispatched_requests_total"), value("current_executing_requests")];
  };
  const first = fairness.admit(request("jane"));
  expect(counts()).toEqual([1, 1]);
  change({ schemas: { jobs: schema("jobs", "jane") } });
  const second = fairness.admit(request("jane"));
  expect(counts()).toEqual([2, 2]);
  first.end();
  second.end();
  expect([counts(), counts()]).toEqual([
    [2, 0],
    [2, 0],
  ]);
});
