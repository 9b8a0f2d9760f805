/** Gates that a server obeys when they are switched off. */

import { describe, expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

async function withGates(gates: Record<string, boolean>, use: (fetch: typeof globalThis.fetch) => Promise<void>) {
  const server = await createServer({ vocabulary: "kubernetes", featureGates: gates });
  try {
    await use((path, init) => server.fetch(String(path), init));
  } finally {
    await server.close();
  }
}

const json = { "content-type": "application/json" };

/** The parts of a list or a status that tests look at. */
interface Answer {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly items?: readonly unknown[];
  readonly message?: string;
}

const read = async (response: Response) => (await response.json()) as Answer; // the server's own answer

async function fill(fetch: typeof globalThis.fetch): Promise<void> {
  for (const name of ["a", "b", "c"])
    await fetch("/api/v1/namespaces/default/configmaps", {
      method: "POST",
      headers: json,
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }),
    });
}

describe("a gate that is switched off", () => {
  test("RemainingItemCount: a chunk says that more follow, but not how many", () =>
    withGates({ RemainingItemCount: false }, async (fetch) => {
      await fill(fetch);
      const { metadata } = await read(await fetch("/api/v1/namespaces/default/configmaps?limit=1"));
      expect(metadata?.["continue"]).toMatch(/./);
      expect(metadata).not.toHaveProperty("remainingItemCount");
    }));

  test("APIListChunking: limit and continue are ignored, and the list is whole", () =>
    withGates({ APIListChunking: false }, async (fetch) => {
      await fill(fetch);
      for (const query of ["limit=1", "limit=1&continue=nonsense"]) {
        const answer = await fetch(`/api/v1/namespaces/default/configmaps?${query}`);
        expect(answer.status).toBe(200);
        const { metadata, items } = await read(answer);
        expect(items?.length).toBeGreaterThanOrEqual(3);
        expect(metadata).not.toHaveProperty("continue");
      }
    }));

  test("WarningHeaders: a deprecated version is answered without a warning", async () => {
    const path = "/apis/policy/v1beta1/poddisruptionbudgets";
    await withGates({}, async (fetch) => expect((await fetch(path)).headers.get("warning")).toContain("deprecated"));
    await withGates({ WarningHeaders: false }, async (fetch) => {
      const answer = await fetch(path);
      expect([answer.status, answer.headers.get("warning")]).toEqual([200, null]);
    });
  });

  test("ServerSideApply: an apply is 415, and nothing is tracked", () =>
    withGates({ ServerSideApply: false }, async (fetch) => {
      await fill(fetch);
      const answer = await fetch("/api/v1/namespaces/default/configmaps/a?fieldManager=me", {
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
      });
      expect(answer.status).toBe(415);
      const { message } = await read(answer);
      expect(message).not.toContain("apply-patch");
    }));

  test("RemoveSelfLink: objects, items, rows and events show their path, and nothing is stored", () =>
    withGates({ RemoveSelfLink: false }, async (fetch) => {
      await fill(fetch);
      const all = "/api/v1/namespaces/default/configmaps";
      const linkAt = async (path: string, accept = "application/json", init: RequestInit = {}) => {
        const response = await fetch(path, { ...init, headers: { ...json, accept } });
        return response.text();
      };
      const { metadata, items } = JSON.parse(await linkAt(`${all}?limit=2`)) as {
        metadata: { selfLink: string };
        items: { metadata: { name: string; selfLink: string } }[];
      };
      expect(metadata.selfLink).toBe(all);
      expect(items.map((item) => item.metadata.selfLink)).toEqual(items.map((item) => `${all}/${item.metadata.name}`));
      const object = JSON.parse(await linkAt(`${all}/a`)) as { metadata: object };
      expect(object.metadata).toMatchObject({ name: "a", selfLink: `${all}/a` });
      for (const accept of [
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "application/json;as=Table;g=meta.k8s.io;v=v1",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      ])
        expect(await linkAt(`${all}/a`, accept), accept).toContain(`${all}/a`);
      expect(await linkAt(all, "application/vnd.kubernetes.protobuf")).toContain(`${all}/b`);
      expect(await linkAt(`${all}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da`)).toContain(`${all}/a"`);
      // What a client sends is ignored, and the path is that of the subresource.
      const written = { ...object, metadata: { ...object.metadata, selfLink: "/elsewhere" } };
      const answer = await linkAt(`${all}/a`, "application/json", { method: "PUT", body: JSON.stringify(written) });
      expect(JSON.parse(answer).metadata.selfLink).toBe(`${all}/a`);
      expect(JSON.parse(await linkAt("/api/v1/namespaces/default/status")).metadata.selfLink).toBe(
        "/api/v1/namespaces/default/status",
      );
      const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
      const role = JSON.stringify({ metadata: { name: "team:a" }, rules: [] });
      const created = await linkAt(roles, "application/json", { method: "POST", body: role });
      expect(JSON.parse(created).metadata.selfLink).toBe(`${roles}/team%3Aa`);
    }));

  test("RemoveSelfLink: a scale shows the path of the scale", () =>
    withGates({ RemoveSelfLink: false }, async (fetch) => {
      const controllers = "/api/v1/namespaces/default/replicationcontrollers";
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
      const body = JSON.stringify({ metadata: { name: "rc" }, spec: { replicas: 0, template } });
      expect((await fetch(controllers, { method: "POST", headers: json, body })).status).toBe(201);
      const { metadata } = await read(await fetch(`${controllers}/rc/scale`));
      expect(metadata?.["selfLink"]).toBe(`${controllers}/rc/scale`);
    }));

  test("BoundServiceAccountTokenVolume: a pod mounts the Secret with the token of its account", () =>
    withGates({ BoundServiceAccountTokenVolume: false }, async (fetch) => {
      const pods = "/api/v1/namespaces/default/pods";
      const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
      const body = JSON.stringify({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
      const create = async () => {
        const response = await fetch(pods, { method: "POST", headers: json, body });
        return { code: response.status, answer: await response.json() };
      };
      // The Secret follows the account.
      await expect.poll(async () => (await create()).code).toBe(201);
      const pod = (await (await fetch(`${pods}/p`)).json()) as {
        spec: { volumes: { name: string; secret: object }[]; containers: { volumeMounts: object[] }[] };
      };
      const [volume] = pod.spec.volumes;
      expect(volume?.name).toMatch(/^default-token-/);
      expect(volume).toEqual({ name: volume?.name, secret: { secretName: volume?.name, defaultMode: 0o644 } });
      expect(pod.spec.containers[0]?.volumeMounts).toEqual([{ name: volume?.name, readOnly: true, mountPath }]);
    }));

  test("BoundServiceAccountTokenVolume: a pod of an account without a token is refused, with a time to try again", () =>
    withGates({ BoundServiceAccountTokenVolume: false }, async (fetch) => {
      const post = (path: string, body: object) =>
        fetch(path, { method: "POST", headers: json, body: JSON.stringify(body) });
      await post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "new" } });
      const refused = await post("/api/v1/namespaces/default/pods?dryRun=All", {
        metadata: { name: "p" },
        spec: { serviceAccountName: "new", containers: [{ name: "c", image: "i" }] },
      });
      if (refused.status === 201) return; // the controller was faster
      expect(refused.status).toBe(500);
      expect(await refused.json()).toMatchObject({
        reason: "ServerTimeout",
        message: expect.stringContaining('No API token found for service account "new"'),
        details: { retryAfterSeconds: 1 },
      });
    }));
});
