import { describe, expect, test } from "vitest";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { elided, int32, list, map, optional, string, struct } from "../schema/build.ts";
import type { BoundKind } from "../schema/catalog.ts";
import { customKind } from "../schema/custom-kind.suite.ts";
import { decodeKind } from "../schema/decode-kind.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import type { Environment } from "../schema/environment.ts";
import { kind, version } from "../schema/kind.ts";
import { createCatalog } from "./bind.ts";

const environmentOf = (vocabulary: Vocabulary): Environment => plainEnvironment({ vocabulary });
const environment = environmentOf(orch);

const Widget = kind({
  group: "example.orch.io",
  version: "v1",
  kind: "Widget",
  resource: "widgets",
  scope: "Namespaced",
  doc: "",
  stored: "example.orch.io/v1beta1",
  generation: true,
  fields: { spec: elided(struct("example.v1.WidgetSpec", { size: optional(int32()), tags: list(string()) })) },
  subresources: [
    { name: "status", verbs: ["get", "patch", "update"] },
    { name: "scale", verbs: ["get"], accepts: { group: "scaling.orch.io", version: "v1", kind: "Scale" } },
  ],
});
const WidgetBeta = version(Widget, {
  version: "v1beta1",
  fields: { size: elided(string()), notes: elided(map(string())), tags: list(string()) },
  toHub: (old) => ({
    metadata: old.metadata,
    spec: { ...(old.size ? { size: Number(old.size) } : {}), tags: old.tags },
  }),
  fromHub: (hub) => ({ metadata: hub.metadata, size: String(hub.spec?.size ?? ""), tags: hub.spec?.tags ?? [] }),
});
const WidgetElsewhere = version(Widget, { group: "apps", version: "v1" });
const Scale = kind({
  group: "scaling.orch.io",
  version: "v1",
  kind: "Scale",
  resource: "scales",
  verbs: [],
  scope: "Namespaced",
  doc: "",
  fields: {},
});
const Review = kind({
  group: "review.orch.io",
  version: "v1",
  kind: "Review",
  resource: "reviews",
  verbs: ["create"],
  action: "reviews",
  scope: "Cluster",
  doc: "",
  fields: {},
});
const Machine = kind({
  group: "",
  version: "v1",
  kind: "Machine",
  resource: "machines",
  scope: "Cluster",
  doc: "",
  fields: {
    orchletVersion: string(),
    mode: elided(string()).default("orch.io/tls"),
    parts: elided(list(struct("core.v1.MachinePart", () => ({ orchletEndpoint: optional(int32()) })))),
  },
});
// The casts give up what a kind's own functions know of its objects, as every catalog does.
const kinds = [Widget, WidgetBeta, WidgetElsewhere, Scale, Review, Machine];

const found = (bound: BoundKind | undefined): BoundKind => {
  expect(bound).toBeDefined();
  return bound as BoundKind;
};

