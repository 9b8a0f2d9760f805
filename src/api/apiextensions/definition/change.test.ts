import { describe, expect, test } from "vitest";
import { create, show, update } from "../../life.suite.ts";
import { beta, environment, metadata, old, stable, v1, version } from "./definition.suite.ts";

describe("an update of a definition", () => {
  const established = (given: object = {}) => {
    const made = create(v1, stable(given));
    const status = made.hub["status"] as object;
    return {
      ...made,
      hub: { ...made.hub, status: { ...status, conditions: [{ type: "Established", status: "True" }] } },
    };
  };
  const withStatus = (given: object, storedVersions: string[]) => ({ ...stable(given), status: { storedVersions } });

  test("must not change group and plural, nor scope and kind once it is established", () => {
    const changed = { scope: "Cluster", names: { plural: "others", kind: "Other" }, group: "example.org" };
    expect(update(v1, withStatus(changed, ["v1"]), established()).problems).toEqual([
      "Invalid spec.group",
      "Invalid spec.names.kind",
      "Invalid spec.names.plural",
      "Invalid spec.scope",
    ]);
    expect(update(v1, withStatus({ scope: "Cluster" }, ["v1"]), create(v1, stable())).problems).toEqual([]);
  });

  test("adds each storage version to storedVersions and must not remove a stored version", () => {
    const second = { versions: [version({ storage: false }), version({ name: "v2" })] };
    const moved = update(v1, withStatus(second, ["v1"]), established());
    expect([moved.problems, (moved.hub["status"] as { storedVersions: string[] }).storedVersions]).toEqual([
      [],
      ["v1", "v2"],
    ]);
    const dropped = update(v1, withStatus({ versions: [version({ name: "v2" })] }, ["v1", "v2"]), moved);
    expect(dropped.problems).toEqual(["Invalid status.storedVersions[0]"]);
  });

  test("through v1 is accepted although v1 would refuse the definition on create", () => {
    const loose = create(beta, old({ validation: { openAPIV3Schema: { properties: { a: { type: "odd" } } } } }));
    const shown = v1.fromHub(loose.hub);
    expect(update(v1, { ...shown, metadata: { ...metadata, labels: { a: "b" } } }, loose).problems).toEqual([]);
  });

  test("is not checked by rules that the stored definition breaks, but by all others", () => {
    const loose = create(beta, old({ validation: { openAPIV3Schema: { properties: { a: { type: "odd" } } } } }));
    const shown = v1.fromHub(loose.hub);
    const change = (names: object) =>
      update(
        v1,
        { ...shown, spec: { ...(shown["spec"] as object), names: { plural: "things", kind: "Thing", ...names } } },
        loose,
      );
    expect(change({ categories: ["all"] }).problems).toEqual([]);
    expect(change({ categories: ["All"] }).problems).toEqual(["Invalid spec.names.categories[0]"]);
    const strict = create(v1, stable());
    const odd = { openAPIV3Schema: { type: "object", properties: { a: { type: "odd" } } } };
    expect(update(v1, withStatus({ versions: [version({ schema: odd })] }, ["v1"]), strict).problems).toEqual([
      "NotSupported spec.validation.openAPIV3Schema.properties[a].type",
    ]);
  });

  test("must have valid accepted names", () => {
    const { hub } = create(v1, stable());
    const next = {
      ...v1.fromHub(hub),
      status: { conditions: [], storedVersions: ["v1"], acceptedNames: { plural: "A B", kind: "" } },
    };
    const validate = v1.subresources.get("status")?.validate;
    expect(show(validate?.(next, hub, environment) ?? [])).toEqual(["Invalid status.acceptedNames.plural"]);
  });
});
