/** `get --watch` where its output is not a terminal: a line for each event, with all of its cells. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

const servers = [
  { program: "ctl", vocabulary: "orch", emulatedVersion: "1.21" },
  { program: "ctl", vocabulary: "kubernetes", emulatedVersion: "1.35" },
  { program: "kubectl", vocabulary: "kubernetes", emulatedVersion: "1.21" },
  { program: "kubectl", vocabulary: "kubernetes", emulatedVersion: "1.35" },
] as const;

describe.each(servers)("$program at a server of $emulatedVersion that speaks $vocabulary", (server) => {
  const { program, vocabulary, emulatedVersion } = server;
  const isOwn = program === "ctl";
  let session: Session;
  beforeAll(async () => {
    session = await openSession(program, { vocabulary, emulatedVersion });
    await session.ok("create configmap first --from-literal=a=1");
  });
  afterAll(() => session[Symbol.asyncDispose]());

  /** What the watch prints about changes that are made once it has printed something. */
  async function watched(line: string): Promise<string[]> {
    const watch = startWatch(session, `get configmaps ${line}`);
    let probes = 0;
    await expect
      .poll(async () => {
        if (line.includes("watch-only")) await session.ok(`create configmap probe-${++probes}`);
        return watch.text();
      })
      .not.toBe("");
    for (const name of ["one", "two"]) await session.ok(`create configmap ${name} --from-literal=a=1`);
    await session.ok(["patch", "configmap", "one", "-p", '{"data":{"b":"2"}}']);
    await session.ok("delete configmap one two");
    await session.ok("create configmap end-of-watch");
    await expect.poll(watch.text).toMatch(/end-of-watch|( *\S+ +(ADDED|DELETED)\n){4}/);
    const out = await watch.end();
    await session.ok("delete configmap --all");
    await session.ok("create configmap first --from-literal=a=1");
    return out
      .split("\n")
      .slice(1, -1)
      .filter((row) => !/probe|first|-root-ca|extension-|-tracking/.test(row))
      .map((row) => row.replace(/^\S+Z(?= |,)/, "TIME").replaceAll(/\d+s$/g, "AGE"));
  }

  const changes = [
    ["ADDED", "one", "1"],
    ["ADDED", "two", "1"],
    ["MODIFIED", "one", "2"],
    ["DELETED", "one", "2"],
    ["DELETED", "two", "1"],
    ["ADDED", "end-of-watch", "0"],
  ];

  const forms = [
    { line: "-w", cells: (name: string, data: string) => [name, data, "AGE"] },
    { line: "-w --watch-only", cells: (name: string, data: string) => [name, data, "AGE"] },
    { line: "-w -o wide", cells: (name: string, data: string) => [name, data, "AGE"] },
    { line: "-w -A", cells: (name: string, data: string) => ["default", name, data, "AGE"] },
    { line: "-w --show-labels", cells: (name: string, data: string) => [name, data, "AGE", "<none>"] },
    { line: "-w --show-kind", cells: (name: string, data: string) => [`configmap/${name}`, data, "AGE"] },
  ];
  for (const { line, cells } of forms)
    test(`${line} shows every cell of every event`, async () => {
      const rows = (await watched(line)).map((row) => row.replace(/\d+s(?= )/, "AGE").split(/ +/));
      expect(rows).toEqual(
        changes.map(([type = "", name = "", data = ""]) => [...(isOwn ? ["TIME", type] : []), ...cells(name, data)]),
      );
    });

  test.runIf(isOwn)("-o csv has the values of every event", async () => {
    expect(await watched("-w -o csv")).toEqual(changes.map((values) => ["TIME", ...values, "AGE"].join(",")));
  });

  test("one object by its name is shown with its cells at each change", async () => {
    const watch = startWatch(session, "get configmap first -w");
    await expect.poll(watch.text).toContain("first");
    await session.ok(["patch", "configmap", "first", "-p", '{"data":{"b":"2"}}']);
    await session.ok(["patch", "configmap", "first", "-p", '{"data":{"c":"3"}}']);
    await expect.poll(watch.text).toMatch(/(.*\n){4}/);
    expect((await watch.end()).match(/first +\d/g)?.map((row) => row.at(-1))).toEqual(["1", "2", "3"]);
  });
});

test("columns stay where they are when a longer type of event comes", async () => {
  await using session = await openSession("ctl");
  await session.ok("create configmap first");
  const watch = startWatch(session, "get configmaps -w");
  await expect.poll(watch.text).toContain("first");
  await session.ok("label configmap first a=b");
  await expect.poll(watch.text).toContain("MODIFIED");
  const rows = (await watch.end()).split("\n").filter((row) => row.includes("first"));
  expect(new Set(rows.map((row) => row.indexOf("first"))).size).toBe(1);
});

function startWatch(session: Session, line: string) {
  const stop = new AbortController();
  let shown = "";
  const onOut = (text: string) => {
    shown = text;
  };
  const running = session.run(line, { onOut, signal: stop.signal });
  return {
    text: () => shown,
    /** Interrupts the command; resolves with everything that it has printed. */
    async end(): Promise<string> {
      stop.abort();
      return (await running).out;
    },
  };
}
