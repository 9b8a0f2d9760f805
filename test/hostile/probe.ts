/** What a server under attack tells about its event loop and its memory. */

/**
 * Runs inside the server before it starts: after each turn of the event loop it notes how much processor time the turn took, and
 * tells when it is asked.
 */
export const probe = `
  import { existsSync, openSync, readSync } from "node:fs";
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
  let before = micros(), longest = 0, total = 0;
  const look = () => {
    const spent = micros() - before;
    longest = Math.max(longest, spent);
    total += spent;
    before = micros();
  };
  setInterval(look, 1).unref();
  process.on("message", (what) => {
    if (what === "memory") return void memory();
    look();
    process.send({ longestTurnMs: longest / 1000, totalMs: total / 1000 });
    longest = total = 0;
  });
  process.channel.unref();
`;
