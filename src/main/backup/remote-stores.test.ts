import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { readEntries } from "../../kv/backup/entries.ts";
import { readBackupFile } from "../../kv/backup/file.ts";
import { type Kv, RevisionCompacted } from "../../kv/contract.ts";
import { openEmbeddedKv } from "../../kv/embedded/embedded.ts";
import { findEtcd, startTestEtcd } from "../../kv/etcd/server.fixture.ts";
import { bytes, collect, text } from "../../kv/follow.suite.ts";
import { findPostgres, startTestPostgres, targetOf } from "../../kv/postgres/server.fixture.ts";
import { runBackup } from "../commands/backup.ts";
import { runCheck } from "../commands/check.ts";
import { runMigrate } from "../commands/migrate.ts";
import { runRestore } from "../commands/restore.ts";
import { checkFlags } from "../flags/backup-flags.ts";
import { openDataFolder } from "../stores/data-folder.ts";
import { beginMark } from "../stores/etcd-mark.ts";
import { openBareRemote, openStore, type RemoteTarget } from "../stores/store.ts";
import { readAttemptsMax, whileHistoryLasts } from "./attempts.ts";
import { checkBackup, checkFolder, checkRemote } from "./check-store.ts";
import { remoteTarget } from "./source.ts";

interface RemoteStore {
  target(place: string): RemoteTarget;
  flags(place: string): string[];
  remove(): Promise<void>;
}

/** Every store that servers share goes through the same. */
const stores: {
  readonly name: RemoteTarget["store"];
  readonly says: string;
  readonly start: (() => Promise<RemoteStore>) | undefined;
}[] = [
  { name: "etcd", says: "etcd", start: startEtcd(findEtcd()) },
  { name: "postgres", says: "PostgreSQL", start: startPostgres(findPostgres()) },
];

function startEtcd(program: string | undefined) {
  if (program === undefined) return undefined;
  return async (): Promise<RemoteStore> => {
    const etcd = await startTestEtcd(program);
    return {
      target: (place) => ({ store: "etcd", endpoints: [etcd.endpoint], prefix: `/${place}` }),
      flags: (place) => [`--etcd-servers=${etcd.endpoint}`, `--etcd-prefix=/${place}`],
      remove: () => etcd.remove(),
    };
  };
}

function startPostgres(programs: string | undefined) {
  if (programs === undefined) return undefined;
  return async (): Promise<RemoteStore> => {
    const postgres = await startTestPostgres(programs);
    const address = postgres.address();
    return {
      target: (schema) => ({ store: "postgres", target: targetOf(address), schema }),
      flags: (schema) => [`--store=${address}`, `--postgres-schema=${schema}`],
      remove: () => postgres.remove(),
    };
  };
}

