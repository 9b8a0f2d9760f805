/** Certificates, keys and tokens for attacks on who is asking, and a way to see whom the server takes somebody for. */

import { createSign, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Authority,
  type CertificateSpec,
  clientAuth,
  makeCertificate,
  makeRequest,
} from "../../src/base/certificate.suite.ts";
import type { Answer } from "../answer.ts";
import type { RequestOptions, Target } from "./target.ts";

export const clientCa = makeCertificate({ subject: [["2.5.4.3", "client authority"]], authority: true });
export const proxyCa = makeCertificate({ subject: [["2.5.4.3", "proxy authority"]], authority: true });
export const foreignCa = makeCertificate({ subject: [["2.5.4.3", "client authority"]], authority: true });
export const accountKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const issuer = "https://orch.test";

/** Flags of a server that trusts the authorities and keys above. */
export async function accessFlags(folder: string): Promise<string[]> {
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const key = accountKeys.privateKey.export({ type: "pkcs1", format: "pem" }) as string;
  return [
    `--client-ca-file=${await file("clients.crt", clientCa.pem)}`,
    `--requestheader-client-ca-file=${await file("proxies.crt", proxyCa.pem)}`,
    "--requestheader-allowed-names=front-proxy",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--service-account-issuer=${issuer}`,
    `--service-account-signing-key-file=${await file("accounts.key", key)}`,
    `--service-account-key-file=${await file("accounts.pub", key)}`,
    "--enable-bootstrap-token-auth=true",
  ];
}

export function certificate(spec: CertificateSpec): Authority {
  return makeCertificate({ issuer: clientCa, usages: [clientAuth], ...spec });
}

/** What a client presents: its certificate, further ones, and its key. */
export function presenting(leaf: Authority, ...more: readonly Authority[]) {
  return {
    cert: [leaf, ...more].map(({ pem }) => pem).join(""),
    key: leaf.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

export interface Identity {
  readonly status: number;
  readonly username: string | undefined;
  readonly groups: readonly string[];
  readonly answer: Answer;
}

/** A request for a certificate records who made it; everybody may try one here. */
export async function whoAmI(target: Target, options: RequestOptions): Promise<Identity> {
  const body = {
    metadata: { name: `who-${randomUUID()}` },
    spec: {
      request: Buffer.from(makeRequest([["2.5.4.3", "x"]]).pem).toString("base64"),
      signerName: "example.com/signer",
      usages: ["client auth"],
      // Must not be believed.
      username: "spoofed",
      groups: ["system:masters"],
    },
  };
  const answer = await target.post(
    "/apis/certificates.orch.io/v1/certificatesigningrequests?dryRun=All",
    body,
    options,
  );
  return {
    status: answer.status,
    username: answer.body?.spec?.username,
    groups: answer.body?.spec?.groups ?? [],
    answer,
  };
}

/** Lets every authenticated user make the requests above. */
export async function allowWhoAmI(target: Target): Promise<void> {
  const rbac = "/apis/rbac.authorization.orch.io/v1";
  const rules = [{ apiGroups: ["certificates.orch.io"], resources: ["certificatesigningrequests"], verbs: ["create"] }];
  await target.post(`${rbac}/clusterroles`, { metadata: { name: "who" }, rules });
  await target.post(`${rbac}/clusterrolebindings`, {
    metadata: { name: "who" },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "who" },
    subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "Group", name: "system:authenticated" }],
  });
}

const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A signed token; header and claims are taken as they are, also as texts. */
export function signToken(header: unknown, claims: unknown, key: KeyObject = accountKeys.privateKey): string {
  const text = `${part(header)}.${part(claims)}`;
  const signature =
    key.asymmetricKeyType === "ec"
      ? sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" })
      : createSign("sha256").update(text).sign(key);
  return `${text}.${signature.toString("base64url")}`;
}

export { part };
