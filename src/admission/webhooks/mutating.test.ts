import { afterEach, describe, expect, test } from "vitest";
import { jsonPatchOperationsMax } from "../../machinery/patch/json-patch.ts";
import { createAdmission } from "../chain.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { createMutatingWebhooks } from "./mutating.ts";
import { configMap, entry, openHookWorld, patching, type Say, saying } from "./webhooks.suite.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

type World = ReturnType<Awaited<ReturnType<typeof openHookWorld>>["world"]>;

/** A test setup with the webhooks `names` in one configuration, and the given members of each. */
async function setUp(say: Say, webhooks: Readonly<Record<string, object>>, plugins: readonly AdmissionPlugin[] = []) {
  const hooks = await openHookWorld(saying(say));
  open.push(hooks);
  const world: World = hooks.world((server) => ({
    "mutating/c": Object.entries(webhooks).map(([name, more]) => entry(server, name, more)),
  }));
  const chain = createAdmission([...plugins, createMutatingWebhooks(world.context)]);
  const object = configMap();
  const request = world.request("configmaps", { object, namespace: "shop" });
  return {
    ...hooks,
    world,
    chain,
    object,
    request,
    called: () => hooks.server.calls.map(({ path }) => path.split("?")[0]),
  };
}

const add = (path: string, value: unknown) => patching({ op: "add", path, value });

describe("mutating webhooks", () => {
  test("run one after the other, and each sees the changes of the earlier ones", async () => {
    const seen: unknown[] = [];
    const { chain, request, object, called } = await setUp(
      (path, { object: shown }) => {
        seen.push(shown["data"]);
        return add(`/data/${path}`, "1");
      },
      { a: {}, b: {} },
    );
    await chain.mutate(request);
    expect(object["data"]).toEqual({ k: "v", a: "1", b: "1" });
    expect(seen).toEqual([{ k: "v" }, { k: "v", a: "1" }]);
    expect(called()).toEqual(["/a", "/b"]);
  });

  test("with reinvocationPolicy IfNeeded are called again after a later change, and the audit record shows it", async () => {
    const { chain, request, called, world } = await setUp((path) => (path === "b" ? add("/data/b", "1") : undefined), {
      a: { reinvocationPolicy: "IfNeeded" },
      b: {},
    });
    await chain.mutate(request);
    expect(called()).toEqual(["/a", "/b", "/a"]);
    const note = (webhook: string, mutated: boolean) => JSON.stringify({ configuration: "c", webhook, mutated });
    expect(Object.fromEntries(world.annotations)).toEqual({
      "mutation.webhook.admission.orch.io/round_0_index_0": note("a", false),
      "mutation.webhook.admission.orch.io/round_0_index_1": note("b", true),
      "patch.webhook.admission.orch.io/round_0_index_1": JSON.stringify({
        configuration: "c",
        webhook: "b",
        patch: [{ op: "add", path: "/data/b", value: "1" }],
        patchType: "JSONPatch",
      }),
      "mutation.webhook.admission.orch.io/round_1_index_0": note("a", false),
    });
  });

  test("let the server's own plugins run again when they changed the object", async () => {
    let runs = 0;
    const counting: AdmissionPlugin = {
      name: "Counting",
      handles: () => true,
      mutate() {
        runs += 1;
      },
    };
    const changing = await setUp(() => add("/data/x", "1"), { a: {} }, [counting]);
    await changing.chain.mutate(changing.request);
    expect(runs).toBe(2);
    const same = await setUp(() => add("/data/k", "v"), { a: {} }, [counting]);
    await same.chain.mutate(same.request);
    expect(runs).toBe(3);
  });

  test("that fail are ignored or refuse the request, by their failurePolicy", async () => {
    const answer: Say = (path) => (path === "a" ? { uid: "wrong" } : add("/data/b", "1"));
    const open = await setUp(answer, { a: { failurePolicy: "Ignore" }, b: {} });
    await open.chain.mutate(open.request);
    expect(open.object["data"]).toEqual({ k: "v", b: "1" });
    const closed = await setUp(answer, { a: {}, b: {} });
    await expect(closed.chain.mutate(closed.request)).rejects.toMatchObject({
      code: 500,
      reason: "InternalError",
      message: expect.stringMatching(/failed calling webhook "a": expected response.uid/),
    });
    expect(closed.called()).toEqual(["/a"]);
  });

  test("may annotate the audit record, and warn", async () => {
    const { chain, request, world } = await setUp(() => ({ auditAnnotations: { k: "v" }, warnings: ["careful"] }), {
      a: {},
    });
    await chain.mutate(request);
    expect(world.annotations.get("a/k")).toBe("v");
    expect(world.warnings).toEqual(["careful"]);
  });

  test("are not called on a dry run when they have side effects", async () => {
    const { chain, world, called } = await setUp(() => undefined, {
      a: { sideEffects: "Some", failurePolicy: "Ignore" },
    });
    const request = world.request("configmaps", { object: configMap(), namespace: "shop", dryRun: true });
    await expect(chain.mutate(request)).rejects.toMatchObject({
      code: 400,
      message: expect.stringMatching(
        /^admission webhook "a" does not support dry run .*MutatingWebhookConfiguration "c"/,
      ),
    });
    expect(called()).toEqual([]);
  });
});

