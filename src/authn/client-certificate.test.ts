import { createPublicKey, type KeyObject } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Authority, CertificateSpec } from "../base/certificate.suite.ts";
import { clientAuth, makeCertificate, newKeys, serverAuth } from "../base/certificate.suite.ts";
import { chainLengthMax, parseAuthorities, rsaBitsMax } from "../base/certificate-chain.ts";
import { createManualClock } from "../base/clock.ts";
import { writeDer, writeExtension, writeOid } from "../base/der-write.ts";
import { measureWork } from "../base/processor-time.suite.ts";
import { createClientCertificate } from "./client-certificate.ts";
import type { PeerCertificate } from "./contract.ts";
import { accepted, credentials } from "./credentials.suite.ts";
import { createRevocations } from "./revocations.ts";

const cn = "2.5.4.3";
const o = "2.5.4.10";
const clock = createManualClock(Date.parse("2026-06-01T00:00:00Z"));
const root = makeCertificate({ subject: [[cn, "root"]], authority: true });
const authorities = parseAuthorities(root.pem);
const authenticator = createClientCertificate({ authorities: () => authorities, clock });

const leaf = (spec: Partial<CertificateSpec> = {}) =>
  makeCertificate({
    subject: [
      [o, "dev"],
      [cn, "ann"],
    ],
    issuer: root,
    usages: [clientAuth],
    ...spec,
  });
const peer = (certificate: Authority, ...chain: Authority[]): PeerCertificate => ({
  der: certificate.der,
  chain: chain.map((link) => link.der),
});
const ask = async (certificate: PeerCertificate | undefined) =>
  await authenticator.authenticate(credentials({ certificate }));

/** A public key of so many bits, without its private key. */
function rsaKey(bits: number): KeyObject {
  const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(bits / 8, 0xff)]);
  const numbers = writeDer(0x30, writeDer(0x02, modulus), writeDer(0x02, Buffer.from([1, 0, 1])));
  const algorithm = writeDer(0x30, writeOid("1.2.840.113549.1.1.1"), writeDer(0x05, Buffer.alloc(0)));
  const bytes = writeDer(0x30, algorithm, writeDer(0x03, Buffer.concat([Buffer.from([0]), numbers])));
  return createPublicKey({ key: bytes, format: "der", type: "spki" });
}

