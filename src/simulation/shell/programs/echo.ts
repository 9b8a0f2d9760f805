/** `echo`: prints its words. */

import type { ShellProgram } from "../host.ts";
import { prints } from "./answers.ts";
import { unescaped } from "./escapes.ts";

/** `echo [-n] [-e] [WORD…]`. */
export const echo: ShellProgram = {
  name: "echo",
  run(call) {
    const end = call.args.findIndex((arg) => !/^-[neE]+$/.test(arg));
    const options = call.args.slice(0, end < 0 ? undefined : end).join("");
    const text = (end < 0 ? [] : call.args.slice(end)).join(" ");
    const { text: shown, isCut } = options.includes("e") ? unescaped(text) : { text, isCut: false };
    return prints(call, options.includes("n") || isCut ? shown : `${shown}\n`);
  },
};
