/** What a server under attack tells about its event loop and its memory. */

/** Turns that take longer are explained. */
export const explainedMsMin = 100;

/**
 * Runs inside the server before it starts: after each turn of the event loop it notes how much processor time the turn took, and
 * tells when it is asked.
 */
export const probe = `
  import { existsSync, openSync, readSync } from "node:fs";
  import { Session } from "node:inspector";
  import { setFlagsFromString } from "node:v8";
  import { runInNewContext } from "node:vm";
  const memory = async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    // What finalizers free takes another round.
    for (let round = 0; round < 4; round++) {
      collect();
      await new Promise((done) => setTimeout(done, 20));
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    process.send({ usedBytes: heapUsed + arrayBuffers });
  };
  // That of the thread of the event loop, which the collector's own threads add nothing to. Only Linux tells it.
  const path = "/proc/self/task/" + process.pid + "/schedstat";
  const file = existsSync(path) ? openSync(path) : undefined;
  const text = Buffer.alloc(64);
  const threadMicros = () => Number(text.toString("latin1", 0, readSync(file, text, 0, 64, 0)).split(" ")[0]) / 1000;
  const micros = () => {
    if (file !== undefined) return threadMicros();
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  let before = micros(), longest = 0, total = 0, longTurns = [];
  // A profile is taken all the time, in parts: that of a long turn is looked at, the others are dropped.
  const { explainedMsMin } = JSON.parse(process.env.ORCH_TURNS ?? "{}");
  const session = explainedMsMin === undefined ? undefined : new Session();
  session?.connect();
  session?.post("Profiler.enable");
  session?.post("Profiler.setSamplingInterval", { interval: 2_000 });
  session?.post("Profiler.start");
  let began = performance.now(), looks = 0;
  const explain = (spent) => {
    let profile;
    session.post("Profiler.stop", (_, result) => { profile = result.profile; });
    session.post("Profiler.start");
    looks = 0;
    if (spent > explainedMsMin * 1000) longTurns.push(Math.round(spent / 1000) + " ms: " + functionsOf(profile, performance.now() - began));
  };
  const functionsOf = ({ nodes, samples, timeDeltas, startTime, endTime }, lastMs) => {
    const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
    const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
    const spent = new Map();
    let at = startTime;
    samples.forEach((id, index) => {
      at += timeDeltas[index];
      if (at < endTime - lastMs * 1000) return;
      const seen = new Set();
      for (let node = id; node !== undefined; node = parents.get(node)) seen.add(names.get(node));
      for (const name of seen) spent.set(name, (spent.get(name) ?? 0) + timeDeltas[index]);
    });
    const all = [...spent].filter(([name]) => name !== "" && !name.startsWith("("));
    return all.sort((a, b) => b[1] - a[1]).slice(0, 15).map(([name]) => name).join(" ");
  };
  const look = () => {
    const spent = micros() - before;
    longest = Math.max(longest, spent);
    total += spent;
    if (session !== undefined && (spent > explainedMsMin * 1000 || ++looks === 10_000)) explain(spent);
    before = micros();
    began = performance.now();
  };
  setInterval(look, 1).unref();
  process.on("message", (what) => {
    if (what === "memory") return void memory();
    look();
    process.send({ longestTurnMs: longest / 1000, totalMs: total / 1000, longTurns });
    longest = total = 0;
    longTurns = [];
  });
  process.channel.unref();
`;
