/** Programs that change or show files: touch, rm, mkdir, rmdir, cp, mv, ls, chmod and chown. */

import { posix } from "node:path";
import { FileError, type ProgramCall, type ShellProgram } from "../host.ts";
import { write } from "../streams.ts";
import type { Run } from "../wait.ts";
import { complains, onlyOptions, optionsOf, prints } from "./answers.ts";

const pathOf = ({ folder }: ProgramCall, text: string): string => posix.resolve(folder, text);

/** Calls for each file; the exit code says whether one was refused. */
function* each(call: ProgramCall, paths: readonly string[], work: (path: string, given: string) => void): Run {
  let code = 0;
  for (const given of paths) {
    try {
      work(pathOf(call, given), given);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      code = yield* complains(call, `${given}: ${error.message}`);
    }
    yield { at: "step" };
  }
  return code;
}

export const touch: ShellProgram = {
  name: "touch",
  understands: onlyOptions("acm"),
  run(call) {
    const { files } = call.host;
    return each(call, optionsOf(call.args).rest, (path) => {
      if (files.kind(path) !== "folder") files.write(path, Buffer.alloc(0), "append");
    });
  },
};

export const rm: ShellProgram = {
  name: "rm",
  understands: onlyOptions("rRfvi"),
  run(call) {
    const { files } = call.host;
    const { letters, rest } = optionsOf(call.args);
    const isRecursive = /r/i.test(letters);
    return each(call, rest, (path) => {
      const kind = files.kind(path);
      if (kind === undefined && letters.includes("f")) return;
      if (kind === undefined) throw new FileError("No such file or directory");
      if (kind === "folder" && !isRecursive) throw new FileError("is a directory");
      files.remove(path);
    });
  },
};

export const mkdir: ShellProgram = {
  name: "mkdir",
  understands: onlyOptions("pv"),
  run(call) {
    const { files } = call.host;
    const { letters, rest } = optionsOf(call.args);
    return each(call, rest, (path) => {
      const kind = files.kind(path);
      if (kind === "folder" && letters.includes("p")) return;
      if (kind !== undefined) throw new FileError("File exists");
      const parts = path.split("/").slice(1);
      const missing = parts
        .map((_, at) => `/${parts.slice(0, at + 1).join("/")}`)
        .filter((one) => files.kind(one) === undefined);
      if (missing.length > 1 && !letters.includes("p")) throw new FileError("No such file or directory");
      for (const one of missing) files.makeFolder(one);
    });
  },
};

export const rmdir: ShellProgram = {
  name: "rmdir",
  understands: onlyOptions(""),
  run(call) {
    const { files } = call.host;
    return each(call, call.args, (path) => {
      const names = files.list(path);
      if (names === undefined) throw new FileError("No such file or directory");
      if (names.length > 0) throw new FileError("Directory not empty");
      files.remove(path);
    });
  },
};

/** The place that a file is copied to: a folder keeps its name. */
function targetOf(call: ProgramCall, from: string, to: string): string {
  const path = pathOf(call, to);
  return call.host.files.kind(path) === "folder" ? posix.join(path, posix.basename(from)) : path;
}

export const cp: ShellProgram = {
  name: "cp",
  understands: onlyOptions("fpa"),
  *run(call) {
    const { files } = call.host;
    const from = optionsOf(call.args).rest;
    const to = from.at(-1) ?? "";
    return yield* each(call, from.slice(0, -1), (path, given) => {
      const data = files.read(path);
      if (data === undefined) throw new FileError("No such file or directory");
      files.write(targetOf(call, given, to), data, "replace");
    });
  },
};

export const mv: ShellProgram = {
  name: "mv",
  understands: onlyOptions("f"),
  *run(call) {
    const { files } = call.host;
    const from = optionsOf(call.args).rest;
    const to = from.at(-1) ?? "";
    return yield* each(call, from.slice(0, -1), (path, given) => {
      const data = files.read(path);
      if (data === undefined) throw new FileError("No such file or directory");
      const target = targetOf(call, given, to);
      if (target === path) return;
      files.write(target, data, "replace");
      files.remove(path);
    });
  },
};

export const ls: ShellProgram = {
  name: "ls",
  understands: onlyOptions("la1AR"),
  *run(call) {
    const { files } = call.host;
    const { letters, rest } = optionsOf(call.args);
    const isLong = letters.includes("l");
    let code = 0;
    for (const given of rest.length === 0 ? ["."] : rest) {
      const path = pathOf(call, given);
      const kind = files.kind(path);
      if (kind === undefined) {
        code = yield* complains(call, `${given}: No such file or directory`);
        continue;
      }
      const names =
        kind === "file"
          ? [given]
          : (files.list(path) ?? []).filter((one) => /a/i.test(letters) || !one.startsWith("."));
      if (rest.length > 1 && kind === "folder") yield* write(call.streams.stdout, `${given}:\n`);
      const line = (name: string) =>
        isLong ? longLine(call, kind === "file" ? path : posix.join(path, name), name) : `${name}\n`;
      yield* write(call.streams.stdout, names.map(line).join(""));
    }
    return code;
  },
};

function longLine({ host: { files } }: ProgramCall, path: string, name: string): string {
  const isFolder = files.kind(path) === "folder";
  const when = new Date(files.changedMs(path)).toISOString().slice(0, 16).replace("T", " ");
  const size = String(isFolder ? 4096 : files.sizeOf(path)).padStart(9);
  return `${isFolder ? "drwxr-xr-x" : "-rw-r--r--"}    1 root     root     ${size} ${when} ${name}\n`;
}

/** Modes and owners are not kept. */
const unkept = (name: string): ShellProgram => ({
  name,
  *run(call) {
    const [, ...paths] = optionsOf(call.args).rest;
    return yield* each(call, paths, (path) => {
      if (call.host.files.kind(path) === undefined) throw new FileError("No such file or directory");
    });
  },
});

export const chmod = unkept("chmod");
export const chown = unkept("chown");

export const basename: ShellProgram = {
  name: "basename",
  run: (call) => prints(call, `${posix.basename(call.args[0] ?? "", call.args[1] ?? "")}\n`),
};

export const dirname: ShellProgram = {
  name: "dirname",
  run: (call) => prints(call, `${posix.dirname(call.args[0] ?? "")}\n`),
};
