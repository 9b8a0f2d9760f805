/** `blame`: an object in YAML, with the owner of each field beside it. */

import { type FlagValues, string } from "../../base/flags/flag.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { humanDuration } from "../../machinery/table/human-duration.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { filenameFlags, selectorFlag } from "../flags/declared.ts";
import { forEachTarget } from "../input/targets.ts";
import { isJson, type Json, list, object, text } from "../json.ts";

const blameFlags = { ...filenameFlags, ...selectorFlag, manager: string("Only lines of this manager") };

type BlameContext = Context<FlagValues<typeof blameFlags>>;

export const blame = command({
  name: "blame",
  summary: "Show who owns each field of an object",
  usage: "(TYPE NAME | TYPE/NAME | -f FILENAME)",
  examples: `ctl blame deploy/web`,
  flags: blameFlags,
  async run(context) {
    let count = 0;
    await forEachTarget(context, {}, async ({ object: value }) => {
      context.print((count++ === 0 ? "" : "---\n") + annotated(context, value));
    });
  },
});

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly timeMs: number;
  readonly fields: Json;
}

function annotated(context: BlameContext, value: Json): string {
  const nowMs = context.environment.clock.now();
  const owners = list(value, "metadata", "managedFields").map(
    (entry): Owner => ({
      manager: text(entry, "manager") + (text(entry, "subresource") === "" ? "" : `/${text(entry, "subresource")}`),
      operation: text(entry, "operation"),
      timeMs: Date.parse(text(entry, "time")),
      fields: object(entry, "fieldsV1"),
    }),
  );
  const { managedFields: _, ...metadata } = object(value, "metadata");
  const lines: { note: string; line: string }[] = [];
  print(
    lines,
    { ...value, metadata },
    owners.map((owner) => ({ owner, set: owner.fields })),
    0,
    nowMs,
  );
  const only = context.flags.manager;
  const shown = only === "" ? lines : lines.filter(({ note }) => note.split(" ")[0] === only);
  const width = Math.max(...shown.map(({ note }) => note.length), 0) + 2;
  return shown.map(({ note, line }) => `${note.padEnd(width)}${line}\n`).join("");
}

/** The part of an owner's field set below a path. */
type Below = { readonly owner: Owner; readonly set: Json };

function print(
  lines: { note: string; line: string }[],
  value: Json,
  owners: readonly Below[],
  indent: number,
  nowMs: number,
): void {
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    const inside = enter(owners, `f:${key}`);
    const start = `${" ".repeat(indent)}${key}:`;
    if (isJson(item) && Object.keys(item).length > 0) {
      lines.push({ note: noteOf(inside, nowMs, true), line: start });
      print(lines, item, inside, indent + 2, nowMs);
    } else if (Array.isArray(item) && item.length > 0) {
      lines.push({ note: noteOf(inside, nowMs, true), line: start });
      printItems(lines, item, inside, indent, nowMs);
    } else
      for (const line of encodeYaml({ [key]: item }, indent)
        .trimEnd()
        .split("\n"))
        lines.push({ note: noteOf(inside, nowMs, false), line });
  }
}

function printItems(
  lines: { note: string; line: string }[],
  items: readonly unknown[],
  owners: readonly Below[],
  indent: number,
  nowMs: number,
): void {
  items.forEach((item, at) => {
    const inside = owners.flatMap(({ owner, set }) =>
      Object.keys(set).flatMap((key) => {
        const isIt =
          key === `i:${at}` ||
          key === `v:${JSON.stringify(item)}` ||
          (key.startsWith("k:") && isKey(key.slice(2), item));
        return isIt ? [{ owner, set: object(set, key) }] : [];
      }),
    );
    const first = lines.length;
    if (isJson(item)) print(lines, item, inside.length > 0 ? inside : owners.filter(isLeaf), indent + 2, nowMs);
    else
      lines.push({
        note: noteOf(inside.length > 0 ? inside : owners.filter(isLeaf), nowMs, false),
        line: `${" ".repeat(indent + 2)}${String(item)}`,
      });
    const begun = lines[first];
    if (begun !== undefined) begun.line = `${" ".repeat(indent)}- ${begun.line.slice(indent + 2)}`;
  });
}

function isKey(text_: string, item: unknown): boolean {
  try {
    const key: unknown = JSON.parse(text_);
    return isJson(key) && isJson(item) && Object.entries(key).every(([name, wanted]) => item[name] === wanted);
  } catch {
    return false;
  }
}

const isLeaf = ({ set }: Below): boolean => Object.keys(set).filter((key) => key !== ".").length === 0;

/** The managers that own the member; if there are none, a set without members owns everything below it. */
function enter(owners: readonly Below[], key: string): Below[] {
  const named = owners.filter(({ set }) => Object.hasOwn(set, key));
  if (named.length > 0) return named.map(({ owner, set }) => ({ owner, set: object(set, key) }));
  return owners.filter((below) => isLeaf(below) && below.set !== below.owner.fields);
}

function noteOf(owners: readonly Below[], nowMs: number, isParent: boolean): string {
  const own = isParent
    ? owners.filter(({ set }) => Object.hasOwn(set, ".") || isLeaf({ owner: owners[0]!.owner, set }))
    : owners;
  return own
    .map(
      ({ owner }) =>
        `${owner.manager} (${owner.operation}${Number.isNaN(owner.timeMs) ? "" : ` ${humanDuration(nowMs - owner.timeMs)}`})`,
    )
    .join(", ");
}
