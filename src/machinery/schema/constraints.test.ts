import { describe, expect, test } from "vitest";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { createCatalog } from "../catalog/bind.ts";
import { forbidden, invalid, problemsFoundMax } from "../status/field-error.ts";
import { elided, int32, list, optional, type Static, string, struct } from "./build.ts";
import { checkedWhen, checker, chosenBy, on, onlyOne } from "./constraints.ts";
import { plainEnvironment } from "./environment.suite.ts";
import { kind } from "./kind.ts";
import type { Field } from "./schema.ts";
import { unchanged } from "./unchanged.ts";

const environment = plainEnvironment();
const short = (errors: readonly { reason: string; field: string; message: string }[]) =>
  errors.map(({ reason, field, message }) => `${reason.replace("FieldValue", "")} ${field}: ${message}`);

describe("a checker", () => {
  const Port = struct("test.v1.Port", {
    name: elided(string()).named("portName"),
    port: int32().required().atLeast(1).atMost(65535),
  });
  const Spec = struct("test.v1.Spec", {
    ports: elided(list(Port)).uniqueBy("name"),
    first: optional(Port),
    second: optional(Port),
  });
  const relation = on(Port, ({ name, port }) =>
    name === "http" && port !== 80 ? [invalid("port", port, "must be 80"), forbidden("", "so")] : [],
  );

  test("checks rules in declared order, then relations, with whole paths", () => {
    const spec = { ports: [{ name: "http", port: 0 }, { name: "http", port: 80 }, { port: 70_000 }] };
    expect(short(checker(Spec, [relation])(spec, "spec", environment)).map((line) => line.split(":")[0])).toEqual([
      "Duplicate spec.ports[1].name",
      "Required spec.ports[0].port",
      "Invalid spec.ports[0].port",
      "Forbidden spec.ports[0]",
      "Invalid spec.ports[2].port",
    ]);
  });

  test("finds nothing in an absent value, and shares the empty result", () => {
    const check = checker(Spec, [relation]);
    expect(check(undefined, "spec", environment)).toBe(check({ ports: [{ port: 1 }] }, "spec", environment));
  });

  test("checks the first of several choices and forbids the others", () => {
    const choice = { members: ["first", ["second", "secnd"]], missing: "must have one", surplus: "only one" } as const;
    const check = checker(Spec, [onlyOne(Spec, choice)]);
    expect(short(check({ first: { port: 0 }, second: { port: 0 } }, "", environment))).toEqual([
      "Required first.port: Required value",
      "Forbidden secnd: Forbidden: only one",
    ]);
    expect(short(check({}, "spec", environment))).toEqual(["Required spec: Required value: must have one"]);
  });

  test("checks the member that another names, and forbids the others", () => {
    const Union = struct("test.v1.Union", {
      kind: string().oneOf(["A", "B", "None"]),
      a: optional(Port),
      b: optional(Port),
    });
    const union = chosenBy(Union, {
      by: "kind",
      members: { a: "A", b: "B" },
      missing: (text) => `needed for ${text}`,
      surplus: (text, own) => `${text} is not ${own}`,
    });
    const found = (value: Static<typeof Union>) => short(checker(Union, [union])(value, "spec", environment)).join("|");
    expect(found({ kind: "A", a: { port: 1 } })).toBe("");
    expect(found({ kind: "A", b: { port: 0 } })).toBe(
      "Required spec.a: Required value: needed for A|Forbidden spec.b: Forbidden: A is not B",
    );
    expect(found({ kind: "None", a: { port: 0 } })).toBe("Forbidden spec.a: Forbidden: None is not A");
    expect(found({ kind: "B", b: { port: 0 } })).toBe("Required spec.b.port: Required value");
    expect(found({ kind: "C", b: { port: 0 } })).toContain("NotSupported spec.kind");
  });

  test("checks members only when their condition holds, absent ones too", () => {
    const Door = struct("test.v1.Door", {
      lock: elided(string()).required().oneOf(["key", "code"]),
      isOpen: elided(string()),
      frame: optional(Port),
    });
    const isShut = ({ isOpen }: { readonly isOpen?: string }) => isOpen === undefined;
    const check = checker(Door, [checkedWhen(Door, ["lock", "frame"], isShut)]);
    const found = (value: Static<typeof Door>) => check(value, "door", environment).map(({ field }) => field);
    expect(found({})).toEqual(["door.lock"]);
    expect(found({ lock: "x", frame: { port: 0 } })).toEqual(["door.lock", "door.frame.port"]);
    expect(found({ lock: "x", frame: { port: 0 }, isOpen: "yes" })).toEqual([]);
    expect(found({ isOpen: "yes" })).toEqual([]);
  });

  test("tells problems in the order of the fields, whichever order an object has them in", () => {
    const value = { first: { port: 0 }, ports: [{ port: 0 }] };
    const fields = checker(Spec)(value, "spec", environment).map(({ field }) => field);
    expect(fields).toEqual(["spec.ports[0].port", "spec.first.port"]);
  });

  test("knows fields and values by their names in the vocabulary", () => {
    const Source = struct("test.v1.Source", {
      orchletConfigKey: string().required().named("configKey"),
      apiGroup: string().oneOf(["rbac.authorization.orch.io"]),
    });
    const spoken = plainEnvironment({ vocabulary: kubernetes });
    const check = checker<object>(Source);
    const found = (value: object) => short(check(value, "", spoken));
    expect(found({ kubeletConfigKey: "a", apiGroup: "rbac.authorization.k8s.io" })).toEqual([]);
    expect(found({ kubeletConfigKey: "", apiGroup: "rbac.authorization.orch.io" })).toEqual([
      "Required kubeletConfigKey: Required value",
      'NotSupported apiGroup: Unsupported value: "rbac.authorization.orch.io": supported values: "rbac.authorization.k8s.io"',
    ]);
    expect(short(check({ orchletConfigKey: "", apiGroup: "a" }, "", environment))).toHaveLength(2);
  });

  test("leaves fields alone that are checked otherwise", () => {
    const Loose = struct("test.v1.Loose", { ports: elided(list(Port)).unchecked() });
    expect(checker(Loose, [relation])({ ports: [{ port: 0 }] }, "spec", environment)).toEqual([]);
  });

  test("ends the search in a list that has too many problems", () => {
    const ports = Array.from({ length: problemsFoundMax + 10 }, () => ({ port: 0 }));
    expect(checker(Spec)({ ports }, "spec", environment)).toHaveLength(problemsFoundMax);
  });

  test("visits structs that contain themselves", () => {
    const Tree: Field<unknown> = struct("test.v1.Tree", () => ({
      name: string().required(),
      trees: elided(list(Tree)),
    }));
    const errors = checker(Tree)(
      { name: "a", trees: [{ name: "b" }, { name: "", trees: [{ name: "" }] }] },
      "",
      environment,
    );
    expect(errors.map(({ field }) => field)).toEqual(["trees[1].name", "trees[1].trees[0].name"]);
  });
});

