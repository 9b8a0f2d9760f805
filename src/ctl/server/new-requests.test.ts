import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type RunOptions, type Session } from "../session.suite.ts";

const manifest = (extra = "") => `apiVersion: v1
kind: ConfigMap
metadata: { name: prices, namespace: default }
data: { apple: "1" }
${extra}`;

/** The requests of one command, without the versions in them, and their first accepted representation. */
async function requestsOf(
  session: Session,
  line: string,
  options: RunOptions = {},
  onRequest: (path: string) => unknown = () => {},
) {
  const log: string[] = [];
  const fetch: RunOptions["fetch"] = async (path, init) => {
    const headers = (init?.headers ?? {}) as Record<string, string>; // the client sends a plain object
    const isAggregated = headers["accept"]?.includes("APIGroupDiscoveryList") === true;
    log.push(
      `${init?.method ?? "GET"} ${path.replaceAll(/resourceVersion=\d+/g, "resourceVersion=N")}${isAggregated ? " aggregated" : ""}`,
    );
    await onRequest(path);
    return (options.fetch ?? session.server.fetch)(path, init);
  };
  const outcome = await session.run(line, { ...options, fetch });
  return { log, outcome };
}

/** In process the flag --as has no effect: the test's server knows its caller. */
const asJane = ({ server }: Session): RunOptions => ({
  fetch: (path, init) => server.fetch(path, { ...init, headers: { ...init?.headers, "impersonate-user": "jane" } }),
});

const isDiscovery = (line: string) => /^GET \/apis?(\/|$| )/.test(line) && !/namespaces|configmaps/.test(line);

describe("ctl at a server of 1.35", () => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("ctl", { emulatedVersion: "1.35" });
  });
  afterAll(() => session[Symbol.asyncDispose]());

  test("finds out what is served with two requests", async () => {
    const { log } = await requestsOf(session, "api-resources");
    expect(log.filter(isDiscovery)).toEqual(["GET /api aggregated", "GET /apis aggregated"]);
  });

  test("the aggregated documents say the same as the others", async () => {
    const wide = "api-resources -o wide --sort-by=name";
    // Under that name verbs are in brackets, and categories are not told.
    const plain = rowsOf(await session.ok(`${wide} --vocabulary=kubernetes`));
    expect(plain.length).toBeGreaterThan(50);
    expect(rowsOf(await session.ok(wide))).toEqual(plain);
  });

  test("lets the server refuse unknown fields, and reads no schemas", async () => {
    const file = session.file("good.yaml", manifest());
    expect((await requestsOf(session, `apply -f ${file}`)).log).toEqual([
      "GET /api aggregated",
      "GET /apis aggregated",
      "GET /api/v1/namespaces/default/configmaps?limit=1",
      "PATCH /api/v1/namespaces/default/configmaps/prices?fieldManager=ctl&fieldValidation=Strict",
    ]);
    const bad = session.file("bad.yaml", manifest("dta: { pear: '2' }"));
    for (const line of [`apply -f ${bad}`, `create -f ${bad}`, `replace -f ${bad}`]) {
      const { log, outcome } = await requestsOf(session, line);
      expect(outcome.err).toContain('unknown field "dta"');
      expect(outcome.code).toBe(1);
      expect(log.findLast((request) => !request.startsWith("GET"))).toContain("fieldValidation=Strict");
      // A server that merges names one field only, so its schemas are read after the refusal, to name all of them.
      if (!line.startsWith("apply")) expect(log.join("\n")).not.toContain("openapi");
    }
  });

  test("--validate chooses what the server does about unknown fields", async () => {
    const bad = session.file("warned.yaml", manifest("dta: { pear: '2' }").replace("prices", "fruit"));
    const warned = await requestsOf(session, `create -f ${bad} --validate=warn`);
    expect(warned.log.at(-1)).toContain("fieldValidation=Warn");
    expect(warned.outcome).toMatchObject({ code: 0, err: expect.stringContaining('unknown field "dta"') });
    const ignored = await requestsOf(session, `replace -f ${bad} --validate=false`);
    expect(ignored.log.at(-1)).toContain("fieldValidation=Ignore");
    expect(ignored.outcome).toMatchObject({ code: 0, err: "" });
    const wrong = await session.run(`apply -f ${bad} --validate=sometimes`);
    expect(wrong.err).toContain('--validate must be strict (or true), warn, or ignore (or false), not "sometimes"');
  });

  test("a dry run on the client is checked there, because nothing is sent", async () => {
    const bad = session.file("dry.yaml", manifest("dta: { pear: '2' }"));
    const { log, outcome } = await requestsOf(session, `create -f ${bad} --dry-run=client`);
    expect(outcome.err).toContain('unknown field "dta"');
    expect(log.filter((line) => !line.startsWith("GET "))).toEqual([]);
  });

  test("get -w is one watch that begins with the state", async () => {
    const { log, outcome } = await requestsOf(session, "get configmaps -w", { stopAt: "prices" });
    expect(outcome.out).toMatch(/NAME +DATA +AGE\n(.*fruit.*\n)?.*prices +1 /);
    expect(log.filter((line) => line.includes("/configmaps"))).toEqual([
      "GET /api/v1/namespaces/default/configmaps?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true",
    ]);
  });

  test("wait is one watch, and ends as soon as the condition is met", async () => {
    const change = () => session.ok(["patch", "configmap", "prices", "-p", '{"data":{"apple":"2"}}']);
    const line = "wait configmap/prices --for=jsonpath={.data.apple}=2 --timeout=20s";
    const { log, outcome } = await requestsOf(session, line, {}, (path) => {
      if (path.includes("watch=true")) void change();
    });
    expect(outcome).toMatchObject({ code: 0, out: "configmap/prices condition met\n" });
    expect(log.filter((line) => line.includes("watch=true"))).toEqual([
      "GET /api/v1/namespaces/default/configmaps?allowWatchBookmarks=true&fieldSelector=metadata.name%3Dprices&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true",
    ]);
    expect(log.filter((line) => line.endsWith("/configmaps/prices"))).toHaveLength(1);
  });
});

