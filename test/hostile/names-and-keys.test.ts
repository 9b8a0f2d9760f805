/** Names that would reach other keys, addresses that two readers read differently, and texts that keep a pattern busy. */

import { describe, expect, test } from "vitest";
import { createChance, useTarget } from "./target.ts";

const target = useTarget();
const core = "/api/v1/namespaces/default";
const rbac = "/apis/rbac.authorization.orch.io/v1";

describe("N22 store keys", () => {
  test("N22 store keys: kinds and namespaces whose names begin alike do not see each other", async () => {
    const namespaces = ["a", "aa", "a-a", "a.a", "aaa"].filter((name) => !name.includes("."));
    for (const name of namespaces)
      expect((await target.post("/api/v1/namespaces", { metadata: { name } })).status).toBe(201);
    for (const namespace of namespaces) {
      for (const name of ["a", "aa", "a.a", "a-a"]) {
        expect(
          (
            await target.post(`/api/v1/namespaces/${namespace}/configmaps`, {
              metadata: { name },
              data: { of: namespace },
            })
          ).status,
        ).toBe(201);
        expect((await target.post(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name } })).status).toBe(201);
      }
    }
    for (const namespace of namespaces) {
      const { body } = await target.request(`/api/v1/namespaces/${namespace}/configmaps`);
      expect(
        body.items.map(({ metadata, data }: { metadata: { namespace: string }; data: { of: string } }) => [
          metadata.namespace,
          data.of,
        ]),
      ).toEqual(Array(4).fill([namespace, namespace]));
    }
    await target.request("/api/v1/namespaces/a/configmaps", { method: "DELETE" });
    expect((await target.request("/api/v1/namespaces/aa/configmaps")).body.items).toHaveLength(4);
    expect((await target.request("/api/v1/namespaces/a/secrets")).body.items).toHaveLength(4);
  });

  test("N22 store keys: odd names are invalid or stay in their place", async () => {
    const chance = createChance(22);
    const alphabet = [
      "a",
      "b",
      "/",
      "\u0000",
      "\u00ff",
      "%",
      ".",
      "..",
      "-",
      " ",
      "\n",
      "é",
      "\ud800",
      "Z",
      "_",
      "~",
      ":",
      "\\",
      "configmaps",
      "\u202e",
    ];
    const names = Array.from({ length: 80 }, () =>
      Array.from({ length: 1 + chance(6) }, () => alphabet[chance(alphabet.length)]).join(""),
    );
    const before = (await target.request(`${rbac}/clusterroles?limit=1`)).body.metadata;
    expect(before.resourceVersion).toBeDefined();
    let made = 0;
    for (let at = 0; at < names.length; at += 10) {
      await Promise.all(
        names.slice(at, at + 10).map(async (name) => {
          expect((await target.post(`${core}/configmaps`, { metadata: { name: `${name}/` } })).status).toBe(422);
          // Roles may have any name that is one segment of a path.
          const role = await target.post(`${rbac}/namespaces/default/roles`, { metadata: { name }, rules: [] });
          expect([201, 409, 422]).toContain(role.status);
          if (role.status !== 201) return;
          made++;
          expect(name).not.toMatch(/[/%]/);
          const kept: string = role.body.metadata.name;
          const read = await target.request(`${rbac}/namespaces/default/roles/${encodeURIComponent(kept)}`);
          // What cannot be said in a path can still be listed and deleted by list.
          if (read.status === 200) expect(read.body.metadata.name).toBe(kept);
          else expect([400, 404]).toContain(read.status);
        }),
      );
    }
    expect((await target.request(`${rbac}/namespaces/default/roles`)).body.items.length).toBe(made);
    expect((await target.request(`${core}/configmaps`)).body.items).toEqual([]);
  });

  test("N22 store keys: names that are longer than a key are refused before the store", async () => {
    for (const length of [254, 512, 1_900, 4_096, 100_000]) {
      for (const [path, name] of [
        [`${core}/configmaps`, "x".repeat(length)],
        [`${rbac}/clusterroles`, "é".repeat(length)],
      ] as const) {
        const { status } = await target.post(path, {
          metadata: { name },
          ...(path.endsWith("roles") ? { rules: [] } : {}),
        });
        // Names of roles are bounded by the key alone.
        const fits = path.endsWith("roles") && 2 * length < 1_900;
        expect([path, length, status]).toEqual([path, length, fits ? 201 : 422]);
      }
    }
  });

  test("N22 store keys: generated names stay names", async () => {
    for (const generateName of ["../", "a/", "A", "-", ".", "a".repeat(300), "\u0000", "__proto__"]) {
      expect([
        generateName,
        (await target.post(`${core}/configmaps`, { metadata: { generateName } })).status === 422 ||
          generateName === "a".repeat(300),
      ]).toEqual([generateName, true]);
    }
  });
});

