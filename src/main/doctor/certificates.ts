/** Certificates and keys: whether they are valid, for how long, for which names, and whether only the server can read the keys. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { servingHosts } from "../addresses.ts";
import { describeReadProblem } from "../flags/read-file.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { partsOf } from "../stores/data-folder.ts";
import { type DoctorCheck, type DoctorContext, type Finding, ok, problem, warning } from "./contract.ts";

/** How long before its end a certificate gets a warning. `orch up` renews certificates at a start within the same time. */
const endsSoonDays = 30;
const dayMs = 86_400_000;

interface Pair {
  readonly certificate: string;
  /** "": none, as for an authority whose key is kept elsewhere. */
  readonly key: string;
  /** Names that clients use; empty: it does not serve. */
  readonly names: readonly string[];
  /** Whether the next start of `orch up` makes a new one. */
  readonly isRenewed: boolean;
  /** What to do about a file that cannot be read. */
  readonly repair: string;
}

const givenRepair = "give the path of a PEM file, the key being that of the certificate";
/** As a start of `orch up` says it. */
const keptRepair = "restore it from a backup, or remove certificate and key, and the next start generates new ones";

export const certificatesCheck: DoctorCheck = {
  name: "certificates",
  async run(context) {
    const findings: Finding[] = [];
    for (const pair of pairsOf(context.flags)) findings.push(...(await checkPair(pair, context)));
    for (const path of otherSecretsOf(context.flags)) findings.push(...(await checkMode(path)));
    findings.push(...(await checkSigningKey(partsOf(context.flags["data-dir"]).pki)));
    return findings;
  },
};

/** Those that flags name, and those that `orch up` keeps in the folder. */
function pairsOf(flags: ApiServerFlags): Pair[] {
  const { pki } = partsOf(flags["data-dir"]);
  const names = [
    ...servingHosts(flags["bind-address"]),
    ...[flags["advertise-address"], flags["external-hostname"]].filter((name) => name !== ""),
  ];
  const given = (certificate: string, key: string, of: readonly string[] = []): Pair => ({
    certificate,
    key,
    names: of,
    isRenewed: false,
    repair: givenRepair,
  });
  const kept = (name: string, of: readonly string[] = []): Pair => ({
    certificate: join(pki, `${name}.crt`),
    key: join(pki, `${name}.key`),
    names: of,
    isRenewed: !name.endsWith("ca"),
    repair: keptRepair,
  });
  const own = [kept("ca"), kept("serving", servingHosts(flags["bind-address"])), kept("admin")];
  const proxies = [kept("front-proxy-ca"), kept("front-proxy-client")];
  return [
    given(flags["tls-cert-file"], flags["tls-private-key-file"], names),
    given(flags["client-ca-file"], ""),
    given(flags["requestheader-client-ca-file"], ""),
    given(flags["proxy-client-cert-file"], flags["proxy-client-key-file"]),
    given(flags["kvstore-certfile"], flags["kvstore-keyfile"]),
    given(flags["kvstore-cafile"], ""),
    ...[...own, ...proxies].filter(({ certificate }) => existsSync(certificate)),
  ].filter(({ certificate }) => certificate !== "");
}

function otherSecretsOf(flags: ApiServerFlags): string[] {
  return [
    flags["encryption-provider-config"],
    flags["service-account-signing-key-file"],
    flags["token-auth-file"],
  ].filter((path) => path !== "");
}

/** The key with which `orch up` signs tokens of service accounts, if there is one. */
async function checkSigningKey(pki: string): Promise<Finding[]> {
  const path = join(pki, "service-account.key");
  if (!existsSync(path)) return [];
  try {
    createPrivateKey(await readFile(path));
  } catch (error) {
    const repair = "restore it from a backup, or remove it: the next start generates a new one, and tokens end";
    return [problem(path, `cannot be read: ${reasonOf(error)}`, repair)];
  }
  return await checkMode(path);
}

async function checkPair(pair: Pair, { clock }: DoctorContext): Promise<Finding[]> {
  const { certificate: path, key, names, isRenewed, repair } = pair;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(await readFile(path));
  } catch (error) {
    return [problem(path, `cannot be read: ${reasonOf(error)}`, repair)];
  }
  const findings: Finding[] = [checkTime(path, certificate, clock.now(), isRenewed)];
  const missing = names.filter((name) => !covers(certificate, name));
  if (missing.length > 0) {
    const advice = "issue it again with these names, or clients that use them refuse it";
    findings.push(warning(path, `does not name ${missing.join(", ")}`, advice));
  }
  if (key !== "") findings.push(...(await checkKey(key, { of: path, certificate, repair })));
  return findings;
}

function checkTime(path: string, certificate: X509Certificate, nowMs: number, isRenewed: boolean): Finding {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  const advice = isRenewed
    ? 'restart "orch up", which makes a new one'
    : "issue it again, then send SIGHUP to the server";
  if (nowMs > to) return problem(path, `expired on ${dateOf(to)}`, advice);
  if (nowMs < from) {
    return problem(path, `is valid from ${dateOf(from)} on`, "check the clock of this machine, or issue it again");
  }
  const days = Math.floor((to - nowMs) / dayMs);
  const message = `ends on ${dateOf(to)}, in ${days} days`;
  return days < endsSoonDays ? warning(path, message, advice) : ok(path, message);
}

interface KeyOwner {
  readonly of: string;
  readonly certificate: X509Certificate;
  readonly repair: string;
}

async function checkKey(path: string, { of, certificate, repair }: KeyOwner): Promise<Finding[]> {
  try {
    const key = createPrivateKey(await readFile(path));
    if (!certificate.checkPrivateKey(key)) return [problem(path, `is not the key of ${of}`, repair)];
  } catch (error) {
    return [problem(path, `cannot be read: ${reasonOf(error)}`, repair)];
  }
  return await checkMode(path);
}

/** With a key, other users of the machine could act as the server, or read every Secret. */
async function checkMode(path: string): Promise<Finding[]> {
  try {
    const mode = (await stat(path)).mode & 0o777;
    if ((mode & 0o077) === 0) return [ok(path, "only its owner can read it")];
    return [warning(path, `others can read it (mode ${mode.toString(8).padStart(4, "0")})`, `chmod 600 ${path}`)];
  } catch (error) {
    return [problem(path, `cannot be read: ${reasonOf(error)}`, "give the path of a file that this user can read")];
  }
}

const covers = (certificate: X509Certificate, name: string): boolean =>
  (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The reason of the file system, or of the parser, whose messages do not quote keys. */
function reasonOf(error: unknown): string {
  const isParsers = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_");
  return isParsers ? "it is not PEM" : describeReadProblem(error);
}
