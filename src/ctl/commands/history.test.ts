/** The past on the command line: `history`, `undo`, `restore` and `undelete`. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl", { history: "1h" });
});
afterAll(() => session[Symbol.asyncDispose]());

/** The numbers of the changes of an object, newest first. */
async function numbers(what: string): Promise<string[]> {
  const lines = (await session.ok(`history ${what}`)).trimEnd().split("\n").slice(1);
  return lines.map((line) => line.split(/\s+/)[0]!);
}
const data = async (name: string) =>
  JSON.parse(await session.ok(`get configmap ${name} -o jsonpath={.data}`)) as object;

describe("history", () => {
  test("shows who changed which fields, newest first, of an object, a type and a namespace", async () => {
    await session.ok("create configmap prices --from-literal=apple=1");
    await session.ok(["patch", "configmap", "prices", "--type=merge", "-p", '{"data":{"apple":"2","pear":"5"}}']);
    const out = await session.ok("history configmap/prices --values");
    expect(out).toMatch(
      /^CHANGE\s+AGE\s+OBJECT\s+WHAT\s+BY\s+CAUSE\s+FIELDS\n\d+\s+\S+\s+configmaps\/prices\s+update\s+\S+\s+data\.apple data\.pear\n/,
    );
    expect(out).toContain('    data.apple: "1" -> "2"\n    data.pear: - -> "5"\n');
    expect(await session.ok("history configmaps --since=1h")).toContain("configmaps/prices");
    expect(await session.ok("history --limit=1")).toMatch(/^CHANGE.*\n\d+.*\n$/);
    expect((await session.run("history configmap/prices --by=nobody")).out).not.toContain("prices");
  });

  test("folds what only reported a status, and prints it with --status", async () => {
    const pod = { metadata: { name: "busy" }, spec: { containers: [{ name: "c", image: "web:1" }] } };
    const pods = "/api/v1/namespaces/default/pods";
    const send = (method: string, path: string, body: object) =>
      session.server.fetch(path, {
        method,
        headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
        body: JSON.stringify(body),
      });
    expect((await send("POST", pods, pod)).status).toBe(201);
    for (const message of ["one", "two", "three"])
      expect((await send("PATCH", `${pods}/busy/status`, { status: { message } })).status).toBe(200);
    await session.ok("label pod busy checked=yes");
    await send("PATCH", `${pods}/busy/status`, { status: { message: "four" } });
    const folded = (await session.ok("history pod/busy")).split("\n").slice(1, -1);
    expect(folded.map((line) => line.replace(/^\d+ .*pods\/busy\s+(\S+).*/, "$1"))).toEqual([
      "  …  1 status update by admin",
      "update",
      "  …  3 status updates by admin",
      "create",
    ]);
    expect((await session.ok("history pod/busy --limit=1")).split("\n").slice(1)).toHaveLength(3);
    const all = (await session.ok("history pod/busy --status")).split("\n").slice(1, -1);
    expect(all.map((line) => line.replace(/^\d+ .*pods\/busy\s+(\S+( \(\S+\))?).*/, "$1"))).toEqual([
      "update (status)",
      "update",
      "update (status)",
      "update (status)",
      "update (status)",
      "create",
    ]);
    expect((await session.ok("history pod/busy --status --limit=2")).split("\n").slice(1)).toHaveLength(3);
  });

  test("--watch prints what was, oldest first, and then what is written", async () => {
    await session.ok("create configmap followed --from-literal=a=1");
    await session.ok(["patch", "configmap", "followed", "--type=merge", "-p", '{"data":{"a":"2"}}']);
    let has = "";
    const following = session.run("history configmap/followed -w --values", {
      stopAt: '"2" -> "3"',
      onOut: (text) => {
        has = text;
      },
    });
    await expect.poll(() => has).toContain('data.a: "1" -> "2"');
    await session.ok("create configmap not-followed");
    await session.ok(["patch", "configmap", "followed", "--type=merge", "-p", '{"data":{"a":"3"}}']);
    const { out } = await following;
    expect(out.match(/^CHANGE/gm)).toHaveLength(1);
    expect([...out.matchAll(/(create|update) /g)].map(([, what]) => what)).toEqual(["create", "update", "update"]);
    expect(out).not.toContain("not-followed");
    const { code, err } = await session.run("history configmap/followed configmap/prices -w");
    expect([code, err]).toEqual([1, expect.stringContaining("--watch follows one object")]);
  });

  test("refuses what is no time, and says that a server keeps no history", async () => {
    expect((await session.run("history --since=soon")).err).toContain("--since must be a time like");
    await using plain = await openSession("ctl");
    expect((await plain.run("history")).err).toBe("error: the server keeps no history; it does with --history=24h\n");
  });
});

