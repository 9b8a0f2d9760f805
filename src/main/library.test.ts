import { mkdtemp, rm } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CreateServerOptions, createServer, type OrchServer } from "./library.ts";

async function withServer(options: CreateServerOptions, use: (server: OrchServer) => Promise<void>): Promise<void> {
  const server = await createServer(options);
  try {
    await use(server);
  } finally {
    await server.close();
  }
}
const post = (server: OrchServer, path: string, body: unknown) =>
  server.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const configMaps = "/api/v1/namespaces/default/configmaps";
async function names(server: OrchServer, path: string): Promise<string[]> {
  const list = (await (await server.fetch(path)).json()) as { items: { metadata: { name: string } }[] };
  return list.items.map(({ metadata }) => metadata.name);
}

describe("createServer", () => {
  test("answers without a socket, and has no url until it listens", () =>
    withServer({ controllers: false }, async (server) => {
      expect(server.url).toBeUndefined();
      expect((await post(server, configMaps, { metadata: { name: "a" } })).status).toBe(201);
      expect(await names(server, configMaps)).toEqual(["a"]);
      expect(server.url).toBeUndefined();
    }));

  test("applies all PUTs that create one object at the same time, each with its own body", () =>
    withServer({ controllers: false }, async (server) => {
      const put = async (holder: string) => {
        const response = await server.fetch("/api/v1/namespaces/default/endpoints/raced", {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ metadata: { name: "raced", labels: { holder } } }),
        });
        const { metadata } = (await response.json()) as { metadata: { labels?: Record<string, string> } };
        return { code: response.status, holder: metadata.labels?.holder };
      };
      const answers = await Promise.all(["a", "b", "c"].map(put));
      expect(answers.map(({ code }) => code).sort()).toEqual([200, 200, 201]);
      expect(answers.map(({ holder }) => holder)).toEqual(["a", "b", "c"]);
    }));

  test("prints the members of namespaces in the usual order", () =>
    withServer({ controllers: false }, async (server) => {
      const namespace = (await (await server.fetch("/api/v1/namespaces/default")).json()) as object;
      expect(Object.keys(namespace)).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
    }));

  test("starts with the namespaces of its vocabulary", async () => {
    await withServer({}, async (server) => {
      expect(await names(server, "/api/v1/namespaces")).toEqual([
        "default",
        "orch-node-lease",
        "orch-public",
        "orch-system",
      ]);
    });
    await withServer({ vocabulary: "kubernetes" }, async (server) => {
      expect(await names(server, "/api/v1/namespaces")).toEqual([
        "default",
        "kube-node-lease",
        "kube-public",
        "kube-system",
      ]);
    });
  });

  test("runs the controllers: service accounts, root certificates, valid tokens, deletion of namespaces", () =>
    withServer({ authorization: "RBAC" }, async (server) => {
      const isThere = async (path: string) => {
        for (;;) {
          const answer = await server.fetch(path);
          if (answer.ok) return await answer.json();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      };
      await post(server, "/api/v1/namespaces", { metadata: { name: "shop" } });
      await isThere("/api/v1/namespaces/shop/serviceaccounts/default");
      await isThere("/api/v1/namespaces/shop/configmaps/orch-root-ca.crt");
      const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
      expect((await post(server, "/api/v1/namespaces/shop/pods", pod)).status).toBe(201);
      const answer = await post(server, "/api/v1/namespaces/shop/serviceaccounts/default/token", {});
      const { status } = (await answer.json()) as { status: { token: string } };
      const review = { spec: { token: status.token } };
      const reviewed = await post(server, "/apis/authentication.orch.io/v1/tokenreviews", review);
      expect(await reviewed.json()).toMatchObject({
        status: { authenticated: true, user: { username: "system:serviceaccount:shop:default" } },
      });
      await server.fetch("/api/v1/namespaces/shop", { method: "DELETE" });
      while ((await server.fetch("/api/v1/namespaces/shop")).ok) await new Promise((resolve) => setTimeout(resolve, 5));
    }));

  test("runs the requested controllers, and reports unknown ones", async () => {
    await withServer({ controllers: ["replicaset", "-garbagecollector"] }, async (server) => {
      const spec = {
        replicas: 2,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      };
      await post(server, "/apis/apps/v1/namespaces/default/replicasets", { metadata: { name: "r" }, spec });
      while ((await names(server, "/api/v1/namespaces/default/pods")).length < 2)
        await new Promise((resolve) => setTimeout(resolve, 5));
    });
    // @ts-expect-error there is no such controller
    await expect(createServer({ controllers: ["nobody"] })).rejects.toThrow(
      /there is no controller "nobody"; there are .*deployment, /,
    );
    // @ts-expect-error nor this one
    await expect(createServer({ controllers: ["-deploymnt"] })).rejects.toThrow(
      'controllers: there is no controller "deploymnt"; did you mean "deployment"?',
    );
  });

  test("refuses options, gates and kinds that do not exist, and says which were probably meant", async () => {
    const says = (options: object) => createServer(options).then(String, (error: Error) => error.message);
    expect(await says({ controlers: false })).toBe(
      'createServer has no option "controlers"; did you mean "controllers"?',
    );
    expect(await says({ telescope: 1 })).toMatch(/^createServer has no option "telescope"; there are .*\bvocabulary, /);
    expect(await says({ featureGates: { APIServerIdentiti: true } })).toBe(
      'featureGates: unrecognized feature gate: APIServerIdentiti; did you mean "APIServerIdentity"?',
    );
    expect(await says({ runtimeConfig: { "bach/v1": true } })).toBe(
      'runtimeConfig: unknown api groups bach; did you mean "batch"?',
    );
    expect(await says({ runtimeConfig: { "batch/v1beta2": true } })).toBe(
      'runtimeConfig: group version batch/v1beta2 that has not been registered; did you mean "batch/v1beta1"?',
    );
    for (const option of ["enableAdmissionPlugins", "disableAdmissionPlugins"])
      expect(await says({ [option]: ["AlwaysDenny"] })).toBe(
        'there is no admission plugin "AlwaysDenny"; did you mean "AlwaysDeny"?',
      );
    expect(await says({ admissionConfiguration: { EventRateLimits: {} } })).toBe(
      'admissionConfiguration: there is no admission plugin "EventRateLimits"; did you mean "EventRateLimit"?',
    );
    await withServer({ controllers: false }, async (server) => {
      const wait = (kind: string) => server.until(kind, "x", () => true).then(String, (error: Error) => error.message);
      expect(await wait("Deploymnt")).toBe('the server has no kind "Deploymnt"; did you mean "Deployment"?');
      expect(await wait("Telescope")).toBe('the server has no kind "Telescope"');
    });
  });

  test("several servers share nothing", async () => {
    const servers = await Promise.all([1, 2, 3].map(() => createServer({ controllers: false })));
    await post(servers[0]!, configMaps, { metadata: { name: "only-here" } });
    expect(await Promise.all(servers.map((server) => names(server, configMaps)))).toEqual([["only-here"], [], []]);
    await Promise.all(servers.map((server) => server.close()));
  });

  test("listens on request, and its client configuration works", () =>
    withServer({ listen: true }, async (server) => {
      const { server: url, authority, certificate, key, kubeconfig } = await server.clientConfig();
      expect(url).toBe(server.url);
      expect(kubeconfig.clusters[0]?.cluster["server"]).toBe(url);
      const status = await new Promise((done, fail) => {
        get(`${url}/api/v1/namespaces`, { ca: authority, cert: certificate, key, agent: false }, (answer) => {
          answer.resume();
          done(answer.statusCode);
        }).on("error", fail);
      });
      expect(status).toBe(200);
    }));

  test("over the network a request without a credential is refused", () =>
    withServer({ tokens: { "s3cret, with comma": { name: "alice", groups: ["dev", "qa"] } } }, async (server) => {
      const url = await server.listen();
      const statusOf = (headers: Record<string, string>) =>
        new Promise((done, fail) => {
          get(`${url}/api/v1/namespaces`, { rejectUnauthorized: false, headers, agent: false }, (answer) => {
            answer.resume();
            done(answer.statusCode);
          }).on("error", fail);
        });
      expect(await statusOf({})).toBe(401);
      expect(await statusOf({ authorization: "Bearer wrong" })).toBe(401);
    }));

  test("a token is a user with the same members as elsewhere", () =>
    withServer({ tokens: { good: { name: "ann", uid: "7", groups: ["dev"] } } }, async (server) => {
      const answer = await server.fetch("/apis/authentication.orch.io/v1/tokenreviews", {
        method: "POST",
        body: JSON.stringify({ spec: { token: "good" } }),
      });
      const user = { username: "ann", uid: "7", groups: ["dev", "system:authenticated"] };
      expect(await answer.json()).toMatchObject({ status: { authenticated: true, user } });
    }));

  test("with RBAC the roles decide", () =>
    withServer({ authorization: "RBAC" }, async (server) => {
      const asAlice = server.fetchAs({ name: "alice" });
      expect((await asAlice("/api/v1/secrets")).status).toBe(403);
      await post(server, "/apis/rbac.authorization.orch.io/v1/clusterrolebindings", {
        metadata: { name: "alice" },
        roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: "alice" }],
      });
      expect((await asAlice("/api/v1/secrets")).status).toBe(200);
    }));

  test("a given source of randomness makes names and uids repeatable", async () => {
    const make = async () => {
      let state = 7;
      const random = (below: number) => {
        state = (state * 48_271) % 2_147_483_647;
        return state % below;
      };
      const server = await createServer({ random });
      const answer = await post(server, configMaps, { metadata: { generateName: "a-" } });
      const { metadata } = (await answer.json()) as { metadata: { name: string; uid: string } };
      await server.close();
      return [metadata.name, metadata.uid];
    };
    expect(await make()).toEqual(await make());
  });

  test("closing ends a watch cleanly, and can be done twice", async () => {
    const server = await createServer();
    const watch = await server.fetch(`${configMaps}?watch=true`);
    const ended = watch.text();
    await server.close();
    await server.close();
    expect(await ended).toBe("");
    await expect(server.listen()).rejects.toThrow("the server is closed");
  });

  test("is closed at the end of a block that uses it", async () => {
    let closed: OrchServer;
    {
      await using server = await createServer();
      closed = server;
      expect((await server.fetch("/readyz")).status).toBe(200);
    }
    await expect(closed.listen()).rejects.toThrow("the server is closed");
  });

  test("does not affect the process: no handlers, nothing printed", async () => {
    const events = ["SIGTERM", "SIGINT", "SIGHUP", "unhandledRejection", "uncaughtException", "exit"];
    const before = events.map((event) => process.listenerCount(event));
    await withServer({ listen: true }, async (server) => {
      await server.fetch("/api/v1/namespaces");
    });
    expect(events.map((event) => process.listenerCount(event))).toEqual(before);
  });
});

test("a folder keeps objects between servers, and records its vocabulary", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "orch-library-"));
  try {
    const path = "/api/v1/namespaces/default/configmaps";
    const first = await createServer({ dataDir });
    const headers = { "content-type": "application/json" };
    await first.fetch(path, { method: "POST", headers, body: JSON.stringify({ metadata: { name: "kept" } }) });
    await first.close();
    await expect(createServer({ dataDir, vocabulary: "kubernetes" })).rejects.toThrow('vocabulary "orch"');
    const second = await createServer({ dataDir });
    expect((await second.fetch(`${path}/kept`)).status).toBe(200);
    await second.close();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
