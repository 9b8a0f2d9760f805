/** Small programs about the container and its environment. */

import type { ShellProgram } from "../host.ts";
import { wordsMax } from "../limits.ts";
import { complains, onlyOptions, prints } from "./answers.ts";

const simple = (name: string, code: number): ShellProgram => ({
  name,
  // biome-ignore lint/correctness/useYield: it does nothing
  *run() {
    return code;
  },
});

export const success = simple("true", 0);
export const failure = simple("false", 1);
/** Everything is written at once. */
export const sync = simple("sync", 0);

/** Without arguments only: with some it would start another program. */
export const env: ShellProgram = {
  name: "env",
  understands: (args) => args.length === 0,
  run: (call) => prints(call, [...call.environment].map(([name, value]) => `${name}=${value}\n`).join("")),
};

export const printenv: ShellProgram = {
  name: "printenv",
  understands: onlyOptions(""),
  run(call) {
    if (call.args.length === 0) return env.run(call);
    const values = call.args.flatMap((name) => call.environment.get(name) ?? []);
    return prints(call, values.map((value) => `${value}\n`).join(""), values.length < call.args.length ? 1 : 0);
  },
};

export const hostname: ShellProgram = {
  name: "hostname",
  understands: onlyOptions("sf"),
  run: (call) => prints(call, `${call.host.hostname}\n`),
};

/** All processes run as root. */
export const whoami: ShellProgram = { name: "whoami", run: (call) => prints(call, "root\n") };

export const id: ShellProgram = {
  name: "id",
  understands: onlyOptions("ugn"),
  run: (call) =>
    prints(
      call,
      call.args.length === 0
        ? "uid=0(root) gid=0(root) groups=0(root)\n"
        : call.args.join("").includes("n")
          ? "root\n"
          : "0\n",
    ),
};

export const seq: ShellProgram = {
  name: "seq",
  understands: (args) => args.every((arg) => arg === undefined || /^-?\d+$/.test(arg)),
  *run(call) {
    const numbers = call.args.map(Number);
    if (numbers.length === 0 || numbers.length > 3 || numbers.some((one) => !Number.isSafeInteger(one)))
      return yield* complains(call, "expected one to three whole numbers");
    const [first, by, last] =
      numbers.length === 1
        ? [1, 1, numbers[0]!]
        : numbers.length === 2
          ? [numbers[0]!, 1, numbers[1]!]
          : [numbers[0]!, numbers[1]!, numbers[2]!];
    const count = by === 0 ? 0 : Math.floor((last - first) / by) + 1;
    if (count > wordsMax) return yield* complains(call, `at most ${wordsMax} numbers are printed`);
    return yield* prints(call, Array.from({ length: Math.max(0, count) }, (_, at) => `${first + at * by}\n`).join(""));
  },
};
