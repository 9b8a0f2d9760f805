import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { RequestOptions } from "../admission.suite.ts";
import { createAdmission } from "../chain.ts";
import { createValidatingWebhooks } from "./validating.ts";
import { rejectionCodeMax } from "./webhook-metrics.ts";
import { configMap, entry, openHookWorld, type Say, saying } from "./webhooks.suite.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function setUp(
  answer: Parameters<typeof openHookWorld>[0],
  webhooks: Readonly<Record<string, object>>,
  level: Parameters<typeof openHookWorld>[1] = "1.21",
) {
  const hooks = await openHookWorld(answer, level);
  open.push(hooks);
  const shop = { kind: "Namespace", apiVersion: "v1", metadata: { name: "shop", labels: { team: "red" } } };
  const world = hooks.world(
    (server) => ({ "validating/c": Object.entries(webhooks).map(([name, more]) => entry(server, name, more)) }),
    [{ resource: "namespaces", object: shop as ApiObject }],
  );
  const chain = createAdmission([createValidatingWebhooks(world.context)]);
  return {
    ...hooks,
    world,
    /** The webhooks that were called, sorted: they run at the same time. */
    async ask(resource = "configmaps", options: RequestOptions = { object: configMap(), namespace: "shop" }) {
      hooks.server.calls.length = 0;
      await chain.validate(world.request(resource, options));
      return hooks.server.calls.map(({ path }) => path.split("?")[0]?.slice(1)).sort();
    },
  };
}
const consent = saying(() => undefined);

describe("validating webhooks", () => {
  test("are called at the same time", async () => {
    const held: ServerResponse[] = [];
    const bodies: string[] = [];
    const { ask } = await setUp(
      (_request, response, body) => {
        held.push(response);
        bodies.push(body);
        // None of them is answered before all have been called.
        if (held.length < 3) return;
        for (const [index, waiting] of held.entries()) consent({ url: "/" } as never, waiting, bodies[index] ?? "");
      },
      { a: {}, b: {}, c: {} },
    );
    expect(await ask()).toEqual(["a", "b", "c"]);
  });

  test("see the managed fields of the old object, but not at level 1.21", async () => {
    const shown = async (level: "1.21" | "1.35") => {
      const seen: unknown[] = [];
      const { ask } = await setUp(
        saying((_path, { oldObject }) => void seen.push(oldObject?.metadata.managedFields)),
        { a: {} },
        level,
      );
      const old = configMap();
      old.metadata.managedFields = [{ manager: "m", operation: "Update" }];
      await ask("configmaps", { operation: "UPDATE", object: configMap(), old, namespace: "shop" });
      return seen;
    };
    expect(await shown("1.21")).toEqual([undefined]);
    expect(await shown("1.35")).toEqual([[{ manager: "m", operation: "Update" }]]);
  });

  test("are called where all of their conditions are true; a false one wins over one that fails", async () => {
    const conditions = (...expressions: string[]) => ({
      matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
    });
    const { ask } = await setUp(
      consent,
      {
        named: conditions("object.metadata.name == 'a'", "request.operation == 'CREATE'"),
        other: conditions("true", "object.metadata.name == 'b'"),
        failed: { ...conditions("object.data.missing == 'x'"), failurePolicy: "Ignore" },
        decided: conditions("object.data.missing == 'x'", "false"),
      },
      "1.35",
    );
    expect(await ask()).toEqual(["named"]);
  });

  test("are not called where a condition fails, and the request is refused if they must not be left out", async () => {
    const matchConditions = [{ name: "c", expression: "object.data.missing == 'x'" }];
    const { ask, server } = await setUp(consent, { a: { matchConditions }, b: {} }, "1.35");
    await expect(ask()).rejects.toMatchObject({ code: 403 });
    expect(server.calls).toEqual([]);
  });

  test("may each refuse, and all are awaited", async () => {
    const { ask, server } = await setUp(
      saying((path) => (path === "b" ? undefined : { allowed: false, status: { message: path } })),
      { a: {}, b: {}, c: {} },
    );
    await expect(ask()).rejects.toMatchObject({
      code: 400,
      message: 'admission webhook "a" denied the request: a',
    });
    expect(server.calls).toHaveLength(3);
  });

  const denials: [status: object | undefined, expected: object][] = [
    [
      undefined,
      {
        code: 400,
        reason: undefined,
        message: /^admission webhook "a" denied the request without explanation$/,
      },
    ],
    [{ code: 403 }, { code: 403 }],
    [{ code: 200 }, { code: 400 }],
    [{ code: 302 }, { code: 400 }],
    [{ code: -1 }, { code: 400 }],
    [{ code: 700 }, { code: 700 }],
    [{ code: 1_000 }, { code: 500 }],
    [{ code: 9_999 }, { code: 500 }],
    [{ reason: "Forbidden" }, { code: 400, reason: "Forbidden", message: /: Forbidden$/ }],
    [
      { code: 418, message: "tea", details: { name: "pot" } },
      { code: 418, message: /: tea$/, details: { name: "pot" } },
    ],
  ];
  for (const [status, { message, ...expected }] of denials as [object, { message?: string | RegExp }][]) {
    test(`deny with ${JSON.stringify(status)}`, async () => {
      const { ask } = await setUp(
        saying(() => ({ allowed: false, ...(status === undefined ? {} : { status }) })),
        { a: {} },
      );
      const matching = message instanceof RegExp ? expect.stringMatching(message) : message;
      await expect(ask()).rejects.toMatchObject({
        ...expected,
        ...(message === undefined ? {} : { message: matching }),
      });
    });
  }

  test("are counted with the reason and the code of a refusal", async () => {
    const say: Say = (path) =>
      path === "odd"
        ? { allowed: false, status: { code: 9_999 } }
        : path === "fails"
          ? { uid: "" }
          : path === "bare"
            ? { allowed: false }
            : undefined;
    const fails = await setUp(saying(say), { odd: {}, bare: {}, fails: {}, open: { failurePolicy: "Ignore" } });
    await expect(fails.ask()).rejects.toThrow();
    const text = fails.metricsText();
    const count = (type: string, name: string, code: number) =>
      `apiserver_admission_webhook_rejection_count{error_type="${type}",name="${name}",operation="CREATE",rejection_code="${code}",type="validating"} 1`;
    expect(text).toContain(count("no_error", "odd", rejectionCodeMax));
    expect(text).toContain(count("no_error", "bare", 0));
    expect(text).toContain(count("calling_webhook_error", "fails", 0));
    const took = (name: string, rejected: boolean) =>
      `apiserver_admission_webhook_admission_duration_seconds_count{name="${name}",operation="CREATE",rejected="${rejected}",type="validating"} 1`;
    expect(text).toContain(took("open", false));
    expect(text).toContain(took("odd", true));
  });
});

