/** One tool with several names is never in conflict with itself, and conflicts with everyone else stay. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";
import { moveTriesMax } from "./other-names.ts";

const manifest = (data: Record<string, string>) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "prices" }, data });

interface Stored {
  readonly data?: Record<string, string>;
  readonly metadata: { readonly managedFields: readonly { readonly manager: string; readonly operation: string }[] };
}

/** Names and levels do not depend on each other: each has its turn. */
describe.each([
  { vocabulary: "orch", emulatedVersion: "1.21" },
  { vocabulary: "kubernetes", emulatedVersion: "1.35" },
] as const)("at a server of $emulatedVersion that speaks $vocabulary", (server) => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("ctl", server);
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const apply = (data: Record<string, string>, flags = "", program = "ctl") =>
    session.run(`apply -f - ${flags}`.trim(), { program, input: manifest(data) });
  const stored = async () =>
    JSON.parse(await session.ok("get configmap prices -o json --show-managed-fields")) as Stored;
  const owners = async () =>
    (await stored()).metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`).sort();
  const fresh = () => session.ok("delete configmap prices --ignore-not-found");

  test("an apply owns fields as ctl, whatever the vocabulary", async () => {
    await fresh();
    expect(await apply({ apple: "1" })).toMatchObject({ code: 0, out: "configmap/prices created\n" });
    expect(await owners()).toEqual(["ctl Apply"]);
    await session.ok("label configmap prices a=b");
    expect(await owners()).toEqual(["ctl Apply", "ctl-label Update"]);
  });

  const before = [
    { why: "by the name kubectl", flags: "--server-side", program: "kubectl" },
    { why: "merged in the client", flags: "--client-side", program: "ctl" },
    { why: "merged in the client by the name kubectl", flags: "", program: "kubectl" },
  ];
  for (const { why, flags, program } of before) {
    test(`what was applied ${why} is changed and removed without a conflict`, async () => {
      await fresh();
      expect(await apply({ apple: "1", pear: "1", plum: "1" }, flags, program)).toMatchObject({ code: 0 });
      const changed = { apple: "2", plum: "1" };
      expect(await apply(changed)).toMatchObject({ code: 0, out: "configmap/prices configured\n", err: "" });
      expect((await stored()).data).toEqual(changed);
      expect(await owners()).toEqual(["ctl Apply"]);
    });

    test(`what was applied ${why} is removed, even if no other value changes`, async () => {
      await fresh();
      await apply({ apple: "1", pear: "1" }, flags, program);
      expect(await apply({ apple: "1" })).toMatchObject({ code: 0, err: "" });
      expect((await stored()).data).toEqual({ apple: "1" });
      expect(await owners()).toEqual(["ctl Apply"]);
    });
  }

  test("a dry run shows no conflict either, and moves nothing", async () => {
    await fresh();
    await apply({ apple: "1" }, "--server-side", "kubectl");
    expect(await apply({ apple: "2" }, "--dry-run=server")).toMatchObject({ code: 0, err: "" });
    expect(await owners()).toEqual(["kubectl Apply"]);
  });

  test("under the name kubectl, what was applied as ctl is changed without a conflict", async () => {
    await fresh();
    await apply({ apple: "1", pear: "1" });
    expect(await apply({ apple: "2" }, "--server-side", "kubectl")).toMatchObject({ code: 0, err: "" });
    expect((await stored()).data).toEqual({ apple: "2" });
    expect(await owners()).toEqual(["kubectl Apply"]);
  });

  test("who writes the object all the time is tried against a few times, and then the conflict is said", async () => {
    await fresh();
    await apply({ apple: "1" }, "--server-side", "kubectl");
    let moves = 0;
    const outcome = await session.run("apply -f -", {
      input: manifest({ apple: "2" }),
      async fetch(path, init) {
        if (init?.method === "PATCH" && String(init.body).includes("managedFields")) {
          moves++;
          await session.ok(`annotate configmap prices --overwrite moved=${moves}`);
        }
        return session.server.fetch(path, init);
      },
    });
    expect(moves).toBe(moveTriesMax);
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining("the object has been modified") });
  });

  test("who applies other fields of the object by the name kubectl keeps them", async () => {
    await fresh();
    await apply({ pear: "1" }, "--server-side", "kubectl");
    expect(await apply({ apple: "1" })).toMatchObject({ code: 0, err: "" });
    expect((await stored()).data).toEqual({ apple: "1", pear: "1" });
    expect(await owners()).toEqual(["ctl Apply", "kubectl Apply"]);
  });

  test("a conflict with anyone else stays one, and so does one of a chosen name", async () => {
    await fresh();
    await apply({ apple: "1", pear: "1" }, "--field-manager=robot");
    const { code, err } = await apply({ apple: "2", pear: "1" });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("robot has set it to") });
    await fresh();
    await apply({ apple: "1" }, "--server-side", "kubectl");
    expect(await apply({ apple: "2" }, "--field-manager=robot")).toMatchObject({
      code: 1,
      err: expect.stringContaining("kubectl has set it to"),
    });
  });
});
