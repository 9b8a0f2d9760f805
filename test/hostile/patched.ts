/** A server with objects to patch, one named `target` in each place. */

import { beforeAll, expect } from "vitest";
import { useTarget } from "./target.ts";

export const core = "/api/v1/namespaces/default";
export const configMap = `${core}/configmaps/target`;
export const deployment = "/apis/apps/v1/namespaces/default/deployments/target";

export const jsonPatch = "application/json-patch+json";
export const mergePatch = "application/merge-patch+json";
export const strategicPatch = "application/strategic-merge-patch+json";
export const applyPatch = "application/apply-patch+yaml";

const container = { name: "c", image: "i" };
const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers: [container] } };

export const places = [
  { path: `${core}/configmaps`, body: { data: { a: "1" } } },
  { path: `${core}/secrets`, body: { stringData: { a: "1" } } },
  { path: `${core}/pods`, body: { spec: { containers: [container] } } },
  { path: `${core}/services`, body: { spec: { clusterIP: "None", ports: [{ port: 80 }] } } },
  {
    path: "/apis/apps/v1/namespaces/default/deployments",
    body: { spec: { selector: { matchLabels: labels }, template } },
  },
];

export function usePatched() {
  const target = useTarget();
  beforeAll(async () => {
    for (const { path, body } of places) {
      const { status, text } = await target.post(path, { metadata: { name: "target" }, ...body });
      expect([path, status, status === 201 ? "" : text]).toEqual([path, 201, ""]);
    }
  });
  const patch = (path: string, type: string, bytes: string) => target.request(path, { method: "PATCH", type, bytes });
  return { target, patch };
}
