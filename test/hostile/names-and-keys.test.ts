/** Names that would reach other keys, and addresses that two readers read differently. */

import { describe, expect, test } from "vitest";
import { echoedCharsMax } from "../../src/machinery/status/status.ts";
import { createChance, useTarget } from "./target.ts";

const target = useTarget();
const core = "/api/v1/namespaces/default";
const rbac = "/apis/rbac.authorization.orch.io/v1";

describe("N22 store keys", () => {
  test("N22 store keys: kinds and namespaces with a common prefix do not see each other's objects", async () => {
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

  test("N22 store keys: unusual names are invalid or stay within their prefix", async () => {
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
        const { status, text } = await target.post(path, {
          metadata: { name },
          ...(path.endsWith("roles") ? { rules: [] } : {}),
        });
        // An answer does not repeat what was too long.
        expect(text.length).toBeLessThan(6 * echoedCharsMax);
        // Names of roles are bounded by the key alone.
        const fits = path.endsWith("roles") && 2 * length < 1_900;
        expect([path, length, status]).toEqual([path, length, fits ? 201 : 422]);
      }
    }
  });

  test("N22 store keys: generated names are valid names", async () => {
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
    test(`${row}: ${JSON.stringify(ip)} is not an endpoint, in either kind`, async () => {
      expect((await endpoints(ip)).status).toBe(422);
      for (const version of ["v1", "v1beta1"]) expect((await slices(ip, version)).status).toBe(422);
    });
  }

  test("C15 special addresses: a patch cannot add them either", async () => {
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
    test(`C34 ambiguous addresses: ${JSON.stringify(ip)} is not valid for services and policies`, async () => {
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
