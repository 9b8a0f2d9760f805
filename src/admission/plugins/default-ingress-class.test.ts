import { describe, expect, test } from "vitest";
import { createWorld } from "../admission.suite.ts";
import { createDefaultIngressClass } from "./default-ingress-class.ts";

const classOf = (name: string, isDefault?: string) => ({
  resource: "ingressclasses",
  object: {
    metadata: { name, ...(isDefault ? { annotations: { "ingressclass.orch.io/is-default-class": isDefault } } : {}) },
    spec: { controller: "example.com/c" },
  },
});

describe("DefaultIngressClass", () => {
  const plain = classOf("plain");
  const off = classOf("off", "false");
  const main = classOf("main", "true");
  const other = classOf("other", "true");
  const annotation = { "orch.io/ingress.class": "legacy" };
  const rows = [
    { why: "the default is filled in", classes: [plain, off, main], given: {}, expected: { ingressClassName: "main" } },
    { why: "without a default nothing happens", classes: [plain, off], given: {}, expected: {} },
    {
      why: "a named class is kept, although several are the default",
      classes: [main, other],
      given: { ingressClassName: "plain" },
      expected: { ingressClassName: "plain" },
    },
    {
      why: "the older annotation names a class too",
      classes: [main],
      given: {},
      annotations: annotation,
      expected: {},
    },
  ];
  for (const { why, classes, given, expected, annotations } of rows) {
    test(why, async () => {
      const { context, admit } = createWorld(classes);
      const object = { metadata: { name: "i", ...(annotations ? { annotations } : {}) }, spec: given };
      const made = await admit(createDefaultIngressClass(context), "ingresses", { object, namespace: "a" });
      expect(made?.["spec"]).toEqual(expected);
    });
  }

  test("several defaults are refused", async () => {
    const { context, admit } = createWorld([main, other]);
    const object = { metadata: { name: "i" }, spec: {} };
    await expect(admit(createDefaultIngressClass(context), "ingresses", { object })).rejects.toMatchObject({
      code: 403,
      details: { name: "i", group: "networking.orch.io", kind: "ingresses" },
    });
  });

  test("a refusal names a generated name by its prefix", async () => {
    const { context, admit } = createWorld([main, other]);
    const object = { metadata: { generateName: "web-" }, spec: {} };
    await expect(admit(createDefaultIngressClass(context), "ingresses", { object })).rejects.toMatchObject({
      details: { name: "web-" },
    });
  });

  test("updates, statuses and other kinds are ignored", () => {
    const { context, request } = createWorld([main]);
    const { handles } = createDefaultIngressClass(context);
    const object = { metadata: { name: "i" }, spec: {} };
    expect(handles(request("ingresses", { object, operation: "UPDATE" }))).toBe(false);
    expect(handles(request("ingresses", { object, subresource: "status" }))).toBe(false);
    expect(handles(request("pods", { object }))).toBe(false);
  });

  test("the annotations have the names of the server's vocabulary", async () => {
    const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
    const { context, admit } = createWorld(
      [{ resource: "ingressclasses", object: { metadata: { name: "main", annotations } } }],
      "kubernetes",
    );
    const object = { metadata: { name: "i" }, spec: {} };
    expect(await admit(createDefaultIngressClass(context), "ingresses", { object })).toMatchObject({
      spec: { ingressClassName: "main" },
    });
  });

  test("of several defaults the newest is taken since 1.26, and of equally old ones the first by name", async () => {
    const made = (name: string, creationTimestamp: string) => {
      const { resource, object } = classOf(name, "true");
      return { resource, object: { ...object, metadata: { ...object.metadata, creationTimestamp } } };
    };
    const [old, later] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
    const classes = [made("a", old), made("c", later), made("b", later)];
    const { context, admit } = createWorld(classes, "orch", { level: "1.35" });
    const object = { metadata: { name: "i" }, spec: {} };
    const admitted = await admit(createDefaultIngressClass(context), "ingresses", { object, namespace: "a" });
    expect(admitted?.["spec"]).toEqual({ ingressClassName: "b" });
  });
});
