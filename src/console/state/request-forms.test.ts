import { describe, expect, test } from "vitest";
import type { DiscoveredResource } from "../../client/contract.ts";
import { formsOf } from "./request-forms.ts";

const nodes: DiscoveredResource = {
  group: "",
  version: "v1",
  kind: "Node",
  resource: "nodes",
  namespaced: false,
  singularName: "node",
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: [],
};
const pods = { ...nodes, kind: "Pod", resource: "pods", namespaced: true };

describe("the forms of a request", () => {
  test("list all namespaces, or one", () => {
    const all = formsOf({ verb: "list", resource: pods, namespace: "", name: "" });
    expect(all).toMatchObject({ method: "GET", path: "/api/v1/pods", ctl: "ctl get pods -A" });
    const one = formsOf({ verb: "watch", resource: pods, namespace: "shop", name: "" });
    expect(one.path).toBe("/api/v1/namespaces/shop/pods?watch=true");
    expect(one.ctl).toBe("ctl get pods -n shop --watch");
    expect(one.typescript).toContain('objects.watch({ namespace: "shop" })');
  });

  test("name an object, quoted for a shell", () => {
    const forms = formsOf({ verb: "patch", resource: nodes, namespace: "", name: "a'b; rm" });
    expect(forms.ctl).toContain(`ctl patch nodes 'a'\\''b; rm' --type=merge`);
    expect(forms.curl).toContain("-X PATCH");
    expect(forms.curl).not.toContain("; rm");
    expect(forms.typescript).toContain(`objects.patch("a'b; rm",`);
  });

  test("create in a namespace, that of the default if none is given", () => {
    expect(formsOf({ verb: "create", resource: pods, namespace: "", name: "" }).path).toBe(
      "/api/v1/namespaces/default/pods",
    );
  });
});