describe.each(["1.21", "1.35"] as const)("under the name kubectl at a server of %s", (emulatedVersion) => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("kubectl", { emulatedVersion });
  });
  afterAll(() => session[Symbol.asyncDispose]());

  test("every request is one that kubectl of v1.21 sends", async () => {
    const file = session.file("good.yaml", manifest());
    const applied = await requestsOf(session, `apply -f ${file}`);
    expect(applied.outcome.out).toBe("configmap/prices created\n");
    expect(applied.log.slice(-2)).toEqual([
      "GET /api/v1/namespaces/default/configmaps/prices",
      "POST /api/v1/namespaces/default/configmaps?fieldManager=kubectl-client-side-apply",
    ]);
    const watched = await requestsOf(session, "get configmaps -w", { stopAt: "prices" });
    expect(watched.log.filter((line) => line.includes("/configmaps"))).toEqual([
      "GET /api/v1/namespaces/default/configmaps?limit=500",
      "GET /api/v1/namespaces/default/configmaps?resourceVersion=N&watch=true",
    ]);
    const change = () => session.ok(["patch", "configmap", "prices", "-p", '{"data":{"apple":"2"}}']);
    const wait = "wait configmap/prices --for=jsonpath={.data.apple}=2 --timeout=20s";
    const waited = await requestsOf(session, wait, {}, (path) => {
      if (path.includes("watch=true")) void change();
    });
    expect(waited.outcome.out).toBe("configmap/prices condition met\n");
    expect(waited.log.slice(-2)).toEqual([
      "GET /api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Dprices",
      "GET /api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Dprices&resourceVersion=N&watch=true",
    ]);
    for (const { log } of [applied, watched, waited])
      expect(log.join("\n")).not.toMatch(/aggregated|fieldValidation|sendInitialEvents/);
  });
});