const folder = mkdtempSync(join(tmpdir(), "orch-backup-etcd-"));
let counter = 0;
const newPath = (name: string) => join(folder, `${name}${++counter}`);
const bump = 1_000_000_000n;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(stores.filter(({ start }) => start !== undefined))("backups and $name", ({ name, says, start }) => {
  let remote: RemoteStore;
  beforeAll(async () => {
    remote = await start!();
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await remote?.remove();
  });

  const flags = (place: string) => remote.flags(place);
  const openBare = (place: string) => openBareRemote(remote.target(place), silentLog);
  const openOn = (place: string, vocabulary = "orch"): Promise<Kv> =>
    openStore({ vocabulary, ...remote.target(place) }, { clock: systemClock, log: silentLog });
  const object = (name: string) =>
    bytes(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace: "default", uid: name } }));
  const key = (name: string) => `/core/configmaps/default/${name}`;
  const namesIn = async (kv: Kv) =>
    (await kv.range("/")).entries.map(({ value }) => JSON.parse(text(value)).metadata.name);

  /** A data folder with a few objects; returns its newest revision. */
  async function makeFolder(dataDir: string, count: number): Promise<bigint> {
    const { store } = await openDataFolder(dataDir, "orch");
    const kv = await openEmbeddedKv({ folder: store, syncMode: "none" });
    for (let index = 0; index < count; index += 1) await kv.put(key(`a${index}`), object(`a${index}`), 0n);
    const revision = await kv.revision();
    await kv.close();
    return revision;
  }

  test("a backup is of one revision although it is written to meanwhile, and can be checked", async () => {
    const kv = await openOn("source");
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => kv.put(key(`a${index}`), object(`a${index}`), 0n)));
    let stop = false;
    const writing = (async () => {
      for (let index = 0; !stop; index += 1) await kv.put(key(`b${index}`), object(`b${index}`), 0n);
    })();
    const file = newPath("backup");
    await runBackup([file, ...flags("source")]);
    stop = true;
    await writing;
    expect(await checkBackup(file)).toMatchObject({ sound: true, problems: [] });
    const keys: string[] = [];
    let revision = 0n;
    for await (const part of readBackupFile(file)) {
      if (part.is === "header") revision = part.header.revision;
      if (part.is === "entry") keys.push(part.entry.key);
    }
    const then = await kv.range("", { revision });
    expect(keys).toEqual(then.entries.map((entry) => entry.key).filter((each) => !each.startsWith("main/")));
    await kv.close();
  });

  test("a server that compacts keeps the revision that a backup reads, and compacts it afterwards", async () => {
    const [kv, server] = [await openOn("compacted"), await openOn("compacted")];
    for (let index = 0; index < 20; index += 1) await kv.put(key(`a${index}`), object(`a${index}`), 0n);
    const { revision, pages } = await readEntries(kv, 5);
    const found: string[] = [];
    for await (const page of pages) {
      for (const entry of page) found.push(entry.key);
      const last = await kv.get(key("a9"));
      const next = await server.put(key("a9"), object("a9"), last!.revision);
      await server.compact(next);
    }
    expect(found.filter((each) => each.startsWith("/"))).toHaveLength(20);
    // The reservation is released in the background.
    await expect
      .poll(async () => {
        await server.compact(await server.revision());
        return kv.range("", { revision, limit: 1 }).catch((error: unknown) => error);
      })
      .toBeInstanceOf(RevisionCompacted);
    await kv.close();
    await server.close();
  });

  test.skipIf(name !== "etcd")(
    "a read that another program compacts starts again at a newer revision, a few times",
    async () => {
      const kv = await openOn("read");
      await kv.put(key("a"), object("a"), 0n);
      // It lies under another prefix, so it does not know who reads here.
      const foreign = await openBare("other_program");
      const readOnce = async (compactions: number) => {
        const { revision, pages, release } = await readEntries(kv);
        if (compactions > 0) {
          await kv.put(key("a"), object("a"), (await kv.get(key("a")))!.revision);
          await foreign.compact(await foreign.revision());
        }
        try {
          for await (const page of pages) expect(page.map((entry) => entry.key)).toContain(key("a"));
          return revision;
        } finally {
          release();
        }
      };
      let left = readAttemptsMax - 1;
      expect(await whileHistoryLasts(() => readOnce(left--))).toBeGreaterThan(0n);
      await expect(whileHistoryLasts(() => readOnce(1))).rejects.toThrow(
        "etcd was compacted 3 times while it was read: raise --auto-compaction-retention of etcd, or stop what compacts it",
      );
      await foreign.close();
      await kv.close();
    },
  );

  test("check reads the store while servers write, and names what is damaged", async () => {
    const kv = await openOn("checked");
    await kv.put(key("sound"), object("sound"), 0n);
    const check = async () => checkRemote((await remoteTarget(parseFlags(checkFlags, flags("checked")).values))!);
    expect(await check()).toMatchObject({ what: "store", sound: true, objects: 1, problems: [] });
    await kv.put(key("other"), object("renamed"), 0n);
    await kv.put(key("broken"), bytes("{"), 0n);
    await kv.put("/custom:shop.example.com/carts/default/c", object("c"), 0n);
    const report = await check();
    expect(report).toMatchObject({ sound: false, objects: 4, problemsTotal: 3 });
    expect(report.problems.join(" ")).toMatch(
      /configmaps\/default\/broken": its bytes are not JSON.*other": its metadata names.*no such CustomResourceDefinition/,
    );
    await kv.close();
    const run = async (...args: string[]) => {
      await runCheck(args);
      const code = process.exitCode;
      process.exitCode = 0;
      return code;
    };
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(await run(...flags("checked"), "-o", "json")).toBe(1);
    expect(await run(...flags("nothing_here"))).toBe(2);
    await expect(runCheck(["file", ...flags("checked")])).rejects.toThrow("give only one of FILE");
  });

  test("from the embedded store to it and back, revisions only grow and all objects are kept", async () => {
    const [from, back] = [newPath("data"), newPath("data")];
    const first = await makeFolder(from, 150);
    await runMigrate([`--to=${name}`, `--data-dir=${from}`, ...flags("moved")]);
    const kv = await openOn("moved");
    expect(await namesIn(kv)).toHaveLength(150);
    const entry = await kv.get(key("a7"));
    expect(entry!.revision).toBeGreaterThan(first + bump);
    for (const former of [1n, first, first + 1n]) {
      await expect(collect(kv, "/", former, 1)).rejects.toBeInstanceOf(RevisionCompacted);
      await expect(kv.range("/", { revision: former })).rejects.toBeInstanceOf(RevisionCompacted);
    }
    const second = await kv.put(key("b"), object("b"), 0n);
    expect(second).toBeGreaterThan(entry!.revision);
    expect((await collect(kv, "/", second - 1n, 1))[0]).toMatchObject({ key: key("b"), revision: second });
    await kv.close();

    await runMigrate(["--to=embedded", `--data-dir=${back}`, ...flags("moved")]);
    expect(await checkFolder(back)).toMatchObject({ sound: true, problems: [], entries: 151 });
    const { store } = await openDataFolder(back, "orch");
    const embedded = await openEmbeddedKv({ folder: store, syncMode: "none" });
    expect(await namesIn(embedded)).toHaveLength(151);
    expect((await embedded.get(key("b")))!.revision).toBe(second);
    expect(await embedded.revision()).toBeGreaterThanOrEqual(second + bump);
    await expect(collect(embedded, "/", second, 1)).rejects.toBeInstanceOf(RevisionCompacted);
    await embedded.close();
  });

  test("several servers see the same revisions after a restore, and a later backup keeps them", async () => {
    const from = newPath("data");
    await makeFolder(from, 3);
    const [file, later] = [newPath("backup"), newPath("backup")];
    await runBackup([file, `--data-dir=${from}`]);
    await runRestore([file, ...flags("restored")]);
    const [one, two] = [await openOn("restored"), await openOn("restored")];
    const revision = await one.put(key("new"), object("new"), 0n);
    expect((await two.get(key("new")))!.revision).toBe(revision);
    expect(await two.revision()).toBe(revision);
    await runBackup([later, ...flags("restored")]);
    for await (const part of readBackupFile(later)) {
      if (part.is === "header") expect(part.header.revision).toBe(revision);
    }
    await one.close();
    await two.close();
  });

  test("a restore is refused if the store already holds objects", async () => {
    const from = newPath("data");
    await makeFolder(from, 2);
    const file = newPath("backup");
    await runBackup([file, `--data-dir=${from}`]);
    await (await openOn("used")).close(); // a server began here
    await expect(runRestore([file, ...flags("used")])).rejects.toThrow(
      /has contents (under|in the schema) \/?used already/,
    );
    const other = await openBare("foreign");
    await other.put("x", bytes("another program"), 0n);
    await expect(runRestore([file, ...flags("foreign")])).rejects.toThrow(
      /has contents (under|in the schema) \/?foreign already/,
    );
    expect(text((await other.get("x"))!.value)).toBe("another program");
    await other.close();
  });

  test("no server starts on a restore that did not finish, and the next restore begins again", async () => {
    const from = newPath("data");
    await makeFolder(from, 5);
    const file = newPath("backup");
    await runBackup([file, `--data-dir=${from}`]);
    const half = await openBare("half");
    await beginMark(half, "orch");
    await half.put(key("left-behind"), object("left-behind"), 0n);
    await expect(openOn("half")).rejects.toThrow(`a restore into this ${says} did not finish: run it again`);
    await expect(runBackup([newPath("backup"), ...flags("half")])).rejects.toThrow(/did not finish/);
    await runRestore([file, ...flags("half")]);
    const kv = await openOn("half");
    expect(await namesIn(kv)).toEqual(["a0", "a1", "a2", "a3", "a4"]);
    await kv.close();
    await half.close();
  });

  test("an older program refuses the store: the previous release by its vocabulary, this one by the format", async () => {
    const kv = await openBare("newer");
    await kv.put("main/vocabulary", bytes("orch, store format 3"), 0n);
    await expect(openOn("newer")).rejects.toThrow(
      `${says} holds a store of format 3, and this program supports formats up to 2: use a newer program`,
    );
    await kv.close();
    const [from, file] = [newPath("data"), newPath("backup")];
    await makeFolder(from, 1);
    await runBackup([file, `--data-dir=${from}`]);
    await runRestore([file, ...flags("marked")]);
    const restored = await openBare("marked");
    // The previous release compares this text with its vocabulary, and starts only if they are the same.
    expect(text((await restored.get("main/vocabulary"))!.value)).toBe("orch, store format 2");
    await restored.close();
    await expect(openOn("marked", "kubernetes")).rejects.toThrow(/start with --vocabulary=orch/);
  });
});
