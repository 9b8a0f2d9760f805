import { expect, test } from "vitest";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { openFixture } from "../fixture.suite.ts";
import { rememberedCharsMax, SelectionCache } from "./selection-cache.ts";

test("equal selectors share one selection, and memory for old ones is bounded", async () => {
  const { catalog, registry } = await openFixture();
  try {
    const kind = catalog.families()[0]!.hub;
    const cache = new SelectionCache();
    const query = { namespace: "", labelSelector: `app in (${"x".repeat(60)})` };
    const first = cache.of(kind, query);
    expect(cache.of(kind, { ...query })).toBe(first);
    expect(cache.of(kind, { ...query, namespace: "a" })).not.toBe(first);
    for (let index = 0; index < rememberedCharsMax / 500; index++) {
      cache.of(kind, {
        namespace: "",
        labelSelector: `a${index} in (${Array.from({ length: 10 }, () => "v".repeat(60)).join(",")})`,
      });
    }
    expect(cache.of(kind, query)).not.toBe(first);
    expect(cache.of(kind, query)).toBe(cache.of(kind, query));
  } finally {
    await registry.close();
  }
});

test("a kind that was changed selects by its own fields, whatever was selected before", async () => {
  const { catalog, registry } = await openFixture();
  try {
    const kind = catalog.families()[0]!.hub;
    const cache = new SelectionCache();
    const query = { namespace: "", fieldSelector: "spec.color=red" };
    const withFields = (selectableFields: Record<string, () => string>): BoundKind => ({
      ...kind,
      family: { ...kind.family, strategy: { ...kind.family.strategy, selectableFields } },
    });
    const before = withFields({ "spec.color": () => "" });
    expect(cache.of(before, query)).toBe(cache.of(before, query));
    expect(() => cache.of(withFields({}), query)).toThrow("field label not supported: spec.color");
    expect(cache.of(before, query).terms).toEqual([{ index: "field spec.color", values: ["red"] }]);
  } finally {
    await registry.close();
  }
});
