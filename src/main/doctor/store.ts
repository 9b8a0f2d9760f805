/** The store: whether it opens, is undamaged, and has space to grow. */

import { existsSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { silentLog } from "../../base/log.ts";
import { reserveBytes } from "../../kv/embedded/batch.ts";
import { FolderInUse } from "../../kv/embedded/lock.ts";
import { namesOf, parsePostgresTarget } from "../../kv/postgres/target.ts";
import { checkFolder } from "../backup/check-store.ts";
import { describeBytes } from "../backup/progress.ts";
import { etcdTarget } from "../backup/source.ts";
import { readPostgresPlace } from "../flags/postgres-flags.ts";
import { partsOf } from "../stores/data-folder.ts";
import { openBareRemote, type RemoteTarget } from "../stores/store.ts";
import { choiceOfStore } from "../stores/store-choice.ts";
import { type DoctorCheck, type DoctorContext, type Finding, ok, problem, warning } from "./contract.ts";

/** Less free space than this causes a warning: the file grows with history before it is compacted. */
const freeBytesWarned = 1_073_741_824;
/** How long such a store may take to answer. */
const remoteTimeoutMs = 5_000;

export const storeCheck: DoctorCheck = {
  name: "store",
  async run(context) {
    switch (choiceOfStore(context.flags)) {
      case "memory":
        return [ok("memory", "objects are kept until the server stops")];
      case "etcd":
        return await checkEtcd(context);
      case "postgres":
        return [await checkPostgres(context)];
      case "embedded":
        return await checkEmbedded(context);
    }
  },
};

async function checkEmbedded({ flags }: DoctorContext): Promise<Finding[]> {
  const folder = flags["data-dir"];
  const data = join(partsOf(folder).store, "data.mdb");
  const findings = [await checkSpace(folder)];
  if (!existsSync(data)) return [...findings, ok(folder, "there is no store yet; the first start creates one")];
  const { size } = await stat(data);
  try {
    const report = await checkFolder(folder);
    const found = `${report.objects} objects at revision ${report.revision ?? "?"}, ${describeBytes(size)}`;
    if (report.sound) findings.push(ok(folder, found));
    for (const each of report.problems.slice(0, 10)) {
      findings.push(
        problem(
          folder,
          each,
          'restore the last good backup with "orch restore", or remove a damaged object with "orch check --discard=KEY"',
        ),
      );
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The server that runs has checked it at its start.
    if (error instanceof FolderInUse) findings.push(ok(folder, `a server has it open, ${describeBytes(size)}`));
    else
      findings.push(problem(folder, `does not open: ${reason}`, "restore the last good backup, or repair the folder"));
  }
  return findings;
}

/** Checks the folder, or the nearest one above it that exists. */
async function checkSpace(folder: string): Promise<Finding> {
  let place = folder;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const message = `${describeBytes(free)} free on the disk of ${place}`;
  const advice = "free space on this disk, or move the folder to a larger one";
  if (free < reserveBytes) return problem(folder, `${message}: writes are refused`, advice);
  return free < freeBytesWarned ? warning(folder, message, advice) : ok(folder, message);
}

/** Each endpoint alone: a server starts with one that answers, and notices the others later. */
async function checkEtcd({ flags, clock }: DoctorContext): Promise<Finding[]> {
  const endpoints = flags["kvstore-servers"].length > 0 ? flags["kvstore-servers"].map((one) => [one]) : [[]];
  const found = await Promise.all(endpoints.map((servers) => checkEndpoint(servers, { flags, clock })));
  const isAnswered = found.some(({ level }) => level === "ok");
  return found.map((finding) => (isAnswered && finding.level === "error" ? { ...finding, level: "warning" } : finding));
}

async function checkEndpoint(servers: readonly string[], { flags, clock }: DoctorContext): Promise<Finding> {
  const subject = servers.join(",") || "etcd";
  const advice =
    "check that etcd runs, and --kvstore-servers, --kvstore-cafile, --kvstore-certfile and --kvstore-keyfile";
  return await checkRemote(subject, advice, { clock, target: etcdTarget({ ...flags, "kvstore-servers": servers }) });
}

async function checkPostgres({ flags, clock }: DoctorContext): Promise<Finding> {
  const target = readPostgresPlace(flags.store, flags);
  const subject = namesOf(parsePostgresTarget(flags.store));
  const advice =
    "check that PostgreSQL runs, its address in --store, and --postgres-password-file and --postgres-cafile";
  return await checkRemote(subject, advice, {
    clock,
    target: target.then((place) => ({ store: "postgres" as const, ...place })),
  });
}

interface RemoteCheck {
  readonly clock: DoctorContext["clock"];
  readonly target: Promise<RemoteTarget>;
}

async function checkRemote(subject: string, advice: string, { target, clock }: RemoteCheck): Promise<Finding> {
  try {
    const kv = await inTime(openBareRemote(await target, silentLog), clock);
    try {
      const revision = await inTime(kv.revision(), clock);
      const sizes = (await kv.sizes?.()) ?? [];
      const stored = sizes.map(({ bytes }) => describeBytes(bytes)).join(", ");
      return ok(subject, `answers at revision ${revision}${stored === "" ? "" : `, ${stored}`}`);
    } finally {
      await kv.close();
    }
  } catch (error) {
    return problem(subject, `cannot be used: ${error instanceof Error ? error.message : String(error)}`, advice);
  }
}

function inTime<T>(work: Promise<T>, { after }: DoctorContext["clock"]): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = after(remoteTimeoutMs, () => reject(new Error(`no answer within ${remoteTimeoutMs} ms`)));
    work.then(resolve, reject).finally(cancel);
  });
}
