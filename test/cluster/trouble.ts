/** What happens to a cluster while it works: one thing at a time, chosen by the seed, each healed after a while. */

import { type Cluster, pause } from "./cluster.ts";
import type { LinkState } from "./link.ts";
import type { Member } from "./members.ts";
import type { Server } from "./server.ts";

interface Trouble {
  readonly name: string;
  /** Whether a majority of etcd is left, which needs a new leader, and all servers can reach it. */
  readonly losesLeader?: boolean;
  /** Begins and ends it. */
  run(cluster: Cluster, lastsMs: number): Promise<void>;
}

type FindMember = (cluster: Cluster) => Promise<Member>;
const leader: FindMember = ({ members }) => members.leader();
const follower: FindMember = async ({ members, pick }) => {
  const leads = await members.leader();
  return pick(members.all.filter((member) => member !== leads));
};

const killed = (name: string, find: FindMember): Trouble => ({
  name: `kill ${name}`,
  losesLeader: find === leader,
  async run(cluster, lastsMs) {
    const member = await find(cluster);
    await member.kill();
    await pause(lastsMs);
    await member.start();
  },
});

const paused = (name: string, find: FindMember): Trouble => ({
  name: `pause ${name}`,
  losesLeader: find === leader,
  async run(cluster, lastsMs) {
    const member = await find(cluster);
    member.pause();
    await pause(lastsMs);
    member.resume();
  },
});

const parted = (name: string, find: FindMember, state: LinkState, direction: "both" | "out" | "in"): Trouble => ({
  name: `partition ${name} (${state}, ${direction})`,
  losesLeader: find === leader && (state === "held" || state === "cut"),
  async run(cluster, lastsMs) {
    const member = await find(cluster);
    cluster.members.partition(member, state, direction);
    await pause(lastsMs);
    cluster.members.partition(member, "open");
  },
});

const replaced = (name: string, find: FindMember): Trouble => ({
  name: `replace ${name}`,
  losesLeader: find === leader,
  run: async (cluster) => cluster.members.replace(await find(cluster)),
});

const onServer = (
  name: string,
  run: (server: Server, lastsMs: number, cluster: Cluster) => Promise<void>,
): Trouble => ({
  name,
  run: (cluster, lastsMs) => run(cluster.pick(cluster.servers), lastsMs, cluster),
});

/** In the order in which a short run meets them; a long run chooses at random after that. */
const troubles: readonly Trouble[] = [
  killed("the leader of etcd", leader),
  onServer("kill a server", async (server, lastsMs) => {
    await server.kill();
    await pause(lastsMs);
    await server.start();
  }),
  parted("the leader of etcd", leader, "held", "both"),
  onServer("pause a server", async (server, lastsMs) => {
    server.pause();
    await pause(lastsMs);
    server.resume();
  }),
  onServer("cut a server off from one member of etcd", async (server, lastsMs, { members, pick }) => {
    const member = pick(members.all);
    server.partition("cut", member);
    await pause(lastsMs);
    server.partition("open", member);
  }),
  paused("the leader of etcd", leader),
  replaced("a follower of etcd", follower),
  onServer("lose packets between a server and etcd", async (server, lastsMs) => {
    server.partition("lossy");
    await pause(lastsMs);
    server.partition("open");
  }),
  parted("the leader of etcd", leader, "lossy", "both"),
  onServer("cut a server off from etcd", async (server, lastsMs) => {
    server.partition("held");
    await pause(lastsMs);
    server.partition("open");
  }),
  killed("a follower of etcd", follower),
  parted("a follower of etcd", follower, "cut", "both"),
  parted("the leader of etcd", leader, "held", "out"),
  parted("the leader of etcd", leader, "held", "in"),
  paused("a follower of etcd", follower),
  parted("the leader of etcd", leader, "slow", "both"),
  replaced("the leader of etcd", leader),
  onServer("delay what a server and etcd send each other", async (server, lastsMs) => {
    server.partition("slow");
    await pause(lastsMs);
    server.partition("open");
  }),
  onServer("answers of etcd do not reach a server", async (server, lastsMs) => {
    server.partition("deaf");
    await pause(lastsMs);
    server.partition("cut");
    server.partition("open");
  }),
  {
    name: "kill a controller manager",
    async run({ managers, pick }) {
      await pick(managers).kill();
    },
  },
  {
    name: "pause a controller manager",
    async run({ managers, pick }, lastsMs) {
      const manager = pick(managers);
      manager.pause();
      await pause(lastsMs * 2);
      manager.resume();
    },
  },
  {
    name: "kill two members of etcd",
    async run({ members, pick }, lastsMs) {
      const spared = pick(members.all);
      const others = members.all.filter((member) => member !== spared);
      await Promise.all(others.map((member) => member.kill()));
      await pause(lastsMs);
      await Promise.all(others.map((member) => member.start()));
    },
  },
  {
    name: "kill all members of etcd",
    async run({ members }, lastsMs) {
      await Promise.all(members.all.map((member) => member.kill()));
      await pause(lastsMs);
      await Promise.all(members.all.map((member) => member.start()));
    },
  },
  {
    name: "kill all servers",
    async run({ servers }, lastsMs) {
      await Promise.all(servers.map((server) => server.kill()));
      await pause(lastsMs);
      await Promise.all(servers.map((server) => server.start()));
    },
  },
  {
    name: "kill a server and the leader of etcd",
    losesLeader: true,
    async run(cluster, lastsMs) {
      const [server, member] = [cluster.pick(cluster.servers), await leader(cluster)];
      await Promise.all([server.kill(), member.kill()]);
      await pause(lastsMs);
      // The server comes back first: it has to start with two members.
      await server.start();
      await member.start();
    },
  },
  {
    name: "partition the leader of etcd while a server hears nothing from etcd",
    async run(cluster, lastsMs) {
      const [server, member] = [cluster.pick(cluster.servers), await leader(cluster)];
      cluster.members.partition(member, "held");
      server.partition("deaf");
      await pause(lastsMs);
      cluster.members.partition(member, "open");
      server.partition("cut");
      server.partition("open");
    },
  },
];

export interface TroubleOptions {
  /** Ends it after the present one. */
  readonly signal: AbortSignal;
  isEnough(count: number): boolean;
  /** How long each lasts, at least and at most. */
  readonly lastsMs: readonly [number, number];
  readonly restMs: number;
  log(line: string): void;
}

/** How many there are: a run that makes at least this many meets each of them. */
export const troubleKinds = troubles.length;

export async function makeTrouble(cluster: Cluster, options: TroubleOptions): Promise<number> {
  const { signal, lastsMs, restMs, log } = options;
  let count = 0;
  for (; !signal.aborted && !options.isEnough(count); count += 1) {
    const trouble = troubles[count] ?? cluster.pick(troubles);
    const duration = lastsMs[0] + cluster.random() * (lastsMs[1] - lastsMs[0]);
    log(`${trouble.name}, ${(duration / 1_000).toFixed(1)} s`);
    const fromMs = Date.now();
    await trouble.run(cluster, duration);
    if (trouble.losesLeader) cluster.times.leaderLost.push({ name: trouble.name, fromMs, toMs: Date.now() });
    await pause(restMs);
  }
  return count;
}
