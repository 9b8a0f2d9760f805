/** The keys and certificates of one server in a folder: made on the first start, left unchanged on later ones. */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { isIPv4 } from "node:net";
import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { issueAuthority, issueClient, issueServing, issueTokenKey, type KeyPair, readAuthority } from "./issue.ts";
import { openPrivateFolder, readPrivateFile, writePrivateFile } from "./private-files.ts";

export interface Pki {
  readonly authority: KeyPair;
  readonly serving: KeyPair;
  /** A client certificate of the group system:masters. */
  readonly admin: KeyPair;
  /** The certificate by which aggregated servers recognize this one; its authority signs nothing else. */
  readonly frontProxy: KeyPair;
  /** Signs and verifies service account tokens. */
  readonly tokenKeys: { readonly privateKey: string; readonly publicKey: string };
  readonly files: PkiFiles;
}

interface PkiFiles {
  readonly authority: string;
  readonly frontProxyAuthority: string;
  readonly frontProxyCertificate: string;
  readonly frontProxyKey: string;
  readonly tokenKey: string;
  readonly tokenPublicKey: string;
}

interface PkiOptions {
  readonly folder: string;
  /** Host names and addresses of the serving certificate. */
  readonly hosts: readonly string[];
  readonly adminName: string;
  readonly clock: Clock;
}

/** A key or certificate that cannot be read. The message names the files. */
export class DamagedFileError extends Error {}

/** The common name of the front-proxy certificate, which acts for other users. */
export const frontProxyName = "front-proxy-client";

/** A leaf certificate that expires within this time is renewed at the next start. */
const renewBeforeMs = 30 * 86_400_000;

export async function openPki({ folder, hosts, adminName, clock }: PkiOptions): Promise<Pki> {
  await openPrivateFolder(folder, "data-dir");
  const at = (name: string) => join(folder, name);
  const authority = await keepAuthority(at("ca"), at("admin.crt"), () => issueAuthority("orch-authority", clock));
  const issueProxies = () => issueAuthority("orch-front-proxy-authority", clock);
  const proxyAuthority = await keepAuthority(at("front-proxy-ca"), at("front-proxy-client.crt"), issueProxies);
  const isFresh = (pair: KeyPair) => endsLate(pair, clock) && issuedBy(pair, authority);
  // Each file is on disk before the next of its pair; the pairs do not wait for each other.
  const [serving, admin, frontProxy, tokenKeys] = await Promise.all([
    keep(
      at("serving"),
      () => issueServing(authority, { commonName: "orch-apiserver", hosts }, clock),
      (pair) => isFresh(pair) && hosts.every((host) => covers(pair, host)),
    ),
    keep(
      at("admin"),
      () => issueClient(authority, { commonName: adminName, organizations: ["system:masters"] }, clock),
      isFresh,
    ),
    keep(
      at("front-proxy-client"),
      () => issueClient(proxyAuthority, { commonName: frontProxyName, organizations: [] }, clock),
      (pair) => endsLate(pair, clock) && issuedBy(pair, proxyAuthority),
    ),
    keepTokenKeys(at("service-account")),
  ]);
  return {
    authority,
    serving,
    admin,
    frontProxy,
    tokenKeys,
    files: {
      frontProxyAuthority: at("front-proxy-ca.crt"),
      frontProxyCertificate: at("front-proxy-client.crt"),
      frontProxyKey: at("front-proxy-client.key"),
      authority: at("ca.crt"),
      tokenKey: at("service-account.key"),
      tokenPublicKey: at("service-account.pub"),
    },
  };
}

