import { describe, expect, test } from "vitest";
import { parseHealth } from "../server/overview.ts";
import { type Column, columnsAfter, namespacesOf, type Row, withChanges } from "../server/tables.ts";
import { formatRoute, parseRoute, type Route } from "./route.ts";
import {
  ageOf,
  columnCharsMax,
  columnWidths,
  filterRows,
  sortRows,
  stateFilterOf,
  statesOf,
  withStateFilter,
} from "./rows.ts";
import { parseSample, ratesBetween } from "./samples.ts";
import { statedFields } from "./stated-fields.ts";
import { hidden, linesWith, withoutManagedFields, withoutSecrets } from "./yaml-text.ts";

describe("rows by state", () => {
  const columns = ["Name", "Status"].map((name) => ({ name, priority: 0, description: "" }));
  const rows = [
    ["a", "Running"],
    ["b", "CrashLoopBackOff"],
    ["c", "Running"],
    ["d", "whatever"],
  ].map(
    (cells): Row => ({
      key: `x/${cells[0]}`,
      uid: "",
      name: cells[0] ?? "",
      namespace: "x",
      cells,
      createdMs: 0,
      changedMs: 0,
      changedCells: [],
      owner: "",
    }),
  );

  test("are counted, and those that say nothing are in none", () => {
    expect([...statesOf(rows, columns)]).toEqual([
      ["healthy", 2],
      ["failing", 1],
    ]);
  });

  test("are chosen by a word of the filter, of which there is one", () => {
    expect(filterRows(rows, columns, "is:failing").map(({ name }) => name)).toEqual(["b"]);
    expect(filterRows(rows, columns, "!is:failing c").map(({ name }) => name)).toEqual(["c"]);
    expect(filterRows(rows, columns, "is:other")).toEqual([]);
    expect(withStateFilter("web is:failing", "healthy")).toBe("web is:healthy");
    expect(withStateFilter("web is:failing", undefined)).toBe("web");
    expect(stateFilterOf("web is:failing")).toBe("failing");
    expect(stateFilterOf("!is:failing")).toBe(undefined);
  });
});

describe("the fields that an object states", () => {
  test("are lines of paths and values, without metadata, status, bundles and data", () => {
    const object = {
      kind: "Webhooks",
      metadata: { name: "a" },
      webhooks: [{ name: "w", clientConfig: { caBundle: "AAAA", url: "https://x" }, operations: ["CREATE", "UPDATE"] }],
      spec: { type: "ClusterIP", none: null, empty: [] },
      data: { secret: "x" },
      status: { ready: true },
    };
    expect(statedFields(object, 10)).toEqual([
      { path: "webhooks[0].name", value: "w" },
      { path: "webhooks[0].clientConfig.url", value: "https://x" },
      { path: "webhooks[0].operations", value: "CREATE, UPDATE" },
      { path: "type", value: "ClusterIP" },
    ]);
    expect(statedFields(object, 2)).toHaveLength(2);
  });
});

