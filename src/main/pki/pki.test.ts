import { X509Certificate } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createManualClock, systemClock } from "../../base/clock.ts";
import { seededRandom } from "../../base/seeded-random.ts";
import { leafLifeMs } from "./issue.ts";
import { DamagedFileError, openPki } from "./pki.ts";
import { UnsafeFileError } from "./private-files.ts";

const flips = process.env["LONG_TESTS"] === undefined ? 3 : 50;

describe("openPki", () => {
  let base = "";
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "orch-pki-"));
  });
  afterAll(() => rm(base, { recursive: true, force: true }));

  const hosts = ["localhost", "127.0.0.1", "::1"];
  const open = (name: string, clock = systemClock) =>
    openPki({ folder: join(base, name), hosts, adminName: "orch-admin", clock });
  const contents = async (folder: string) =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const),
      ),
    );

  test("creates everything once: the second start changes nothing", async () => {
    const first = await open("twice");
    const before = await contents(join(base, "twice"));
    const second = await open("twice");
    expect(second).toEqual(first);
    expect(await contents(join(base, "twice"))).toEqual(before);
    expect(Object.keys(before).sort()).toEqual([
      "admin.crt",
      "admin.key",
      "ca.crt",
      "ca.key",
      "front-proxy-ca.crt",
      "front-proxy-ca.key",
      "front-proxy-client.crt",
      "front-proxy-client.key",
      "service-account.key",
      "service-account.pub",
      "serving.crt",
      "serving.key",
    ]);
  });

  test("only the owner may read the files (D07 in docs/security-rows.md)", async () => {
    await open("modes");
    expect((await stat(join(base, "modes"))).mode & 0o777).toBe(0o700);
    for (const name of await readdir(join(base, "modes"))) {
      expect((await stat(join(base, "modes", name))).mode & 0o777, name).toBe(0o600);
    }
  });

  test("a key that others may read is refused by name", async () => {
    await open("leaky");
    const path = join(base, "leaky", "ca.key");
    await chmod(path, 0o644);
    await expect(open("leaky")).rejects.toThrow(
      new UnsafeFileError(`${path} has mode 0644, so others can reach it; run: chmod 600 ${path}`),
    );
    await chmod(path, 0o600);
    await chmod(join(base, "leaky"), 0o755);
    await expect(open("leaky")).rejects.toThrow(/leaky has mode 0755/);
  });

  test("a serving certificate that lacks a host is made again, names and addresses alike", async () => {
    const first = await open("hosts");
    const more = [...hosts, "machine", "192.0.2.7"];
    const options = { folder: join(base, "hosts"), adminName: "orch-admin", clock: systemClock };
    const second = await openPki({ ...options, hosts: more });
    expect(second.serving).not.toEqual(first.serving);
    expect(new X509Certificate(second.serving.certificate).subjectAltName).toContain("DNS:machine");
    expect((await openPki({ ...options, hosts: more })).serving).toEqual(second.serving);
  });

  test("a damaged file is refused by name and not replaced", async () => {
    for (const name of ["ca.crt", "admin.key", "service-account.key"]) {
      await open(`damaged-${name}`);
      const path = join(base, `damaged-${name}`, name);
      await writeFile(path, "junk");
      await expect(open(`damaged-${name}`)).rejects.toThrow(DamagedFileError);
      await expect(open(`damaged-${name}`)).rejects.toThrow(path);
      expect(await readFile(path, "utf8")).toBe("junk");
    }
  });

  test("whichever bit of a file is flipped, a start works with it or refuses it by name, and the authority is never replaced", async () => {
    const first = await open("flipped");
    const folder = join(base, "flipped");
    const random = seededRandom(Date.now() % 1_000_000);
    for (const [name, text] of Object.entries(await contents(folder))) {
      for (let turn = 0; turn < flips; turn += 1) {
        const before = await contents(folder);
        const damaged = Buffer.from(text);
        damaged[Math.floor(random() * damaged.length)]! ^= 1 << Math.floor(random() * 8);
        await writeFile(join(folder, name), damaged);
        const outcome = await open("flipped").catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome.message).toContain(join(folder, name));
        else expect(outcome).toMatchObject({ authority: { key: first.authority.key }, tokenKeys: first.tokenKeys });
        for (const [other, content] of Object.entries(before)) await writeFile(join(folder, other), content);
      }
    }
  });

  test("an authority with a damaged extension is refused by name before anything is issued with it", async () => {
    await open("extension");
    const path = join(base, "extension", "ca.crt");
    const der = Buffer.from((await readFile(path, "utf8")).replaceAll(/-----[^-]+-----|\s/g, ""), "base64");
    // The key usage, a bit string: as an integer the rest of the certificate can still be read.
    const usage = der.indexOf(Buffer.from([0x04, 0x04, 0x03, 0x02]));
    expect(usage).toBeGreaterThan(0);
    der[usage + 2] = 0x02;
    await writeFile(path, `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`);
    await rm(join(base, "extension", "admin.crt"));
    await expect(open("extension")).rejects.toThrow(path);
  });

  test("an authority of which a file is missing is not replaced while there are certificates of it", async () => {
    for (const name of ["ca.crt", "ca.key", "front-proxy-ca.crt", "front-proxy-ca.key"]) {
      await open(`missing-${name}`);
      const path = join(base, `missing-${name}`, name);
      await rm(path);
      await expect(open(`missing-${name}`)).rejects.toThrow(`missing: ${path}; restore it from a backup`);
    }
    // A start that was killed between the two files had issued none.
    await open("begun");
    for (const name of await readdir(join(base, "begun"))) if (name !== "ca.key") await rm(join(base, "begun", name));
    await open("begun");
  });

  test("leaf certificates are renewed before they expire, the authority stays", async () => {
    const clock = createManualClock(Date.now());
    const first = await open("renewal", clock);
    clock.advance(leafLifeMs - 86_400_000);
    const second = await open("renewal", clock);
    expect(second.authority).toEqual(first.authority);
    expect(second.tokenKeys).toEqual(first.tokenKeys);
    expect(second.serving).not.toEqual(first.serving);
    expect(second.admin).not.toEqual(first.admin);
  });

  test("certificate and key of different pairs are replaced together", async () => {
    const first = await open("torn");
    const { writePrivateFile } = await import("./private-files.ts");
    await writePrivateFile(join(base, "torn", "serving.key"), first.admin.key);
    const second = await open("torn");
    expect(second.serving).not.toEqual(first.serving);
    expect(second.admin).toEqual(first.admin);
  });

  test("the client certificate names the user and the group, and TLS accepts both sides", async () => {
    const pki = await open("tls");
    const admin = new X509Certificate(pki.admin.certificate);
    expect(admin.subject).toBe("O=system:masters\nCN=orch-admin");
    const ca = pki.authority.certificate;
    const server = createServer({
      cert: pki.serving.certificate,
      key: pki.serving.key,
      ca,
      requestCert: true,
      rejectUnauthorized: true,
    });
    server.on("secureConnection", (socket: TLSSocket) => socket.end(String(socket.authorized)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const socket = connect({ host: "127.0.0.1", port, ca, cert: pki.admin.certificate, key: pki.admin.key });
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    expect(text).toBe("true");
    server.close();
  });
});
