/** The serving certificate: the one that flags name, or a generated one in --cert-dir. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { ServingCertificate } from "../../http/contract/listener.ts";
import { servingHosts } from "../flags/addresses.ts";
import { FlagFileError, readFlagFile } from "../flags/read-file.ts";
import { issueAuthority, issueServing } from "./issue.ts";
import { covers, endsLate, keep } from "./pki.ts";
import { openPrivateFolder } from "./private-files.ts";

export interface ServingCertificateFlags {
  readonly "tls-cert-file": string;
  readonly "tls-private-key-file": string;
  readonly "cert-dir": string;
  readonly "bind-address": string;
}

export async function readServingCertificate(
  flags: ServingCertificateFlags,
  clock: Clock,
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
    return { certificate, key };
  }
  return await ownCertificate(flags["cert-dir"], servingHosts(flags["bind-address"]), clock);
}

function parsePem<T>(flag: string, path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new FlagFileError(`--${flag}: ${path} holds no ${what} in PEM`, { cause });
  }
}

/** Signed by an authority whose key is not kept: clients trust the certificate itself, whose chain is in the file. */
async function ownCertificate(folder: string, hosts: readonly string[], clock: Clock): Promise<ServingCertificate> {
  await openPrivateFolder(folder, "cert-dir");
  return await keep(
    join(folder, "apiserver"),
    () => {
      const authority = issueAuthority("orch-apiserver-authority", clock);
      const pair = issueServing(authority, { commonName: "orch-apiserver", hosts }, clock);
      return { certificate: pair.certificate + authority.certificate, key: pair.key };
    },
    (pair) => endsLate(pair, clock) && hosts.every((host) => covers(pair, host)),
  );
}