describe("client certificates", () => {
  test("the common name is the user, each organization a group", async () => {
    const certificate = leaf({
      subject: [
        [o, "dev"],
        [o, "ops"],
        [cn, "ann"],
      ],
      serial: 0x2a,
    });
    expect(accepted(await ask(peer(certificate)))).toEqual({
      user: { name: "ann", uid: "", groups: ["dev", "ops"], extra: new Map() },
      by: "x509",
      credentialId: "X509 serial 2A",
    });
  });

  test("a certificate that names no usages is for clients too, as openssl makes it by default", async () => {
    expect(accepted(await ask(peer(leaf({ usages: undefined })))).user.name).toBe("ann");
  });

  test("a request without a certificate has no credential", async () => expect(await ask(undefined)).toBeUndefined());

  test("the identity is the leaf's, whatever the certificates above it are called (C22 in docs/security-rows.md)", async () => {
    const middle = makeCertificate({
      subject: [
        [o, "system:masters"],
        [cn, "admin"],
      ],
      issuer: root,
      authority: true,
      usages: [clientAuth],
    });
    const { user } = accepted(await ask(peer(leaf({ issuer: middle, subject: [[cn, "u"]] }), middle)));
    expect([user.name, user.groups]).toEqual(["u", []]);
  });

  const otherRoot = makeCertificate({ subject: [[cn, "root"]], authority: true });
  const refused: { why: string; peer: () => PeerCertificate }[] = [
    { why: "a serving certificate", peer: () => peer(leaf({ usages: [serverAuth] })) },
    { why: "expired", peer: () => peer(leaf({ notAfter: new Date("2026-05-31T00:00:00Z") })) },
    { why: "not yet valid", peer: () => peer(leaf({ notBefore: new Date("2026-06-02T00:00:00Z") })) },
    { why: "self-signed", peer: () => peer(makeCertificate({ subject: [[cn, "ann"]], usages: [clientAuth] })) },
    { why: "of another authority of the same name", peer: () => peer(leaf({ issuer: otherRoot })) },
    {
      why: "of another authority that the client sends along",
      peer: () => peer(leaf({ issuer: otherRoot }), otherRoot),
    },
    { why: "without a common name", peer: () => peer(leaf({ subject: [[o, "system:masters"]] })) },
    {
      why: "issued by a certificate that is not an authority",
      peer: () => {
        const user = leaf({ subject: [[cn, "user"]] });
        return peer(leaf({ issuer: user }), user);
      },
    },
    {
      why: "below an authority whose path length is exceeded",
      peer: () => {
        const first = makeCertificate({ subject: [[cn, "a"]], issuer: root, authority: true, pathLength: 0 });
        const second = makeCertificate({ subject: [[cn, "b"]], issuer: first, authority: true });
        return peer(leaf({ issuer: second }), second, first);
      },
    },
    {
      why: "below an authority that is expired",
      peer: () => {
        const old = makeCertificate({
          subject: [[cn, "old"]],
          issuer: root,
          authority: true,
          notAfter: new Date("2026-01-01T00:00:00Z"),
        });
        return peer(leaf({ issuer: old }), old);
      },
    },
    {
      why: "with a critical extension we do not know",
      peer: () => peer(leaf({ moreExtensions: [writeExtension("2.5.29.30", writeDer(0x30), true)] })),
    },
    { why: "no certificate at all", peer: () => ({ der: Buffer.from("nonsense"), chain: [] }) },
  ];
  for (const { why, peer: make } of refused) {
    test(`${why} is refused (C22)`, async () => expect(await ask(make())).toBe("rejected"));
  }

  test("one organization is one group, exactly as its bytes are (N27)", async () => {
    const { user } = accepted(
      await ask(
        peer(
          leaf({
            subject: [
              [o, "a, O=system:masters"],
              [
                [o, "x"],
                [o, "y"],
              ],
              [cn, "ann\u0000admin"],
            ],
          }),
        ),
      ),
    );
    expect(user.groups).toEqual(["a, O=system:masters", "x", "y"]);
    expect(user.name).toBe("ann\u0000admin");
  });

  test("the length of a chain is limited (N27)", async () => {
    const links: Authority[] = [root];
    for (let i = 0; i < chainLengthMax + 1; i++) {
      links.push(makeCertificate({ subject: [[cn, `i${i}`]], issuer: links[i]!, authority: true }));
    }
    const long = peer(leaf({ issuer: links.at(-1)! }), ...links.slice(1).reverse());
    expect(await ask(long)).toBe("rejected");
    const short = peer(leaf({ issuer: links[3]! }), links[3]!, links[2]!, links[1]!);
    expect(accepted(await ask(short)).user.name).toBe("ann");
  });

  test("a chain that is too long is refused although the first certificate would be enough (N27)", async () => {
    const beside = (count: number) =>
      Array.from({ length: count }, (_, at) => makeCertificate({ subject: [[cn, `b${at}`]], authority: true }));
    expect(await ask(peer(leaf(), ...beside(chainLengthMax)))).toBe("rejected");
    expect(accepted(await ask(peer(leaf(), ...beside(chainLengthMax - 1)))).user.name).toBe("ann");
  });

  test("keys that cost too much to use are refused (N27)", async () => {
    const large = rsaKey(rsaBitsMax + 8);
    expect(await ask(peer(leaf({ keys: { ...newKeys(), publicKey: large } })))).toBe("rejected");
    const allowed = leaf({ keys: { ...newKeys(), publicKey: rsaKey(rsaBitsMax) } });
    expect(accepted(await ask(peer(allowed))).user.name).toBe("ann");
  });

  test("authorities that issue each other in circles cost a bounded number of checks (N27)", async () => {
    const keys = newKeys();
    const circle = Array.from({ length: 9 }, (_, serial) =>
      makeCertificate({ subject: [[cn, "circle"]], authority: true, keys, serial: serial + 1 }),
    );
    const spentMs = measureWork();
    expect(await ask(peer(leaf({ issuer: circle[0]! }), ...circle))).toBe("rejected");
    expect(spentMs()).toBeLessThan(5_000);
  });

  test("a certificate that expires while its connection is open is refused from then on", async () => {
    const short = createManualClock(clock.now());
    const onShort = createClientCertificate({ authorities: () => authorities, clock: short });
    const presented = credentials({ certificate: peer(leaf({ notAfter: new Date("2026-06-01T00:01:00Z") })) });
    expect(accepted(await onShort.authenticate(presented)).user.name).toBe("ann");
    short.advance(61_000);
    expect(await onShort.authenticate(presented)).toBe("rejected");
  });

  test("reloaded authorities take effect on open connections", async () => {
    let current = authorities;
    const reloading = createClientCertificate({ authorities: () => current, clock });
    const presented = credentials({ certificate: peer(leaf()) });
    expect(accepted(await reloading.authenticate(presented)).user.name).toBe("ann");
    current = parseAuthorities(otherRoot.pem);
    expect(await reloading.authenticate(presented)).toBe("rejected");
  });

  test("a revoked serial is refused at once (A11)", async () => {
    const revocations = createRevocations();
    const revocable = createClientCertificate({
      authorities: () => authorities,
      clock,
      isRevoked: revocations.isRevoked,
    });
    const presented = credentials({ certificate: peer(leaf({ serial: 0x0b })) });
    expect(accepted(await revocable.authenticate(presented)).user.name).toBe("ann");
    revocations.replace("# withdrawn\n0b # ann's old laptop\n");
    expect(await revocable.authenticate(presented)).toBe("rejected");
    expect(() => revocations.replace("xyz")).toThrow("line 1");
    expect(await revocable.authenticate(presented)).toBe("rejected");
  });

  test("a bundle without a certificate is refused", () => {
    expect(() => parseAuthorities("nothing")).toThrow("no certificate");
  });
});
