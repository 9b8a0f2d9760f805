import { describe, expect, test } from "vitest";
import { ownershipOf } from "./ownership.ts";
import { yamlLines } from "./yaml-lines.ts";
import { findNode, withoutNode, yamlTree } from "./yaml-tree.ts";

const text = `# a pod
apiVersion: v1
data:
  script: |
    a: b

    c: d
  "odd: key": 'it''s'
metadata:
  labels:
    app.example.com/name: web
  annotations: {}
spec:
  containers:
  - args:
    - --long text that
      goes on: here
    - two
    image: web
    name: c
    ports:
      - containerPort: 80
        protocol: TCP
  - name: d
  hosts:
  - a
  last: &x yes
    or no
`;

describe("the lines of YAML", () => {
  test("have the path of their field, in block style of any indentation", () => {
    const shown = yamlLines(text).map(({ role, path }) => `${role} ${path.join(".")}`.trim());
    expect(shown).toEqual([
      "none",
      "field apiVersion",
      "field data",
      "field data.script",
      "more data.script",
      "more data.script",
      "more data.script",
      "field data.odd: key",
      "field metadata",
      "field metadata.labels",
      "field metadata.labels.app.example.com/name",
      "field metadata.annotations",
      "field spec",
      "field spec.containers",
      "field spec.containers.0.args",
      "item spec.containers.0.args.0",
      "more spec.containers.0.args.0",
      "item spec.containers.0.args.1",
      "field spec.containers.0.image",
      "field spec.containers.0.name",
      "field spec.containers.0.ports",
      "field spec.containers.0.ports.0.containerPort",
      "field spec.containers.0.ports.0.protocol",
      "field spec.containers.1.name",
      "field spec.hosts",
      "item spec.hosts.0",
      "field spec.last",
      "more spec.last",
      "none",
    ]);
  });

  test.each([
    ["at the left", "spec:\n  a: 1\nki", []],
    ["in an object", "spec:\n  a: 1\n  re", ["spec"]],
    ["first in an object", "spec:\n  re", ["spec"]],
    ["in an item", "spec:\n  list:\n  - a: 1\n    re", ["spec", "list", 0]],
    ["after a list", "spec:\n  list:\n  - a: 1\n  re", ["spec"]],
    ["in a second document", "spec:\n  a: 1\n---\nspe", []],
  ])("know what a word that is being typed would be a field of: %s", (_where, typed, path) => {
    expect(yamlLines(typed).at(-1)).toMatchObject({ role: "typed", path });
  });

  test("an empty item has its place", () => {
    expect(yamlLines("a:\n- b: 1\n- ").at(-1)).toMatchObject({ role: "item", path: ["a", 1], column: 2 });
  });
});

describe("the tree of YAML", () => {
  const lines = yamlLines(text);
  const tree = yamlTree(lines);

  test.each([
    ["spec.containers[0].image", 18, true],
    ['.spec.containers[name="d"]', 23, true],
    ['.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].protocol', 22, true],
    ["metadata.labels.app.example.com/name", 10, true],
    [".metadata.labels[app.example.com/name]", 10, true],
    ['.spec.hosts[="a"]', 25, true],
    ["data[odd: key]", 7, true],
    ["spec.containers[1].image", 23, false],
    ["spec.other", 12, false],
  ])("has %s", (field, from, isExact) => {
    const found = findNode(tree, field);
    expect([found.node.from, found.isExact]).toEqual([from, isExact]);
  });

  const without = (field: string) => withoutNode(lines, findNode(tree, field).node);
  test("loses a field with all its lines", () => {
    expect(without("data.script")).not.toMatch(/script|a: b|c: d/);
    expect(without("data.script")).toContain(`data:\n  "odd: key"`);
  });

  test("loses what has nothing left in it", () => {
    expect(without("metadata.labels.app.example.com/name")).toContain("metadata:\n  annotations: {}\n");
    expect(without("spec.hosts[0]")).not.toContain("hosts");
  });

  test("gives the dash of an item to the next field", () => {
    expect(without("spec.containers[0].args")).toContain("  containers:\n  - image: web\n    name: c\n");
    expect(without("spec.containers[0].ports[0].containerPort")).toContain("    ports:\n      - protocol: TCP\n");
  });
});

describe("ownership", () => {
  const object = {
    metadata: {
      labels: { app: "web" },
      finalizers: ["a", "b"],
      managedFields: [
        {
          manager: "ann",
          operation: "Apply",
          time: "2026-01-01T00:00:00Z",
          fieldsV1: {
            "f:metadata": { "f:labels": {}, "f:finalizers": { 'v:"b"': {} } },
            "f:spec": {
              "f:selector": {},
              "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:name": {}, "f:image": {} } },
            },
          },
        },
        {
          manager: "bob",
          operation: "Update",
          subresource: "status",
          fieldsV1: {
            "f:metadata": { "f:labels": { "f:app": {} } },
            "f:spec": { "f:containers": { 'k:{"name":"c"}': { "f:image": {} } } },
          },
        },
      ],
    },
    spec: { selector: { app: "web" }, containers: [{ name: "b" }, { name: "c", image: "web" }] },
  };
  const { managers, ownersOf } = ownershipOf(object);

  test("knows the managers", () => {
    expect(managers).toEqual([
      { name: "ann", operation: "Apply", subresource: "", time: "2026-01-01T00:00:00Z" },
      { name: "bob", operation: "Update", subresource: "status", time: "" },
    ]);
  });

  test.each([
    ["an item by its keys", ["spec", "containers", 1], [0]],
    ["a field of several", ["spec", "containers", 1, "image"], [0, 1]],
    ["an item of nobody", ["spec", "containers", 0, "name"], []],
    ["an item by its value", ["metadata", "finalizers", 1], [0]],
    ["what is inside of a field that is owned as a whole", ["spec", "selector", "app"], [0]],
    ["only the one who names a field, where others own what it is in", ["metadata", "labels", "app"], [1]],
    ["nobody of what is only the way to a field", ["spec"], []],
  ])("finds the owners of %s", (_what, path, owners) => {
    expect(ownersOf(path)).toEqual(owners);
  });
});
