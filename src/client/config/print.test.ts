import { describe, expect, test } from "vitest";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { clientConfiguration, printClientConfiguration, serverOf, updateClientConfiguration } from "./print.ts";

const at = (port: number) => clientConfiguration({ server: `https://127.0.0.1:${port}`, key: "k" }, kubernetes);

describe("a client configuration that its user has changed", () => {
  test("is not rewritten if nothing changes", () => {
    const text = printClientConfiguration(at(6443)).replace("{", "{ ");
    expect(updateClientConfiguration(text, at(6443))).toBe(text);
  });

  test("keeps namespaces, contexts and other clusters when the server moves", () => {
    const { clusters, users, contexts, ...rest } = at(6443);
    const mine = { name: "mine", context: { cluster: "other", user: "me", namespace: "x" } };
    const changed = {
      ...rest,
      clusters: [{ name: "other", cluster: { server: "https://example.com" } }, ...clusters],
      users,
      contexts: [{ ...contexts[0]!, context: { ...contexts[0]!.context, namespace: "team" } }, mine],
      "current-context": "mine",
    };
    const next = JSON.parse(updateClientConfiguration(JSON.stringify(changed), at(7443)));
    expect(next).toEqual({
      ...changed,
      clusters: [changed.clusters[0], { ...clusters[0]!, cluster: { server: "https://127.0.0.1:7443" } }],
    });
  });

  test("is also read as YAML, as kubectl writes it", () => {
    const yaml = `apiVersion: v1
kind: Config
clusters:
- name: kubernetes
  cluster: {server: "https://127.0.0.1:6443"}
contexts:
- name: kubernetes
  context: {cluster: kubernetes, user: kubernetes-admin, namespace: team}
users: []
current-context: kubernetes
`;
    expect(serverOf(yaml)).toBe("https://127.0.0.1:6443");
    const next = JSON.parse(updateClientConfiguration(yaml, at(7443)));
    expect(next.contexts[0].context.namespace).toBe("team");
    expect(serverOf(JSON.stringify(next))).toBe("https://127.0.0.1:7443");
  });

  test("is recreated when it is damaged or of another kind", () => {
    for (const text of ["{", "- a", "kind: Pod", ""]) {
      expect(updateClientConfiguration(text, at(6443))).toBe(printClientConfiguration(at(6443)));
      expect(serverOf(text)).toBeUndefined();
    }
  });
});