describe("a catalog", () => {
  const catalog = createCatalog(kinds, environment);

  test("finds kinds by path, and by group, version and kind", () => {
    const widget = found(catalog.byResource("example.orch.io", "v1", "widgets"));
    expect(widget).toMatchObject({
      apiVersion: "example.orch.io/v1",
      kind: "Widget",
      listKind: "WidgetList",
      namespaced: true,
    });
    expect(catalog.byKind("example.orch.io", "v1", "Widget")).toBe(widget);
    expect(catalog.byResource("", "v1", "machines")?.apiVersion).toBe("v1");
  });

  test("finds nothing under names that every object inherits", () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"]) {
      expect(catalog.byResource("", "v1", name)).toBeUndefined();
      expect(catalog.byResource(name, "v1", "widgets")).toBeUndefined();
      expect(catalog.byKind("", name, "Machine")).toBeUndefined();
      expect(catalog.ofGroupVersion(name, name)).toEqual([]);
    }
  });

  test("puts all versions of a resource into one family, whatever their group", () => {
    const family = found(catalog.byResource("apps", "v1", "widgets")).family;
    expect(family.id).toBe("example.orch.io/widgets");
    expect(family.versions.map((bound) => bound.apiVersion)).toEqual([
      "example.orch.io/v1",
      "example.orch.io/v1beta1",
      "apps/v1",
    ]);
    expect(family.hub.apiVersion).toBe("example.orch.io/v1");
    expect(family.stored.apiVersion).toBe("example.orch.io/v1beta1");
    expect(family.strategy.generation).toBe(true);
    expect(found(catalog.byResource("", "v1", "machines")).family.id).toBe("core/machines");
  });

  test("names groups in the order of discovery: core, the known ones, then the others", () => {
    expect(catalog.groups()).toEqual([
      { group: "", versions: ["v1"], preferred: "v1" },
      { group: "apps", versions: ["v1"], preferred: "v1" },
      { group: "example.orch.io", versions: ["v1", "v1beta1"], preferred: "v1" },
      { group: "review.orch.io", versions: ["v1"], preferred: "v1" },
    ]);
  });

  test("keeps families whose objects can be read; bodies and reviews are found but not kept", () => {
    expect(catalog.families().map(({ id }) => id)).toEqual(["example.orch.io/widgets", "core/machines"]);
    expect(catalog.byKind("scaling.orch.io", "v1", "Scale")?.kind).toBe("Scale");
    expect(catalog.byResource("scaling.orch.io", "v1", "scales")).toBeUndefined();
    expect(catalog.byResource("review.orch.io", "v1", "reviews")?.kind).toBe("Review");
  });

  test("lists the kinds of a group version by resource, and subresources by name", () => {
    const [widget] = catalog.ofGroupVersion("example.orch.io", "v1");
    expect([...(widget?.subresources.keys() ?? [])]).toEqual(["scale", "status"]);
    expect(catalog.ofGroupVersion("", "v1").map((bound) => bound.resource)).toEqual(["machines"]);
  });

  test("a family whose hub is not served is still kept in its stored version", () => {
    const few = createCatalog(kinds, environment, { isEnabled: (group) => group === "apps" });
    expect(few.byResource("example.orch.io", "v1", "widgets")).toBeUndefined();
    expect(few.byKind("example.orch.io", "v1", "Widget")).toBeUndefined();
    const { family } = found(few.byResource("apps", "v1", "widgets"));
    expect(few.families()).toEqual([family]);
    expect(family.stored.apiVersion).toBe("example.orch.io/v1beta1");
    expect(few.groups().map(({ group }) => group)).toEqual(["apps"]);
  });

  test("a hub that is not listed itself is bound for its versions", () => {
    const only = createCatalog([WidgetElsewhere, WidgetBeta], environment);
    expect(only.families()[0]?.hub.apiVersion).toBe("example.orch.io/v1");
  });

  test("refuses two kinds under one name, and a stored version that is not declared", () => {
    expect(() => createCatalog([...kinds, Machine, { ...Machine }], environment)).toThrow("served already");
    expect(() => createCatalog([{ ...Machine, stored: "v9" }], environment)).toThrow("not declared");
  });
});