const special = ["127.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "::1", "fe80::1", "::ffff:127.0.0.1"];
/** Spellings that some readers take for an address. */
const ambiguous = [
  "010.8.8.8",
  "0x7f.1",
  "127.1",
  "2130706433",
  "1.2.3.4.5",
  "1.2.3",
  "1.2.3.256",
  "1.2.3.4 ",
  " 1.2.3.4",
  "1.2.3.4%eth0",
  "fe80::1%eth0",
  "::ffff:010.8.8.8",
  "1.2.3.4\n",
  "１.2.3.4",
  "+1.2.3.4",
  "1.2.3.4/32",
  "[::2]",
];

describe("C15 and C34 addresses", () => {
  const endpoints = (ip: string) =>
    target.post(`${core}/endpoints?dryRun=All`, {
      metadata: { name: "e" },
      subsets: [{ addresses: [{ ip }], ports: [{ port: 80 }] }],
    });
  const slices = (ip: string, version: string) =>
    target.post(`/apis/discovery.orch.io/${version}/namespaces/default/endpointslices?dryRun=All`, {
      metadata: { name: "e" },
      addressType: ip.includes(":") ? "IPv6" : "IPv4",
      endpoints: [{ addresses: [ip] }],
      ports: [{ name: "a", port: 80 }],
    });

  for (const ip of [...special, ...ambiguous]) {
    const row = special.includes(ip) ? "C15 special addresses" : "C34 ambiguous addresses";
    test(`${row}: ${JSON.stringify(ip)} is no endpoint, in either kind`, async () => {
      expect((await endpoints(ip)).status).toBe(422);
      for (const version of ["v1", "v1beta1"]) expect((await slices(ip, version)).status).toBe(422);
    });
  }

  test("C15 special addresses: a patch does not let them in either", async () => {
    await target.post(`${core}/endpoints`, {
      metadata: { name: "e" },
      subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }],
    });
    for (const ip of special) {
      const bytes = JSON.stringify({ subsets: [{ addresses: [{ ip }], ports: [{ port: 80 }] }] });
      const { status } = await target.request(`${core}/endpoints/e`, {
        method: "PATCH",
        type: "application/merge-patch+json",
        bytes,
      });
      expect([ip, status]).toEqual([ip, 422]);
    }
  });

  for (const ip of ambiguous) {
    test(`C34 ambiguous addresses: ${JSON.stringify(ip)} is none for services and policies`, async () => {
      const service = await target.post(`${core}/services?dryRun=All`, {
        metadata: { name: "s" },
        spec: { clusterIP: "None", externalIPs: [ip], ports: [{ port: 80 }] },
      });
      expect(service.status).toBe(422);
      const policy = await target.post("/apis/networking.orch.io/v1/namespaces/default/networkpolicies?dryRun=All", {
        metadata: { name: "p" },
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: `${ip}/32` } }] }] },
      });
      expect(policy.status).toBe(422);
    });
  }
});