describe("validating webhooks are selected", () => {
  const labelled = (labels: Record<string, string>): ApiObject => {
    const object = configMap();
    object.metadata.labels = labels;
    return object;
  };
  const pick = { objectSelector: { matchLabels: { pick: "me" } } };
  const update = (labels: Record<string, string>, old: Record<string, string>) => ({
    operation: "UPDATE" as const,
    namespace: "shop",
    object: labelled(labels),
    old: labelled(old),
  });

  test("by the labels of the object, old or new", async () => {
    const { ask } = await setUp(consent, { a: pick });
    expect(await ask("configmaps", update({ pick: "me" }, {}))).toEqual(["a"]);
    expect(await ask("configmaps", update({}, { pick: "me" }))).toEqual(["a"]);
    expect(await ask("configmaps", update({}, {}))).toEqual([]);
  });

  test("options of a connection have no labels: no selector matches them", async () => {
    const { ask } = await setUp(consent, {
      a: { objectSelector: { matchExpressions: [{ key: "pick", operator: "DoesNotExist" }] } },
      b: {},
    });
    const options = { kind: "PodExecOptions", apiVersion: "v1", metadata: {}, command: ["ls"] };
    const connect = {
      operation: "CONNECT" as const,
      object: options,
      subresource: "exec",
      namespace: "shop",
      name: "p",
    };
    expect(await ask("pods", connect)).toEqual(["b"]);
  });

  test("by the labels of the namespace, or of the Namespace itself; cluster-wide objects always match", async () => {
    const { ask } = await setUp(consent, { a: { namespaceSelector: { matchLabels: { team: "red" } } } });
    expect(await ask()).toEqual(["a"]);
    const namespace = (labels: Record<string, string>) => ({
      object: { kind: "Namespace", apiVersion: "v1", metadata: { name: "new", labels } },
      name: "new",
    });
    expect(await ask("namespaces", namespace({ team: "red" }))).toEqual(["a"]);
    expect(await ask("namespaces", namespace({ team: "blue" }))).toEqual([]);
    const node = { object: { kind: "Node", apiVersion: "v1", metadata: { name: "n" } }, name: "n" };
    expect(await ask("nodes", node)).toEqual(["a"]);
    const lost = { object: configMap(), namespace: "gone" };
    await expect(ask("configmaps", lost)).rejects.toMatchObject({ code: 404, details: { name: "gone" } });
  });

  test("never for webhook configurations", async () => {
    const { ask } = await setUp(consent, { a: {} });
    for (const resource of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]) {
      expect(await ask(resource, { object: { metadata: { name: "w" } } as ApiObject, name: "w" })).toEqual([]);
    }
  });
});