test("a field that is set once may still come, and a change may be forbidden for a reason", () => {
  const check = unchanged(
    struct("test.v1.Spec", {
      once: elided(string()).setOnce(),
      never: elided(string()).immutable("may not be updated"),
      wrong: elided(string()).immutable("cannot change it", { isInvalid: true }),
    }),
  );
  const change = (next: object, old: object) =>
    check(next, old, "spec", "1.21").map(({ field, message }) => `${field}: ${message}`);
  expect(change({ once: "a" }, {})).toEqual([]);
  expect(change({ once: "b" }, { once: "a" })).toEqual(["spec.once: Forbidden: may not be changed once it is set"]);
  expect(change({}, { once: "a" })).toHaveLength(1);
  expect(change({ never: "a" }, {})).toEqual(["spec.never: Forbidden: may not be updated"]);
  expect(change({ wrong: "a" }, {})).toEqual(['spec.wrong: Invalid value: "a": cannot change it']);
});

test("immutable fields keep their first value", () => {
  const Inner = struct("test.v1.Inner", {
    fixed: elided(string()).immutable().reported("fxd"),
    free: elided(string()),
  });
  const check = unchanged(
    struct("test.v1.Spec", { inner: optional(Inner), whole: elided(list(string())).immutable() }),
  );
  expect(
    short(check({ inner: { fixed: "b", free: "x" } }, { inner: { fixed: "a" }, whole: ["a"] }, "spec", "1.21")),
  ).toEqual([
    'Invalid spec.inner.fxd: Invalid value: "b": field is immutable',
    "Invalid spec.whole: Invalid value: null: field is immutable",
  ]);
  expect(check({ whole: [] }, {}, "spec", "1.21")).toEqual([]);
});

test("objects of a kind are checked by the rules of its fields, but not of its status", () => {
  const limited = () => elided(int32()).atLeast(0).immutable();
  const Declared = kind({
    group: "",
    version: "v1",
    kind: "Box",
    resource: "boxes",
    scope: "Namespaced",
    doc: "A box.",
    fields: { size: limited(), status: limited() },
    validate: () => [forbidden("lid", "must not be open")],
  });
  const Box = createCatalog([Declared], environment).families()[0]!.hub;
  const box = { metadata: {}, size: -1, status: -1 };
  expect(Box.strategy.validate?.(box, environment).map(({ field }) => field)).toEqual(["size", "lid"]);
  const old = { metadata: {}, size: 1 };
  expect(Box.strategy.validateUpdate?.(box, old, environment).map(({ field }) => field)).toEqual([
    "size",
    "size",
    "lid",
  ]);
});