test("blame says who set each value last, and what was there before", async () => {
  await session.ok("create configmap blamed --from-literal=apple=1 --from-literal=pear=1");
  await session.ok(["patch", "configmap", "blamed", "--type=merge", "-p", '{"data":{"apple":"2"}}']);
  const [change] = await numbers("configmap/blamed");
  const out = await session.ok("blame configmap/blamed --with-history");
  expect(out).toMatch(new RegExp(`apple: "2"  # was "1"; admin, \\d+s ago, change ${change}\\n`));
  expect(out).toMatch(/pear: "1"\n/);
  expect(await session.ok("blame configmap/blamed")).not.toContain("#");
});

describe("undo", () => {
  test("takes a change back, and leaves what others have changed since", async () => {
    await session.ok("create configmap fruit --from-literal=apple=1 --from-literal=pear=1");
    await session.ok(["patch", "configmap", "fruit", "--type=merge", "-p", '{"data":{"apple":"2"}}']);
    const [change] = await numbers("configmap/fruit");
    await session.ok(["patch", "configmap", "fruit", "--type=merge", "-p", '{"data":{"pear":"9"}}']);
    expect(await session.ok(`undo ${change} --dry-run=server`)).toBe("configmap/fruit undone (server dry run)\n");
    expect(await data("fruit")).toEqual({ apple: "2", pear: "9" });
    expect(await session.ok(`undo ${change}`)).toBe("configmap/fruit undone\n");
    expect(await data("fruit")).toEqual({ apple: "1", pear: "9" });
  });

  test("writes nothing, and names the fields, if they were changed again", async () => {
    await session.ok("create configmap busy --from-literal=apple=1");
    await session.ok(["patch", "configmap", "busy", "--type=merge", "-p", '{"data":{"apple":"2"}}']);
    const [change] = await numbers("configmap/busy");
    await session.ok(["patch", "configmap", "busy", "--type=merge", "-p", '{"data":{"apple":"3"}}']);
    const { code, err } = await session.run(`undo ${change}`);
    expect([code, err]).toEqual([1, expect.stringContaining("data.apple of configmaps/busy changed again since")]);
    expect(await data("busy")).toEqual({ apple: "3" });
  });

  test("of a create deletes the object, and of a delete creates it", async () => {
    await session.ok("create configmap brief --from-literal=a=1");
    const [created] = await numbers("configmap/brief");
    expect(await session.ok(`undo ${created}`)).toBe("configmap/brief deleted\n");
    const [deleted] = await numbers("configmap/brief");
    expect(await session.ok(`undo ${deleted}`)).toBe("configmap/brief created\n");
    expect(await data("brief")).toEqual({ a: "1" });
    expect((await session.run(`undo ${deleted}`)).err).toContain("there is one again");
  });

  test("of all changes of any sequence gives the object as it was before them, also across deletes", async () => {
    let run = 0;
    const patch = (body: object) => ["patch", "--type=merge", "-p", JSON.stringify(body)];
    const step = fc.constantFrom(
      patch({ data: { apple: "2" } }),
      patch({ data: { apple: null, pear: "3" } }),
      patch({ metadata: { labels: { era: "new" } } }),
      patch({ metadata: { labels: null }, data: null }),
      ["delete"],
    );
    const written = async (name: string) => {
      const { metadata, data } = JSON.parse(await session.ok(`get configmap ${name} -o json`)) as {
        metadata: { labels?: object };
        data?: object;
      };
      return { labels: metadata.labels ?? {}, data: data ?? {} };
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const name = `sequence-${++run}`;
        await session.ok(`create configmap ${name} --from-literal=apple=1`);
        const before = await written(name);
        const { length } = await numbers(`configmap/${name}`);
        for (const [verb = "", ...rest] of steps) {
          await session.ok([verb, "configmap", name, ...rest]);
          if (verb === "delete") await session.ok(`create configmap ${name} --from-literal=plum=1`);
        }
        const all = await numbers(`configmap/${name}`);
        const since = all.slice(0, all.length - length);
        // In any order: the newest is taken back first.
        if (since.length > 0) await session.ok(["undo", ...since.toReversed()]);
        expect(await written(name)).toEqual(before);
      }),
      { numRuns: 5 },
    );
  });

  test("refuses what is no change", async () => {
    expect((await session.run("undo soon")).err).toContain("the numbers of changes");
    expect((await session.run("undo 999999")).err).toContain("there is no change 999999");
  });
});