describe("kinds added and removed at run time", () => {
  const Gadget = (versionName: string) =>
    customKind({
      group: "gadgets.orch.io",
      version: versionName,
      kind: "Gadget",
      resource: "gadgets",
      scope: "Cluster",
      doc: "",
      fields: { orchletVersion: elided(string()) },
    });

  test("are served, replaced and removed, and the generation grows", () => {
    const catalog = createCatalog(kinds, environment);
    const first = Gadget("v1");
    const second = Gadget("v2");
    const { generation } = catalog;
    catalog.replace({ add: [first] });
    expect(catalog.byResource("gadgets.orch.io", "v1", "gadgets")?.kind).toBe("Gadget");
    catalog.replace({ remove: [first], add: [second] });
    expect(catalog.byResource("gadgets.orch.io", "v1", "gadgets")).toBeUndefined();
    expect(catalog.byResource("gadgets.orch.io", "v2", "gadgets")?.kind).toBe("Gadget");
    catalog.replace({ remove: [second] });
    expect(catalog.groups().map(({ group }) => group)).not.toContain("gadgets.orch.io");
    expect(catalog.generation).toBe(generation + 3);
  });

  test("are passed to listeners when nothing serves their paths any more, and not when others replace them", () => {
    const catalog = createCatalog(kinds, environment);
    const passed: string[][] = [];
    catalog.onChange(({ gone }) => passed.push(gone.map(({ version }) => version)));
    const [first, same, other] = [Gadget("v1"), Gadget("v1"), Gadget("v2")];
    catalog.replace({ add: [first] });
    catalog.replace({ remove: [first], add: [same] });
    catalog.replace({ remove: [same], add: [other] });
    catalog.replace({ remove: [other] });
    expect(passed).toEqual([[], [], ["v1"], ["v2"]]);
  });

  test("do not affect other bound kinds", () => {
    const catalog = createCatalog(kinds, environment);
    const before = catalog.byResource("", "v1", "machines");
    catalog.replace({ add: [Gadget("v1")] });
    expect(catalog.byResource("", "v1", "machines")).toBe(before);
  });

  test("leave alone what the catalog knows of other groups, so that each of many costs the same", () => {
    const catalog = createCatalog(kinds, environment);
    const [first, second] = [Gadget("v1"), { ...Gadget("v1"), kind: "Trinket", resource: "trinkets" }];
    catalog.replace({ add: [first] });
    const groups = catalog.groups();
    const gadgets = catalog.ofGroupVersion("gadgets.orch.io", "v1");
    const machines = catalog.ofGroupVersion("", "v1");
    catalog.replace({ add: [second] });
    expect(catalog.groups()).toBe(groups);
    expect(catalog.ofGroupVersion("", "v1")).toBe(machines);
    expect([gadgets, catalog.ofGroupVersion("gadgets.orch.io", "v1")].map((all) => all.map((one) => one.kind))).toEqual(
      [["Gadget"], ["Gadget", "Trinket"]],
    );
    catalog.replace({ remove: [first] });
    expect(catalog.groups()).toBe(groups);
    expect(catalog.byKind("gadgets.orch.io", "v1", "Gadget")).toBeUndefined();
    expect(["gadgets", "trinkets"].map((resource) => catalog.hasResource(resource))).toEqual([false, true]);
  });

  test("change nothing when a name is taken", () => {
    const catalog = createCatalog(kinds, environment);
    const { generation } = catalog;
    expect(() => catalog.replace({ add: [Gadget("v1"), { ...Gadget("v1") }] })).toThrow("served already");
    expect(catalog.generation).toBe(generation);
    expect(catalog.byResource("gadgets.orch.io", "v1", "gadgets")).toBeUndefined();
  });

  test("already have spoken names", () => {
    const catalog = createCatalog(kinds, environmentOf(kubernetes));
    catalog.replace({ add: [Gadget("v1")] });
    const gadget = found(catalog.byResource("gadgets.orch.io", "v1", "gadgets"));
    expect([...gadget.schema.fields.keys()]).toEqual(["metadata", "orchletVersion"]);
  });
});

describe("another vocabulary", () => {
  const catalog = createCatalog(kinds, environmentOf(kubernetes));

  test("renames groups everywhere but in the name of the family", () => {
    const widget = found(catalog.byResource("example.k8s.io", "v1", "widgets"));
    expect(widget.apiVersion).toBe("example.k8s.io/v1");
    expect(widget.family.id).toBe("example.orch.io/widgets");
    expect(widget.family.stored.apiVersion).toBe("example.k8s.io/v1beta1");
    expect(widget.subresources.get("scale")?.accepts?.group).toBe("scaling.k8s.io");
    expect(catalog.byResource("example.orch.io", "v1", "widgets")).toBeUndefined();
  });

  test("renames fields and defaults that carry the product's name", () => {
    const machine = found(catalog.byKind("", "v1", "Machine"));
    expect([...machine.schema.fields.keys()]).toEqual(["metadata", "kubeletVersion", "mode", "parts"]);
    expect(machine.schema.fields.get("mode")).toMatchObject({ fallback: "kubernetes.io/tls" });
    expect(decodeKind(machine, { orchletVersion: "1", kubeletVersion: "2", parts: [{ kubeletEndpoint: 3 }] })).toEqual({
      kind: "Machine",
      apiVersion: "v1",
      metadata: { creationTimestamp: null },
      kubeletVersion: "2",
      parts: [{ kubeletEndpoint: 3 }],
    });
  });

  test("is the same schema for all servers that speak it, so that they share what is derived from it", () => {
    const other = createCatalog(kinds, environmentOf(kubernetes));
    const [here, there] = [catalog, other].map((each) => found(each.byKind("example.k8s.io", "v1", "Widget")).schema);
    expect(here).toBe(there);
  });
});
