/** The serving certificate: the one that flags name, or a generated one in --cert-dir. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ServingCertificate } from "../../http/contract/listener.ts";
import { servingHosts } from "../addresses.ts";
import { FlagFileError, readFlagFile } from "../flags/read-file.ts";
import { issueAuthority, issueServing } from "./issue.ts";
import { covers, endsLate, keep } from "./pki.ts";
import { openGuardedFolder } from "./private-files.ts";

interface ServingCertificateFlags {
  readonly "tls-cert-file": string;
  readonly "tls-private-key-file": string;
  readonly "cert-dir": string;
  readonly "bind-address": string;
}

export async function readServingCertificate(
  flags: ServingCertificateFlags,
  { clock, log, name = usualName, hosts = servingHosts(flags["bind-address"]) }: Surroundings,
): Promise<ServingCertificate> {
  const certificateFile = flags["tls-cert-file"];
  const keyFile = flags["tls-private-key-file"];
  if ((certificateFile === "") !== (keyFile === "")) {
    throw new FlagFileError("--tls-cert-file and --tls-private-key-file must be given together");
  }
  if (certificateFile !== "") {
    const [certificate, key] = await Promise.all([
      readFlagFile("tls-cert-file", certificateFile),
      readFlagFile("tls-private-key-file", keyFile),
    ]);
    const parsed = parsePem("tls-cert-file", certificateFile, "certificate", () => new X509Certificate(certificate));
    const privateKey = parsePem("tls-private-key-file", keyFile, "private key", () => createPrivateKey(key));
    if (!parsed.checkPrivateKey(privateKey)) {
      throw new FlagFileError(`--tls-private-key-file: ${keyFile} is not the key of ${certificateFile}`);
    }
    sayExpiry(parsed, certificateFile, { clock, log });
    return { certificate, key };
  }
  const folder = flags["cert-dir"];
  return (
    (await foreignCertificate(folder, { clock, log, name })) ?? (await ownCertificate(folder, hosts, { clock, name }))
  );
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** The name of the process, and of its files in --cert-dir. Default: apiserver. */
  readonly name?: string;
  /** Names and addresses in a certificate that is made. Default: those of the address it listens on. */
  readonly hosts?: readonly string[];
}

const usualName = "apiserver";

/** The name of the authority of generated certificates, by which they are recognized. */
const authorityOf = (name: string) => `orch-${name}-authority`;

/** A pair in the folder that somebody else made is used as it is, and never replaced. Undefined: there is none. */
async function foreignCertificate(
  folder: string,
  { clock, log, name }: Required<Pick<Surroundings, "clock" | "log" | "name">>,
): Promise<ServingCertificate | undefined> {
  if (folder === "") return undefined;
  const [certificateFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const [certificate, key] = await Promise.all([certificateFile, keyFile].map((path) => readIfThere(path)));
  if (certificate === undefined || key === undefined) return undefined;
  let parsed: X509Certificate;
  let isPair: boolean;
  try {
    parsed = new X509Certificate(certificate);
    isPair = parsed.checkPrivateKey(createPrivateKey(key));
  } catch {
    return undefined; // what we made and what was damaged is reported below
  }
  if (parsed.issuer === `CN=${authorityOf(name)}`) return undefined;
  if (!isPair) throw new FlagFileError(`--cert-dir: ${keyFile} is not the key of ${certificateFile}`);
  const { mode } = await stat(keyFile);
  if ((mode & 0o077) !== 0 && process.platform !== "win32")
    log.warn("others can read the key of the serving certificate", { file: keyFile, run: `chmod 600 ${keyFile}` });
  sayExpiry(parsed, certificateFile, { clock, log });
  return { certificate, key };
}

/** How to renew a certificate that somebody else made. */
const renewal = "replace the file and its key, and send the process SIGHUP";

/** Clients refuse a certificate that is not valid, and their messages say little: the server says it too. */
function sayExpiry(
  parsed: X509Certificate,
  file: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): void {
  const { validFrom, validTo } = parsed;
  const fix = { file, validFrom, validTo, fix: renewal };
  if (Date.parse(validTo) < clock.now()) log.warn("the serving certificate has expired, and clients refuse it", fix);
  else if (Date.parse(validFrom) > clock.now())
    log.warn("the serving certificate is not valid yet, and clients refuse it", fix);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}

function parsePem<T>(flag: string, path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new FlagFileError(`--${flag}: ${path} holds no ${what} in PEM`, { cause });
  }
}

/** Signed by an authority whose key is not kept: clients trust the certificate itself, whose chain is in the file. */
async function ownCertificate(
  folder: string,
  hosts: readonly string[],
  { clock, name }: { readonly clock: Clock; readonly name: string },
): Promise<ServingCertificate> {
  await openGuardedFolder(folder, "cert-dir");
  return await keep(
    join(folder, name),
    () => {
      const authority = issueAuthority(authorityOf(name), clock);
      const pair = issueServing(authority, { commonName: `orch-${name}`, hosts }, clock);
      return { certificate: pair.certificate + authority.certificate, key: pair.key };
    },
    (pair) => endsLate(pair, clock) && hosts.every((host) => covers(pair, host)),
  );
}