describe("get --at and diff --from", () => {
  const literal = (name: string, value: string) =>
    session.ok(["patch", "configmap", name, "--type=merge", "-p", JSON.stringify({ data: { v: value } })]);
  const names = async (flags: string) => (await session.ok(`get configmaps -l era ${flags}`)).trim().split(/\s+/);
  let then = "";
  let version = "";
  beforeAll(async () => {
    for (const name of ["first", "second"]) {
      await session.ok(`create configmap ${name} --from-literal=v=old`);
      await session.ok(`label configmap ${name} era=past`);
    }
    version = await session.ok("get configmap second -o jsonpath={.metadata.resourceVersion}");
    then = new Date(session.server.clock.now()).toISOString();
    await vi.waitUntil(() => session.server.clock.now() > Date.parse(then));
    await literal("first", "new");
    await session.ok("delete configmap second");
    await session.ok("create configmap third");
    await session.ok("label configmap third era=now");
  });

  test("get shows objects and lists as they were, as tables, in every format and in chunks", async () => {
    const old = ["configmap/first", "configmap/second"];
    expect((await session.run("get configmaps --at=+5m")).err).toContain("--at must be a time like"); // it is to come
    for (const at of [then, version]) {
      expect(await names(`-o name --at=${at}`)).toEqual(old);
      expect(await names(`-o name --chunk-size=1 --at=${at}`)).toEqual(old);
      expect(await names(`--no-headers -o custom-columns=N:.metadata.name,V:.data.v --at=${at}`)).toEqual([
        "first",
        "old",
        "second",
        "old",
      ]);
      expect(await session.ok(`get configmaps -l era --chunk-size=1 --at=${at}`)).toMatch(
        /^NAME.*\nfirst .*\nsecond .*\n$/,
      );
      expect(await session.ok(`get configmaps -l era --count --at=${at}`)).toBe("2\n");
      expect(await session.ok(`get configmap/second --at=${at}`)).toMatch(/^NAME.*\nsecond .*\n$/);
      expect(await session.ok(`get configmap first -o jsonpath={.data.v} --at=${at}`)).toBe("old");
    }
    expect(await names("-o name --at=-0s")).toEqual(["configmap/first", "configmap/third"]);
    const before = await session.run(`get configmap third --at=${then}`);
    expect(before).toMatchObject({ code: 1, err: 'Error from server (NotFound): configmaps "third" not found\n' });
  });

  test("diff --from shows what has become of an object", async () => {
    const changed = await session.run(`diff configmap/first --from=${then}`);
    expect([changed.code, changed.out]).toEqual([1, expect.stringContaining("-  v: old\n+  v: new\n")]);
    expect(changed.out).toMatch(/^diff -u -N THEN\/v1\.ConfigMap\.default\.first NOW\/v1\.ConfigMap\.default\.first\n/);
    expect((await session.run(`diff configmap/second --from=${version}`)).out).toContain("-  v: old\n");
    expect((await session.run(`diff configmap/third --from=${then}`)).out).toContain("+  name: third\n");
    expect(await session.run("diff configmap/third --from=0s")).toMatchObject({ code: 0, out: "" });
    expect(await session.run(`diff configmap/never --from=${then}`)).toMatchObject({ code: 2 });
  });

  test("never show the present as if it were the past", async () => {
    for (const flags of ["--at=soon", "--at=", "--at=5m -w", "--at=5m --subresource=status"])
      expect((await session.run(`get configmap first ${flags}`)).err).toContain("--at");
    expect((await session.run("get configmaps --at=-2h")).err).toContain("no longer kept");
    expect((await session.run("get leases --at=1s")).err).toContain("the history does not keep leases");
    await using plain = await openSession("ctl");
    await plain.ok("create configmap here");
    for (const command of ["get configmaps --at=1s", "get configmap here --at=1", "diff configmap/here --from=1"])
      expect(await plain.run(command)).toMatchObject({ out: "", err: expect.stringContaining("keeps no history") });
  });
});