/** Reads `path`.crt and `path`.key; makes both if one is missing, does not match the other, or is no longer valid. */
export async function keep(
  path: string,
  issue: () => KeyPair,
  isGood: (pair: KeyPair) => boolean = () => true,
): Promise<KeyPair> {
  const key = await readPrivateFile(`${path}.key`);
  const certificate = await readPrivateFile(`${path}.crt`);
  if (key !== undefined && certificate !== undefined) {
    const kept = { certificate, key };
    const isKept = undamaged(`${path}.crt and ${path}.key`, () => fits(kept) && isGood(kept));
    if (isKept) return kept;
  }
  const pair = issue();
  await writePrivateFile(`${path}.key`, pair.key);
  await writePrivateFile(`${path}.crt`, pair.certificate);
  return pair;
}

/**
 * As `keep`, but an authority that has issued certificates is never replaced, because all of them would end: not if its two files do
 * not match, and not if one of them is missing. `issued` is made after both.
 */
async function keepAuthority(path: string, issued: string, issue: () => KeyPair): Promise<KeyPair> {
  const [key, certificate] = [await readPrivateFile(`${path}.key`), await readPrivateFile(`${path}.crt`)];
  if (key !== undefined && certificate !== undefined)
    undamaged(`${path}.crt and ${path}.key`, () => {
      if (!fits({ certificate, key })) throw new Error("the key is not that of the certificate");
      readAuthority(certificate); // what the library reads may still lack what certificates are issued with
    });
  else if (existsSync(issued)) {
    const missing = [...(certificate === undefined ? [".crt"] : []), ...(key === undefined ? [".key"] : [])];
    const files = missing.map((ending) => path + ending).join(" and ");
    const advice = `restore it from a backup, or remove ${dirname(path)} for new ones, which no client knows yet`;
    throw new DamagedFileError(`missing: ${files}; ${advice}`);
  }
  return await keep(path, issue);
}

/** The public key follows from the private key, so only the public one is ever recreated. */
async function keepTokenKeys(path: string): Promise<Pki["tokenKeys"]> {
  let privateKey = await readPrivateFile(`${path}.key`);
  if (privateKey === undefined) {
    privateKey = issueTokenKey();
    await writePrivateFile(`${path}.key`, privateKey);
  }
  const pem = privateKey;
  const publicKey = undamaged(`${path}.key`, () => {
    const publicOne = createPublicKey(pem);
    if (!isWhole(createPrivateKey(pem), publicOne)) throw new Error("its two halves do not match");
    return publicOne.export({ type: "spki", format: "pem" }).toString();
  });
  if ((await readPrivateFile(`${path}.pub`)) !== publicKey) await writePrivateFile(`${path}.pub`, publicKey);
  return { privateKey, publicKey };
}

/** A file that cannot be read is never replaced automatically: others may rely on it. */
function undamaged<T>(files: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new DamagedFileError(`damaged: ${files}; restore it from a backup, or remove it and a new one is generated`, {
      cause,
    });
  }
}

/** False after a crash between the two files of a renewal. */
function fits({ certificate, key }: KeyPair): boolean {
  const [issued, own] = [new X509Certificate(certificate), createPrivateKey(key)];
  return issued.checkPrivateKey(own) && isWhole(own, issued.publicKey);
}

/** A file with a private key has the public one too, and a comparison of the public ones does not notice a damaged private one. */
function isWhole(privateKey: KeyObject, publicKey: KeyObject): boolean {
  const text = Buffer.from("any text");
  return verify("sha256", text, publicKey, sign("sha256", text, privateKey));
}

export function endsLate(pair: KeyPair, clock: Clock): boolean {
  return Date.parse(new X509Certificate(pair.certificate).validTo) - clock.now() > renewBeforeMs;
}

function issuedBy(pair: KeyPair, authority: KeyPair): boolean {
  return new X509Certificate(pair.certificate).checkIssued(new X509Certificate(authority.certificate));
}

export function covers(pair: KeyPair, host: string): boolean {
  const certificate = new X509Certificate(pair.certificate);
  // To ask Node whether a name is an IPv6 address compiles a pattern that takes as long as the rest of this file.
  const isAddress = isIPv4(host) || host.includes(":");
  return (isAddress ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}