describe("N10 patterns kept busy", () => {
  const pod = (spec: object, metadata: object = {}) => ({
    metadata: { name: "p", ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });
  const container = (fields: object) => pod({ containers: [{ name: "c", image: "i", ...fields }] });
  const fields: { what: string; path: string; body(text: string): object }[] = [
    { what: "names", path: `${core}/configmaps`, body: (name) => ({ metadata: { name } }) },
    { what: "prefixes of names", path: `${core}/configmaps`, body: (generateName) => ({ metadata: { generateName } }) },
    {
      what: "label keys",
      path: `${core}/configmaps`,
      body: (key) => ({ metadata: { name: "n", labels: { [key]: "v" } } }),
    },
    {
      what: "label values",
      path: `${core}/configmaps`,
      body: (value) => ({ metadata: { name: "n", labels: { a: value } } }),
    },
    {
      what: "annotation keys",
      path: `${core}/configmaps`,
      body: (key) => ({ metadata: { name: "n", annotations: { [key]: "v" } } }),
    },
    {
      what: "finalizers",
      path: `${core}/configmaps`,
      body: (text) => ({ metadata: { name: "n", finalizers: [text] } }),
    },
    {
      what: "owners",
      path: `${core}/configmaps`,
      body: (text) => ({
        metadata: { name: "n", ownerReferences: [{ apiVersion: text, kind: text, name: text, uid: text }] },
      }),
    },
    {
      what: "managers",
      path: `${core}/configmaps`,
      body: (text) => ({
        metadata: {
          name: "n",
          managedFields: [{ manager: text, operation: "Update", apiVersion: text, fieldsType: "FieldsV1", time: text }],
        },
      }),
    },
    {
      what: "keys of data",
      path: `${core}/configmaps`,
      body: (key) => ({ metadata: { name: "n" }, data: { [key]: "v" } }),
    },
    {
      what: "binary data",
      path: `${core}/configmaps`,
      body: (text) => ({ metadata: { name: "n" }, binaryData: { a: text } }),
    },
    {
      what: "quantities",
      path: `${core}/pods`,
      body: (text) => container({ resources: { limits: { memory: text } } }),
    },
    {
      what: "resource names",
      path: `${core}/pods`,
      body: (text) => container({ resources: { limits: { [text]: "1" } } }),
    },
    {
      what: "variables",
      path: `${core}/pods`,
      body: (name) => container({ env: [{ name, valueFrom: { fieldRef: { fieldPath: name } } }] }),
    },
    {
      what: "port names",
      path: `${core}/pods`,
      body: (name) => container({ ports: [{ name, containerPort: 80, hostIP: name }] }),
    },
    {
      what: "probes",
      path: `${core}/pods`,
      body: (text) =>
        container({
          livenessProbe: {
            httpGet: { path: text, port: text, host: text, httpHeaders: [{ name: text, value: text }] },
          },
        }),
    },
    {
      what: "volumes",
      path: `${core}/pods`,
      body: (text) =>
        pod({
          volumes: [
            { name: text, hostPath: { path: text } },
            { name: "s", secret: { secretName: text, items: [{ key: text, path: text }] } },
          ],
        }),
    },
    {
      what: "host names",
      path: `${core}/pods`,
      body: (text) =>
        pod({ hostname: text, subdomain: text, nodeName: text, hostAliases: [{ ip: text, hostnames: [text] }] }),
    },
    {
      what: "sysctls",
      path: `${core}/pods`,
      body: (name) => pod({ securityContext: { sysctls: [{ name, value: name }] } }),
    },
    {
      what: "tolerations",
      path: `${core}/pods`,
      body: (key) => pod({ tolerations: [{ key, operator: "Equal", value: key }] }),
    },
    {
      what: "affinities",
      path: `${core}/pods`,
      body: (key) =>
        pod({
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "Gt", values: [key] }] }],
              },
            },
          },
        }),
    },
    {
      what: "addresses of services",
      path: `${core}/services`,
      body: (text) => ({
        metadata: { name: "s" },
        spec: {
          clusterIP: text,
          externalName: text,
          loadBalancerIP: text,
          loadBalancerSourceRanges: [text],
          ports: [{ port: 80, name: text, targetPort: text }],
        },
      }),
    },
    {
      what: "schedules",
      path: "/apis/batch/v1/namespaces/default/cronjobs",
      body: (schedule) => ({
        metadata: { name: "c" },
        spec: { schedule, jobTemplate: { spec: { template: pod({ restartPolicy: "Never" }) } } },
      }),
    },
    {
      what: "times",
      path: "/apis/coordination.orch.io/v1/namespaces/default/leases",
      body: (text) => ({ metadata: { name: "l" }, spec: { renewTime: text, holderIdentity: text } }),
    },
    {
      what: "hosts and paths of ingresses",
      path: "/apis/networking.orch.io/v1/namespaces/default/ingresses",
      body: (text) => ({
        metadata: { name: "i" },
        spec: {
          tls: [{ hosts: [text] }],
          rules: [
            {
              host: text,
              http: {
                paths: [{ path: text, pathType: "Prefix", backend: { service: { name: text, port: { name: text } } } }],
              },
            },
          ],
        },
      }),
    },
    {
      what: "blocks of policies",
      path: "/apis/networking.orch.io/v1/namespaces/default/networkpolicies",
      body: (cidr) => ({
        metadata: { name: "p" },
        spec: {
          podSelector: { matchLabels: { [cidr]: cidr } },
          ingress: [{ from: [{ ipBlock: { cidr, except: [cidr] } }], ports: [{ port: cidr }] }],
        },
      }),
    },
    {
      what: "rules of roles",
      path: `${rbac}/clusterroles`,
      body: (text) => ({
        metadata: { name: text },
        rules: [{ apiGroups: [text], resources: [text], verbs: [text], nonResourceURLs: [text] }],
      }),
    },
    {
      what: "signers",
      path: "/apis/certificates.orch.io/v1/certificatesigningrequests",
      body: (text) => ({ metadata: { name: "r" }, spec: { request: text, signerName: text, usages: [text] } }),
    },
    {
      what: "rolling updates",
      path: "/apis/apps/v1/namespaces/default/deployments",
      body: (text) => ({
        metadata: { name: "d" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          strategy: { rollingUpdate: { maxSurge: text, maxUnavailable: text } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: text }] } },
        },
      }),
    },
    {
      what: "webhooks",
      path: "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations",
      body: (text) => ({
        metadata: { name: "w" },
        webhooks: [
          {
            name: text,
            sideEffects: "None",
            admissionReviewVersions: [text],
            clientConfig: { url: text },
            rules: [{ operations: [text], apiGroups: [text], apiVersions: [text], resources: [text] }],
          },
        ],
      }),
    },
    {
      what: "names of definitions",
      path: "/apis/apiextensions.orch.io/v1/customresourcedefinitions",
      body: (text) => ({
        metadata: { name: text },
        spec: {
          group: text,
          scope: "Namespaced",
          names: { plural: text, kind: text, singular: text, shortNames: [text] },
          versions: [
            { name: text, served: true, storage: true, schema: { openAPIV3Schema: { type: "object", pattern: text } } },
          ],
        },
      }),
    },
  ];
  const texts = [
    `${"a".repeat(65_536)}!`,
    "a.".repeat(32_768),
    "a-".repeat(32_768),
    `${"1".repeat(65_536)}x`,
    ":".repeat(65_536),
    "/a".repeat(32_768),
    " \t\n".repeat(20_000),
    "1.".repeat(32_768),
    "* ".repeat(32_768),
    "2021-01-01T00:00:00".padEnd(65_536, "0"),
    "é".repeat(32_768),
    "x".repeat(400_000),
  ];
  for (const { what, path, body } of fields) {
    test(`N10 patterns: no text keeps the check of ${what} busy`, async () => {
      await target.beside(async () => {
        for (let at = 0; at < texts.length; at += 6) {
          await Promise.all(
            texts.slice(at, at + 6).map(async (text) => {
              const answer = await target.post(`${path}?dryRun=All`, body(text));
              const shown = `${text.slice(0, 4)} of ${text.length}: ${answer.status} ${answer.text.slice(0, 200)}`;
              expect([shown, [201, 400, 413, 422].includes(answer.status)]).toEqual([shown, true]);
              // A refusal must not be many times what was sent.
              if (answer.status !== 201) expect(answer.text.length).toBeLessThan(10 * text.length + 100_000);
            }),
          );
        }
      });
    });
  }
});