describe("restore and undelete", () => {
  test("restore writes labels and data as they were, with what the object has become else", async () => {
    await session.ok("create configmap old --from-literal=a=1");
    const then = new Date(session.server.clock.now()).toISOString();
    await expect.poll(() => session.server.clock.now()).toBeGreaterThan(Date.parse(then));
    await session.ok([
      "patch",
      "configmap",
      "old",
      "--type=merge",
      "-p",
      '{"data":{"a":"2"},"metadata":{"labels":{"x":"y"}}}',
    ]);
    const uid = await session.ok("get configmap old -o jsonpath={.metadata.uid}");
    expect(await session.ok(`restore configmap/old --at=${then}`)).toBe("configmap/old restored\n");
    expect(await data("old")).toEqual({ a: "1" });
    expect(await session.ok("get configmap old -o jsonpath={.metadata.labels}{.metadata.uid}")).toBe(uid);
    expect((await session.run("restore configmap/old --at=30m")).err).not.toBe("");
    expect((await session.run("restore configmap/old")).err).toContain("restore needs --at");
  });

  test("restore --field writes that field as it was, and nothing else", async () => {
    await session.ok("create configmap fielded --from-literal=a=1 --from-literal=b=1");
    const then = new Date(session.server.clock.now()).toISOString();
    await expect.poll(() => session.server.clock.now()).toBeGreaterThan(Date.parse(then));
    await session.ok(["patch", "configmap", "fielded", "--type=merge", "-p", '{"data":{"a":"2","b":"2","c":"2"}}']);
    const restore = (field: string) => session.run(`restore configmap/fielded --at=${then} --field=${field}`);
    expect((await restore("data.a")).out).toBe("configmap/fielded restored\n");
    expect(await data("fielded")).toEqual({ a: "1", b: "2", c: "2" });
    await session.ok(`restore configmap/fielded --at=${then} --field=data.b --field=data.c`);
    expect(await data("fielded")).toEqual({ a: "1", b: "1" });
    expect((await restore("data.d")).err).toContain("--field=data.d is not in the object");
    expect((await restore("metadata.uid")).err).toContain("only labels, annotations and fields");
  });

  test("undelete creates the object again as it was last, with a new uid", async () => {
    await session.ok("create secret generic gone --from-literal=password=s3cret");
    const uid = await session.ok("get secret gone -o jsonpath={.metadata.uid}");
    await session.ok("delete secret gone");
    expect(await session.ok("undelete secret/gone")).toBe("secret/gone created\n");
    expect(await session.ok("get secret gone -o jsonpath={.data.password}")).toBe("czNjcmV0");
    expect(await session.ok("get secret gone -o jsonpath={.metadata.uid}")).not.toBe(uid);
    expect((await session.run("undelete secret/gone")).err).toContain("secrets/gone is there");
    expect((await session.run("undelete secret/never")).err).toContain("no delete of secrets/never is kept");
  });
});
