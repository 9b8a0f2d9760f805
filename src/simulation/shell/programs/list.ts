/** All programs of simulated containers. To add one: its file, and its line here. */

import type { ShellProgram } from "../host.ts";
import { date } from "./date.ts";
import { echo } from "./echo.ts";
import { basename, chmod, chown, cp, dirname, ls, mkdir, mv, rm, rmdir, touch } from "./files.ts";
import { printf } from "./printf.ts";
import { ash, bash, dash, sh } from "./sh.ts";
import { sleep } from "./sleep.ts";
import { env, failure, hostname, id, printenv, seq, success, sync, whoami } from "./system.ts";
import { tar } from "./tar.ts";
import { bracket, test } from "./test.ts";
import { cat, grep, head, sort, tail, tee, uniq, wc } from "./text.ts";

const all: readonly ShellProgram[] = [
  ...[ash, bash, dash, sh],
  ...[success, failure, sleep, sync],
  ...[echo, printf, cat, head, tail, wc, grep, tee, sort, uniq, seq],
  ...[bracket, test],
  ...[touch, rm, mkdir, rmdir, cp, mv, ls, chmod, chown, basename, dirname, tar],
  ...[env, printenv, hostname, whoami, id, date],
];

export const programs: ReadonlyMap<string, ShellProgram> = new Map(all.map((program) => [program.name, program]));