describe("a patch", () => {
  const patched = async (answer: object, more: object = {}) => {
    const made = await setUp(() => answer, { a: more });
    await made.chain.mutate(made.request);
    return made.object;
  };

  test("with the names of prototypes sets ordinary keys", async () => {
    const object = await patched(
      patching(
        { op: "add", path: "/data/__proto__", value: "p" },
        { op: "add", path: "/data/constructor", value: "c" },
      ),
    );
    expect(JSON.stringify(object["data"])).toBe('{"__proto__":"p","constructor":"c","k":"v"}');
    expect(Object.getPrototypeOf(object["data"])).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["p"]).toBeUndefined();
    await expect(patched(add("/__proto__/polluted", "yes"))).rejects.toMatchObject({ code: 500 });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  const raw = (text: string) => ({ patchType: "JSONPatch", patch: Buffer.from(text).toString("base64") });
  const refused: [why: string, answer: object][] = [
    ["more operations than the limit", patching(...Array(jsonPatchOperationsMax + 1).fill({ op: "test", path: "/x" }))],
    ["a path that does not exist", patching({ op: "remove", path: "/data/none" })],
    ["an unknown operation", patching({ op: "frobnicate", path: "/data/k" })],
    ["null in place of an operation", raw("[null]")],
    ["a wrong type", add("/data", "text")],
    ["an unknown kind", patching({ op: "replace", path: "/kind", value: "Nothing" })],
    ["another kind", patching({ op: "replace", path: "/kind", value: "Namespace" })],
    [
      "copies that double the object endlessly",
      patching(...Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "/data", path: `/data/x${i}` }))),
    ],
  ];
  for (const [why, answer] of refused) {
    test(`that has ${why} refuses the request, even where failures are ignored`, () =>
      expect(patched(answer, { failurePolicy: "Ignore" })).rejects.toMatchObject({ code: 500 }));
  }

  const unreadable: [why: string, answer: object][] = [
    ["is an object instead of a list of operations", raw('{"op":"add"}')],
    ["is a text", raw('"[]"')],
    ["is a number", raw("0")],
    ["has a text in place of an operation", raw('["remove"]')],
    ["has a list in place of an operation", raw("[[]]")],
    ["is invalid JSON", raw("[")],
    ["is blank", raw(" ")],
    ["is two documents", raw("null null")],
    ["is nested endlessly", raw("[".repeat(100_000))],
    ["is not base64", { patchType: "JSONPatch", patch: "bnVsbA=" }],
  ];
  for (const [why, answer] of unreadable)
    test(`that ${why} is a failed call, for the failure policy`, async () => {
      expect((await patched(answer, { failurePolicy: "Ignore" }))["data"]).toEqual({ k: "v" });
      await expect(patched(answer)).rejects.toMatchObject({
        code: 500,
        message: expect.stringContaining('failed calling webhook "a": '),
      });
    });

  test("of null changes nothing, also where the object is being deleted", async () => {
    for (const text of ["null", " null\n"]) expect((await patched(raw(text)))["data"]).toEqual({ k: "v" });
    const { chain, world } = await setUp(() => raw("null"), { a: {} });
    const parts = { operation: "DELETE", old: configMap(), namespace: "shop", name: "a" } as const;
    await chain.mutate(world.request("configmaps", parts));
    expect([...world.annotations.keys()].filter((key) => key.startsWith("patch."))).toEqual([]);
  });

  test("of an unknown type is a failed call", async () => {
    const answer = { ...add("/data/x", "1"), patchType: "MergePatch" };
    expect((await patched(answer, { failurePolicy: "Ignore" }))["data"]).toEqual({ k: "v" });
    await expect(patched(answer)).rejects.toMatchObject({ code: 500 });
  });

  test("cannot change an object that is being deleted", async () => {
    const { chain, world } = await setUp(() => add("/data/x", "1"), { a: { failurePolicy: "Ignore" } });
    const request = world.request("configmaps", {
      operation: "DELETE",
      old: configMap(),
      namespace: "shop",
      name: "a",
    });
    await expect(chain.mutate(request)).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining("not supported for this operation"),
    });
  });

  test("without operations, or of a denial, changes nothing", async () => {
    expect((await patched(patching()))["data"]).toEqual({ k: "v" });
    await expect(patched({ ...add("/data/x", "1"), allowed: false })).rejects.toMatchObject({ code: 400 });
  });
});
