/** Certificates that claim more than they prove. */

import { beforeAll, describe, expect, test } from "vitest";
import { serverAuth } from "../../src/base/certificate.suite.ts";
import { accessFlags, allowWhoAmI, certificate, clientCa, foreignCa, presenting, proxyCa, whoAmI } from "./access.ts";
import { adminToken, aliceToken, useTarget } from "./target.ts";

const target = useTarget({ flags: accessFlags });

beforeAll(() => allowWhoAmI(target));

describe("C22 certificates and chains", () => {
  const masters = [
    ["2.5.4.10", "system:masters"],
    ["2.5.4.3", "admin"],
  ] as const;
  const asCertificate = (tls: { cert: string; key: string }) => whoAmI(target, { token: "", tls });

  test("C22 chains: the leaf names the user, not its issuer", async () => {
    const intermediate = certificate({ subject: masters, authority: true, usages: undefined });
    const leaf = certificate({ issuer: intermediate, subject: [["2.5.4.3", "u"]] });
    const who = await asCertificate(presenting(leaf, intermediate));
    expect([who.username, who.groups]).toEqual(["u", ["system:authenticated"]]);
  });

  const refused = [
    {
      what: "without the usage clientAuth",
      pair: () => presenting(certificate({ subject: masters, usages: [serverAuth] })),
    },
    {
      what: "expired",
      pair: () => presenting(certificate({ subject: masters, notAfter: new Date(Date.now() - 60_000) })),
    },
    {
      what: "not yet valid",
      pair: () => presenting(certificate({ subject: masters, notBefore: new Date(Date.now() + 3_600_000) })),
    },
    { what: "of itself", pair: () => presenting(certificate({ subject: masters, issuer: undefined } as never)) },
    {
      what: "of another authority with the same name",
      pair: () => presenting(certificate({ subject: masters, issuer: foreignCa })),
    },
    {
      what: "of another authority, followed by ours",
      pair: () => presenting(certificate({ subject: masters, issuer: foreignCa }), clientCa),
    },
    {
      what: "of the front proxy's authority",
      pair: () => presenting(certificate({ subject: masters, issuer: proxyCa })),
    },
    { what: "issued by a leaf that is not an authority", pair: () => ofLeaf() },
    { what: "issued by an authority whose path length is exceeded", pair: () => ofShortPath() },
  ];
  for (const { what, pair } of refused) {
    test(`C22 certificates: one ${what} is unauthorized`, async () => {
      expect((await asCertificate(pair())).status).toBe(401);
    });
  }

  function ofLeaf() {
    const parent = certificate({ subject: [["2.5.4.3", "parent"]] });
    return presenting(certificate({ subject: masters, issuer: parent }), parent);
  }

  function ofShortPath() {
    const top = certificate({ subject: [["2.5.4.3", "top"]], authority: true, pathLength: 0, usages: undefined });
    const middle = certificate({ subject: [["2.5.4.3", "middle"]], issuer: top, authority: true, usages: undefined });
    return presenting(certificate({ subject: masters, issuer: middle }), middle, top);
  }

  test("N27 names: identities are exact, one organization is one group", async () => {
    const cases = [
      {
        subject: [
          ["2.5.4.10", "a, O=system:masters"],
          ["2.5.4.3", "u, CN=admin"],
        ],
        name: "u, CN=admin",
        groups: ["a, O=system:masters"],
      },
      {
        subject: [
          ["2.5.4.10", "a+O=system:masters"],
          ["2.5.4.3", "u"],
        ],
        name: "u",
        groups: ["a+O=system:masters"],
      },
      {
        subject: [
          [
            ["2.5.4.10", "a"],
            ["2.5.4.10", "b"],
          ],
          ["2.5.4.3", "u"],
        ],
        name: "u",
        groups: ["a", "b"],
      },
      {
        subject: [
          ["2.5.4.11", "system:masters"],
          ["2.5.4.3", "u"],
        ],
        name: "u",
        groups: [],
      },
      { subject: [["2.5.4.3", "u/O=system:masters"]], name: "u/O=system:masters", groups: [] },
    ] as const;
    for (const { subject, name, groups } of cases) {
      const who = await asCertificate(presenting(certificate({ subject })));
      expect([who.username, who.groups]).toEqual([name, [...groups, "system:authenticated"]]);
    }
  });

  test("N27 names: a certificate without a name, or with a NUL in it, does not impersonate another user", async () => {
    for (const subject of [
      [["2.5.4.10", "system:masters"]],
      [["2.5.4.3", ""]],
      [["2.5.4.3", "admin\0.evil"]],
      [],
    ] as const) {
      const who = await asCertificate(presenting(certificate({ subject })));
      expect(who.username === undefined || who.username === "admin\0.evil").toBe(true);
      expect(who.status).toBeLessThan(500);
    }
  });

  test("N27 size: thousands of alternative names and long chains cost no more than their handshake", async () => {
    const { writeDer, writeExtension } = await import("../../src/base/der-write.ts");
    const names = writeDer(
      0x30,
      Array.from({ length: 2_000 }, (_, at) => writeDer(0x82, Buffer.from(`n${at}.example`))),
    );
    const many = presenting(
      certificate({ subject: [["2.5.4.3", "many"]], moreExtensions: [writeExtension("2.5.29.17", names)] }),
    );
    const tries = await target.beside(() =>
      asCertificate(many).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    expect([0, 201, 401]).toContain(tries);
    const chain = [clientCa];
    for (let at = 0; at < 30; at++)
      chain.unshift(
        certificate({ issuer: chain[0]!, subject: [["2.5.4.3", `ca-${at}`]], authority: true, usages: undefined }),
      );
    const leaf = certificate({ issuer: chain[0]!, subject: [["2.5.4.3", "deep"]] });
    const deep = await target.beside(() =>
      asCertificate(presenting(leaf, ...chain)).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    expect([0, 401]).toContain(deep);
  });

  test("N33 mixed credentials: one fixed order decides", async () => {
    const carol = presenting(certificate({ subject: [["2.5.4.3", "carol"]] }));
    expect((await whoAmI(target, { token: adminToken, tls: carol })).username).toBe("carol");
    expect((await whoAmI(target, { token: "garbage", tls: carol })).username).toBe("carol");
    const proxy = presenting(certificate({ issuer: proxyCa, subject: [["2.5.4.3", "front-proxy"]] }));
    const headers = { "x-remote-user": "dave" };
    expect((await whoAmI(target, { token: adminToken, tls: proxy, headers })).username).toBe("dave");
    const foreign = presenting(certificate({ issuer: foreignCa, subject: masters }));
    expect((await whoAmI(target, { token: aliceToken, tls: foreign })).username).toBe("alice");
  });

  test("N27 requests: the server sets the requester, and certificates for masters cannot be requested", async () => {
    const { makeRequest } = await import("../../src/base/certificate.suite.ts");
    const requests = "/apis/certificates.orch.io/v1/certificatesigningrequests?dryRun=All";
    const send = (subject: readonly (readonly [string, string])[], signerName: string, usages = ["client auth"]) =>
      target.post(
        requests,
        {
          metadata: { name: "r" },
          spec: {
            request: Buffer.from(makeRequest(subject).pem).toString("base64"),
            signerName,
            usages,
            username: "admin",
            groups: ["system:masters"],
            uid: "1",
          },
        },
        { token: aliceToken },
      );
    const own = await send([["2.5.4.3", "x"]], "example.com/signer");
    expect([own.body.spec.username, own.body.spec.groups]).toEqual(["alice", ["tenants", "system:authenticated"]]);
    const client = "orch.io/orch-apiserver-client";
    const names = [client, "orch.io/kube-apiserver-client"];
    const statuses = await Promise.all(names.map(async (name) => (await send(masters, name)).status));
    expect(statuses).toContain(403);
    for (const request of [
      "",
      "eA==",
      Buffer.from("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n").toString("base64"),
      "A".repeat(1_000_000),
    ]) {
      const { status } = await target.post(requests, {
        metadata: { name: "r" },
        spec: { request, signerName: "example.com/s", usages: ["client auth"] },
      });
      expect([400, 413, 422]).toContain(status);
    }
  });
});