describe("the address of a view", () => {
  const named = { group: "", version: "v1", resource: "configmaps" };
  test.each<Route>([
    { view: "overview" },
    { view: "access" },
    { view: "api" },
    { view: "testing" },
    { view: "server" },
    { view: "requests", user: "system:serviceaccount:a:b", verb: "patch", target: "pods", code: "4xx" },
    { view: "kind", group: "apps", version: "v1", resource: "deployments" },
    { view: "objects", ...named, namespace: "a/b", labels: "app in (x,y)", fields: "a=b", filter: "50% & more" },
    { view: "object", ...named, group: "apps", namespace: "", name: "system:node/é?#%", part: "" },
    { view: "object", ...named, resource: "pods", namespace: "shop", name: "web", part: "logs" },
    { view: "edit", ...named, namespace: "shop", name: "prices" },
    { view: "create", group: "", version: "", resource: "", namespace: "" },
    { view: "create", ...named, namespace: "shop" },
  ])("is read as it was written: $view", (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  test.each(["", "#", "#/"])("is the overview when there is none: %s", (hash) =>
    expect(parseRoute(hash)).toEqual({ view: "overview" }),
  );

  test.each(["#/objects", "#/object/core/v1/pods", "#/other/core/v1/pods/a/b", "#/objects/%ff/v1/x", "#/overviews"])(
    "is kept when it is not one of ours: %s",
    (hash) => {
      expect(parseRoute(hash)).toEqual({ view: "unknown", path: hash.slice(1) });
      expect(formatRoute(parseRoute(hash))).toBe(hash);
    },
  );
});

describe("rows", () => {
  const columns: Column[] = ["Name", "Ready", "Age"].map((name) => ({ name, description: "", priority: 0 }));
  const row = (name: string, ready: string, createdMs: number): Row => ({
    key: `default/${name}`,
    name,
    namespace: "default",
    createdMs,
    cells: [name, ready, "stale"],
    uid: "",
    owner: "",
    changedMs: 0,
    changedCells: [],
  });
  const rows = [row("web-10", "1/1", 3_000), row("web-9", "0/1", 1_000), row("db", "1/1", 2_000)];
  const names = (list: readonly Row[]) => list.map(({ name }) => name);

  test("have every word of the filter in some cell, in any case", () => {
    expect(names(filterRows(rows, columns, " WEB 1/1 "))).toEqual(["web-10"]);
    expect(filterRows(rows, columns, " ")).toBe(rows);
  });

  test.each([
    ["!web", ["db"], "a word that must not be there"],
    ["ready:0", ["web-9"], "in one column"],
    ["!ready:0 !db", ["web-10"], "not in one column"],
    ["namespace:fault", ["web-10", "web-9", "db"], "in the namespace"],
    ["other:0", [], "a colon after something else is part of the word"],
    ["!", [], "a mark alone is a word"],
  ])("are filtered by %s: %s (%s)", (filter, found) => {
    expect(names(filterRows(rows, columns, filter))).toEqual(found);
  });

  test("are sorted with numbers as numbers, and ages by the time of creation", () => {
    expect(names(sortRows(rows, columns, { column: 0, isDescending: false }))).toEqual(["db", "web-9", "web-10"]);
    expect(names(sortRows(rows, columns, { column: 2, isDescending: false }))).toEqual(["web-10", "db", "web-9"]);
    expect(names(sortRows(rows, columns, { column: 2, isDescending: true }))).toEqual(["web-9", "db", "web-10"]);
  });

  test.each([true, false])("keep their order when some are replaced (descending: %s)", (isDescending) => {
    const order = { column: 1, isDescending };
    let shown = Array.from({ length: 50 }, (_, at) => row(`r-${at}`, `${(at * 7) % 10}/1`, at));
    let before = { rows: sortRows(shown, columns, order), columns, order };
    for (let round = 0; round < 20; round++) {
      shown = shown
        .filter((_, at) => at !== round)
        .map((one, at) => (at % 9 === round % 9 ? row(one.name, `${round % 10}/1`, 1) : one));
      shown.push(row(`new-${round}`, `${round % 4}/1`, round));
      const after = sortRows(shown, columns, order, before);
      expect(names(after)).toEqual(names(sortRows(shown, columns, order)));
      before = { rows: after, columns, order };
    }
  });

  test("know which of their cells a change made others", () => {
    const before = row("db", "0/1", 0);
    expect(withChanges(row("db", "1/1", 0), before).changedCells).toEqual([1]);
    expect(withChanges(row("db", "1/1", 0), undefined).changedCells).toEqual([0, 1, 2]);
  });

  test("keep their columns, and with them their order, while the server names the same", () => {
    const table = (...names: string[]) => ({
      columnDefinitions: names.map((name) => ({ name, description: "what it is", priority: 0 })),
    });
    const before = columnsAfter(table("Name", "Ready"), []);
    expect(before.map(({ name }) => name)).toEqual(["Name", "Ready"]);
    expect(columnsAfter(table("Name", "Ready"), before)).toBe(before);
    expect(columnsAfter({}, before)).toBe(before);
    expect(columnsAfter(table("Name", "State"), before).map(({ name }) => name)).toEqual(["Name", "State"]);
  });

  test("of several namespaces are asked for once each", () => {
    expect(namespacesOf(" a, b,,a ")).toEqual(["a", "b"]);
    expect(namespacesOf("")).toEqual([]);
  });

  test("give columns their width, up to a limit", () => {
    expect(columnWidths(columns, [row("x".repeat(500), "1/1", 0)])).toEqual([columnCharsMax + 5, 9, 7]);
  });

  test.each([
    [0, "<unknown>"],
    [1_000, "119s"],
    [-1_000, "2m"],
  ])("have an age (%s)", (sinceMs, age) => expect(ageOf(sinceMs, 120_000)).toBe(age));
});

describe("the YAML of an object", () => {
  test("is searched line by line, in any case", () => {
    expect(linesWith("kind: Pod\nspec:\n  podName: x", "pod")).toEqual([0, 2]);
    expect(linesWith("kind: Pod", "")).toEqual([]);
  });

  const yaml = `apiVersion: v1
data:
  managedFields: |
    text
  password: aHVzaA==
  "odd: key": >-
    aHVz
    aA==
kind: Secret
metadata:
  annotations:
    x.org/last-applied-configuration: |
      {"data":{"password":"aHVzaA=="}}
    other: kept
  managedFields:
  - apiVersion: v1
    fieldsV1:
      f:data: {}
  name: hush
  resourceVersion: "12"
type: Opaque
`;

  test("is shown without managed fields, and keeps data of that name", () => {
    const shown = withoutManagedFields(yaml);
    expect(shown).not.toContain("fieldsV1");
    expect(shown).toContain("  managedFields: |\n    text\n");
    expect(shown).toContain('    other: kept\n  name: hush\n  resourceVersion: "12"\n');
  });

  test("hides every value of a secret, and what an earlier apply has left", () => {
    const shown = withoutSecrets(yaml);
    expect(shown).not.toMatch(/aHV|aA==|text/);
    expect(shown).toContain(`  password: ${hidden}\n  "odd: key": ${hidden}\nkind: Secret\n`);
    expect(shown).toContain("    other: kept\n");
    expect(withoutSecrets('data: {"a": "aHVzaA=="}\n')).not.toContain("aHV");
  });
});

describe("metrics", () => {
  const text = (requests: number, seconds: number) => `# TYPE apiserver_request_total counter
apiserver_request_total{code="200",verb="GET"} ${requests}
apiserver_request_total{code="500",verb="GET"} 2
apiserver_request_duration_seconds_count{verb="GET"} ${requests}
apiserver_request_duration_seconds_sum{verb="GET"} ${seconds}
apiserver_request_duration_seconds_sum{verb="WATCH"} 9999
apiserver_longrunning_gauge{verb="WATCH"} 3
process_resident_memory_bytes 1048576
orch_event_loop_delay_seconds_count ${requests}
orch_event_loop_delay_seconds_sum ${seconds / 10}
kvstore_db_total_size_in_bytes{endpoint="a"} 4096
kvstore_db_total_size_in_bytes{endpoint="b"} 5000
workqueue_depth{name="job"} 2
workqueue_depth{name="deployment"} 3
`;

  test("become rates between two samples, without the time that watches last", () => {
    const rates = ratesBetween(parseSample(text(10, 1), 0), parseSample(text(30, 2), 2_000));
    expect(rates).toEqual({
      requests: 10,
      errors: 0,
      latencyMs: 50,
      watches: 3,
      memoryBytes: 1_048_576,
      delayMs: 5,
      storeBytes: 5_000,
      queued: 5,
    });
  });

  test("of a server that was started again are not negative", () => {
    const rates = ratesBetween(parseSample(text(30, 2), 0), parseSample(text(10, 1), 1_000));
    expect(rates).toMatchObject({ requests: 0, latencyMs: 0 });
  });

  test("health checks are read line by line", () => {
    expect(parseHealth("[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n")).toEqual([
      { name: "ping", isOk: true },
      { name: "etcd", isOk: false },
    ]);
  });
});
