import { describe, expect, test } from "vitest";
import { apiserverFlags } from "./flags/apiserver-flags.ts";
import { parseFlags } from "./flags/parse.ts";
import { withStrictness } from "./up.ts";

const strict = (...args: string[]) => withStrictness(parseFlags(apiserverFlags, args).values);

describe("B05 `orch up` is strict", () => {
  test("node agents are restricted, whatever other plugins are asked for", () => {
    expect(strict()["enable-admission-plugins"]).toEqual(["NodeRestriction"]);
    const more = strict("--enable-admission-plugins=NodeRestriction,AlwaysPullImages");
    expect(more["enable-admission-plugins"]).toEqual(["NodeRestriction", "AlwaysPullImages"]);
    expect(strict("--disable-admission-plugins=NodeRestriction")["enable-admission-plugins"]).toEqual([]);
  });

  test("questions about access are served under orch's own names, unless turned off", () => {
    const served = (...args: string[]) => strict(...args)["runtime-config"].get("access.orch.io/v1alpha1");
    expect(served()).toBe("true");
    expect(served("--runtime-config=access.orch.io/v1alpha1=false")).toBe("false");
    expect(served("--vocabulary=kubernetes")).toBeUndefined();
  });
});
