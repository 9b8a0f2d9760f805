/** Three members of etcd that reach each other through links, so that they can be killed, paused and partitioned. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { askMember, createMember, freePorts, type TestProcess } from "../../src/kv/etcd/server.fixture.ts";
import { type Link, type LinkState, openLink } from "./link.ts";

export interface Member extends TestProcess {
  readonly name: string;
  readonly port: number;
}

export interface Members {
  readonly all: readonly Member[];
  /** Waits until one of those that answer leads. */
  leader(): Promise<Member>;
  /** Sets the links between the member and the others. `direction`: only what it sends, or only what it is sent. */
  partition(member: Member, state: LinkState, direction?: "both" | "out" | "in"): void;
  /** Removes a member that is lost for good and adds one with an empty disk in its place, which the others bring up to date. */
  replace(member: Member): Promise<void>;
  close(): Promise<void>;
}

const names = ["a", "b", "c"];
/** How long a leader may take to be found, on a machine that is busy with other things. */
const patienceMs = 120_000;
/** Entries after which a member makes a snapshot: those who are far behind get one instead of the entries. */
const snapshotEntries = 500;
/** A member that is paused does not answer at all. */
const statusMsMax = 3_000;

export async function openMembers(program: string, folder: string): Promise<Members> {
  const ports = await freePorts(names.length * 3);
  const places = names.map((name, at) => ({
    name,
    port: ports[3 * at]!,
    peerPort: ports[3 * at + 1]!,
    linkPort: ports[3 * at + 2]!,
  }));
  /** Members tell each other the identities that etcd gave them. */
  const callerOf = (bytes: Buffer): string | undefined =>
    /x-server-from: ([0-9a-f]+)\r\n/i.exec(bytes.toString("latin1"))?.[1];
  const links = new Map<string, Link>();
  for (const { name, peerPort, linkPort } of places) {
    links.set(name, await openLink({ targetPort: peerPort, port: linkPort, callerOf }));
  }
  const initial = places.map(({ name, linkPort }) => `${name}=http://127.0.0.1:${linkPort}`).join(",");
  /** By name: what makes a member begin anew, as one that joins. */
  const joining = new Map<string, () => void>();
  const all = places.map(({ name, port, peerPort, linkPort }): Member => {
    const own = join(folder, name);
    mkdirSync(own);
    const endpoint = `http://127.0.0.1:${port}`;
    const args = [
      ...["--snapshot-count", String(snapshotEntries)],
      ...["--name", name, "--data-dir", join(own, "data"), "--initial-cluster", initial],
      ...["--listen-client-urls", endpoint, "--advertise-client-urls", endpoint],
      ...["--listen-peer-urls", `http://127.0.0.1:${peerPort}`],
      ...["--initial-advertise-peer-urls", `http://127.0.0.1:${linkPort}`],
      // Slower than on machines of their own, because here all share two cores.
      ...["--heartbeat-interval", "100", "--election-timeout", "1000"],
      ...["--max-request-bytes", "2097152", "--logger", "zap", "--log-level", "error"],
    ];
    joining.set(name, () => {
      rmSync(join(own, "data"), { recursive: true, force: true });
      args.push("--initial-cluster-state", "existing");
    });
    return { ...createMember(program, { endpoint, port, args, folder: own }), name, port };
  });
  await Promise.all(all.map((member) => member.start()));
  const leader = async (): Promise<Member> => {
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      const statuses = await Promise.all(all.map(statusOf));
      const leading = statuses.findIndex((status) => status !== undefined && status.id === status.leader);
      if (leading >= 0) return all[leading]!;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error("no member of etcd leads");
  };
  await leader();
  const ids = new Map<Member, string>();
  for (const member of all) ids.set(member, (await statusOf(member))?.id ?? "");
  return {
    all,
    leader,
    partition(member, state, direction = "both") {
      for (const other of all) {
        if (other === member) continue;
        if (direction !== "out") links.get(member.name)?.set(state, ids.get(other));
        if (direction !== "in") links.get(other.name)?.set(state, ids.get(member));
      }
    },
    async replace(member) {
      const others = all.filter((other) => other !== member);
      const place = places.find(({ name }) => name === member.name);
      await member.kill();
      await change(others, "remove", { ID: BigInt(`0x${ids.get(member)}`).toString() });
      const added = await change(others, "add", { peerURLs: [`http://127.0.0.1:${place?.linkPort}`] });
      ids.set(member, BigInt(added.member?.ID ?? 0).toString(16));
      joining.get(member.name)?.();
      await member.start();
    },
    async close() {
      await Promise.all(all.map((member) => member.kill()));
      await Promise.all([...links.values()].map((link) => link.close()));
    },
  };
}

/** Asks until it is done: while there is no leader, or the members are not all healthy, etcd refuses it. */
async function change(others: readonly Member[], verb: string, body: object): Promise<{ member?: { ID: string } }> {
  const deadline = Date.now() + patienceMs;
  let problem = "";
  while (Date.now() < deadline) {
    for (const { endpoint } of others) {
      try {
        const url = `${endpoint}/v3/cluster/member/${verb}`;
        const { code, text } = await askMember(url, statusMsMax, JSON.stringify(body));
        if (code === 200) return JSON.parse(text) as { member?: { ID: string } };
        problem = text;
        // An earlier try was carried out although its answer was lost.
        if (verb === "remove" && problem.includes("not found")) return {};
      } catch (cause) {
        problem = String(cause);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`etcd could not ${verb} a member: ${problem}`);
}

/** Identities are decimal in this answer and hexadecimal between members. Undefined: it does not answer. */
async function statusOf({ endpoint }: Member): Promise<{ id: string; leader: string } | undefined> {
  try {
    const { text } = await askMember(`${endpoint}/v3/maintenance/status`, statusMsMax, "{}");
    const { header, leader = "0" } = JSON.parse(text) as { header: { member_id: string }; leader?: string };
    return { id: BigInt(header.member_id).toString(16), leader: BigInt(leader).toString(16) };
  } catch {
    return undefined; // killed or paused
  }
}
