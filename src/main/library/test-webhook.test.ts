/** A webhook in a test, without a certificate of the test's own. */

import { expect, expectTypeOf, test } from "vitest";
import {
  type AdmissionCall,
  type ConfigMap,
  connect,
  createWebhook,
  defineResource,
  field,
  installResources,
  invalidError,
  isForbidden,
  isInvalid,
  type Pod,
  webhookHandler,
} from "../../kit/orch-client.ts";
import { createServer } from "../library.ts";

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  resource: "widgets",
  fields: { spec: field.object({ size: field.int32() }) },
});

for (const [vocabulary, emulatedVersion] of [
  ["orch", "1.35"],
  ["kubernetes", "1.21"],
] as const)
  test(`a webhook of a test is asked, knows the request, and is gone with its block, in ${vocabulary}`, async () => {
    await using server = await createServer({ vocabulary, emulatedVersion });
    const client = await connect({ server, as: "ada", asGroups: ["system:masters"] });
    await installResources(client, [Widget]);
    const widgets = client.of(Widget);
    const calls: string[] = [];
    {
      await using _ = await server.webhook(
        Widget,
        {
          mutate({ object, user }) {
            object.metadata.labels = { by: user.name };
          },
          validate(call) {
            calls.push([call.operation, call.name, call.namespace, call.kind.kind, call.user.name].join(" "));
            if (call.operation === "DELETE")
              throw new Error(`${call.old.metadata.name} of ${call.old.spec.size} stays`);
            if (call.operation === "UPDATE" && call.object.spec.size < call.old.spec.size)
              throw invalidError(Widget, call.name, [{ field: "spec.size", message: "must not shrink" }]);
          },
        },
        { operations: ["CREATE", "UPDATE", "DELETE"] },
      );
      const made = await widgets.create({ metadata: { name: "one" }, spec: { size: 3 } });
      expect(made.metadata.labels).toEqual({ by: "ada" });
      const small = await widgets.patch("one", { spec: { size: 1 } }).catch((error: unknown) => error);
      expect(isInvalid(small) && small.message).toContain("spec.size: must not shrink");
      const kept = await widgets.delete("one").catch((error: unknown) => error);
      expect(isForbidden(kept) && kept.message).toContain("one of 3 stays");
    }
    expect(calls).toEqual(["CREATE", "UPDATE", "DELETE"].map((operation) => `${operation} one default Widget ada`));
    await widgets.delete("one");
    await expect(server.webhook("Toy", { validate() {} })).rejects.toThrow("Toy");
    await expect(server.webhook("Pod", {})).rejects.toThrow("webhook needs mutate, validate or both");
  });

test("the types of a call follow from its operation", () => {
  type Call = AdmissionCall<ConfigMap>;
  expectTypeOf<Extract<Call, { operation: "DELETE" }>["object"]>().toEqualTypeOf<null>();
  expectTypeOf<Extract<Call, { operation: "DELETE" }>["old"]>().toEqualTypeOf<ConfigMap>();
  expectTypeOf<Extract<Call, { operation: "CREATE" }>["old"]>().toEqualTypeOf<null>();
  expectTypeOf<Call["user"]["extra"]>().toEqualTypeOf<Readonly<Record<string, readonly string[]>>>();
});

test("a webhook is a function from Request to Response too, and mutate is not called for what has nothing to change", async () => {
  const handle = webhookHandler(
    createWebhook<Pod>({
      mutate({ object }) {
        object.metadata.labels = { seen: "yes" };
      },
    }),
  );
  const ask = async (path: string, request: object) => {
    const body = JSON.stringify({ apiVersion: "admission.orch.io/v1", kind: "AdmissionReview", request });
    return handle(new Request(`http://hook${path}`, { method: "POST", body }));
  };
  const uid = "u1";
  const changed = await ask("/mutate", { uid, operation: "CREATE", object: { metadata: { name: "a" } } });
  expect(await changed.json()).toMatchObject({ response: { uid, allowed: true, patchType: "JSONPatch" } });
  const deleted = await ask("/mutate", { uid, operation: "DELETE", oldObject: { metadata: { name: "a" } } });
  expect((await deleted.json()) as object).toEqual({
    apiVersion: "admission.orch.io/v1",
    kind: "AdmissionReview",
    response: { uid, allowed: true, warnings: [] },
  });
  expect((await handle(new Request("http://hook/mutate"))).status).toBe(405);
  expect((await ask("/other", {})).status).toBe(404);
});