describe("ctl at a server of 1.21", () => {
  test("asks for aggregated discovery once, and does without what the server does not have", async () => {
    await using session = await openSession("ctl");
    const bad = session.file("bad.yaml", manifest("dta: { pear: '2' }"));
    const refused = await requestsOf(session, `apply -f ${bad}`);
    expect(refused.outcome.err).toContain('unknown field "dta"');
    expect(refused.log).toContain("GET /openapi/v2");
    expect(refused.log.filter((line) => line.includes("aggregated"))).toEqual([
      "GET /api aggregated",
      "GET /apis aggregated",
    ]);
    await session.ok(`apply -f ${session.file("good.yaml", manifest())}`);
    const watched = await requestsOf(session, "get configmaps -w", { stopAt: "prices" });
    expect(watched.log.filter((line) => line.includes("/configmaps"))).toEqual([
      "GET /api/v1/namespaces/default/configmaps?limit=500",
      "GET /api/v1/namespaces/default/configmaps?allowWatchBookmarks=true&resourceVersion=N&watch=true",
    ]);
  });

  test("apply sends one request for each object, after one for each type, and tells what it changed", async () => {
    await using session = await openSession("ctl");
    const many = [1, 2, 3].map((at) => manifest().replace("prices", `prices-${at}`)).join("---\n");
    const file = session.file("many.yaml", many);
    const { log, outcome } = await requestsOf(session, `apply -f ${file}`);
    expect(outcome.out).toBe("configmap/prices-1 created\nconfigmap/prices-2 created\nconfigmap/prices-3 created\n");
    expect(log.filter((line) => line.includes("configmaps"))).toEqual([
      "GET /api/v1/namespaces/default/configmaps?limit=1",
      ...[1, 2, 3].map((at) => `PATCH /api/v1/namespaces/default/configmaps/prices-${at}?fieldManager=ctl`),
    ]);
    session.file(
      "many.yaml",
      many.replace(
        'prices-2, namespace: default }\ndata: { apple: "1" }',
        'prices-2, namespace: default }\ndata: { apple: "5" }',
      ),
    );
    expect(await session.ok(`apply -f ${file}`)).toBe(
      "configmap/prices-1 unchanged\nconfigmap/prices-2 configured\nconfigmap/prices-3 unchanged\n",
    );
  });

  test("apply reads the objects of a user who must not list them", async () => {
    await using session = await openSession("ctl", { authorization: "RBAC" });
    await session.ok("create role writer --verb=get,patch,create --resource=configmaps");
    await session.ok("create rolebinding writer --role=writer --user=jane");
    const file = session.file("good.yaml", manifest());
    expect((await session.run("get configmaps", asJane(session))).err).toContain('User "jane" cannot list');
    expect(await session.ok(`apply -f ${file}`, asJane(session))).toBe("configmap/prices created\n");
    expect(await session.ok(`apply -f ${file}`, asJane(session))).toBe("configmap/prices unchanged\n");
  });

  describe("wait, for what has changed since it was read", () => {
    const wait = "wait configmap/prices --for=jsonpath={.data.apple}=2 --timeout=20s";
    /** Changes the object before the list that a wait begins with. */
    const changing = (session: Session) => {
      let isChanged = false;
      return async (path: string) => {
        if (isChanged || !path.includes("fieldSelector=")) return;
        isChanged = true;
        await session.ok(["patch", "configmap", "prices", "-p", '{"data":{"apple":"2"}}']);
      };
    };

    test("names the type of what a list shows", async () => {
      await using session = await openSession("ctl");
      await session.ok(`apply -f ${session.file("good.yaml", manifest())}`);
      const { outcome } = await requestsOf(session, wait, {}, changing(session));
      expect(outcome.out).toBe("configmap/prices condition met\n");
    });

    test("works for a user who may only read the object", async () => {
      await using session = await openSession("ctl", { authorization: "RBAC" });
      await session.ok(`apply -f ${session.file("good.yaml", manifest())}`);
      await session.ok("create role reader --verb=get --resource=configmaps");
      await session.ok("create rolebinding reader --role=reader --user=jane");
      const { log, outcome } = await requestsOf(session, wait, asJane(session), changing(session));
      expect(outcome.out).toBe("configmap/prices condition met\n");
      expect(log.at(-1)).toBe("GET /api/v1/namespaces/default/configmaps/prices");
    });
  });
});

/** The cells of each row up to its verbs, which follow the kind. */
function rowsOf(table: string): string[][] {
  const lines = table.trim().split("\n").slice(1);
  return lines.map((line) => {
    const cells = line.replace(/\[(.*)\]/, (_, verbs: string) => verbs.replaceAll(" ", ",")).split(/\s+/);
    return cells.slice(0, cells.findLastIndex((cell) => /^[A-Z]/.test(cell)) + 2);
  });
}
