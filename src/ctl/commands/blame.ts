/** `blame`: an object in YAML, with the owner of each field beside it. */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { memberPath } from "../../machinery/json/field-changes.ts";
import { humanDuration } from "../../machinery/table/human-duration.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { filenameFlags, selectorFlag } from "../flags/declared.ts";
import { aboutObject, findChanges } from "../input/past.ts";
import { forEachTarget } from "../input/targets.ts";
import { isJson, type Json, list, object, text } from "../json.ts";
import { ageOf, byOf } from "../output/past.ts";

const blameFlags = {
  ...filenameFlags,
  ...selectorFlag,
  manager: string("Only lines of this manager"),
  "with-history": bool("Also who set each value last, and what was there before; the server must keep a history"),
};

/** How many changes of an object are looked at. */
const changesMax = 500;

type BlameContext = Context<FlagValues<typeof blameFlags>>;

export const blame = command({
  name: "blame",
  summary: "Show who owns each field of an object",
  usage: "(TYPE NAME | TYPE/NAME | -f FILENAME)",
  examples: `ctl blame deploy/web
ctl blame deploy/web --with-history`,
  flags: blameFlags,
  async run(context) {
    let count = 0;
    await forEachTarget(context, {}, async ({ object: value, resource, namespace, name }) => {
      const changes = context.flags["with-history"]
        ? await findChanges(context, namespace, aboutObject(resource, name), changesMax)
        : [];
      context.print((count++ === 0 ? "" : "---\n") + annotated(context, value, lastSet(context, changes)));
    });
  },
});

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly timeMs: number;
  readonly fields: Json;
}

/** By paths, who set the value last, and what was there before. */
function lastSet(context: BlameContext, changes: readonly Json[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const change of changes)
    for (const field of list(change, "fields")) {
      const path = text(field, "path");
      if (path === "" || found.has(path)) continue;
      const before = text(field, "old");
      const was = before === "" ? "set" : `was ${before}`;
      found.set(
        path,
        `  # ${was}; ${byOf(change)}, ${ageOf(context, change)} ago, change ${text(change, "metadata", "name")}`,
      );
    }
  return found;
}

interface Line {
  readonly note: string;
  line: string;
  /** As changes name it. */
  readonly path: string;
}

function annotated(context: BlameContext, value: Json, set: ReadonlyMap<string, string>): string {
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
  const lines: Line[] = [];
  print(
    lines,
    { ...value, metadata },
    owners.map((owner) => ({ owner, set: owner.fields })),
    { indent: 0, path: "" },
    nowMs,
  );
  const only = context.flags.manager;
  const shown = only === "" ? lines : lines.filter(({ note }) => note.split(" ")[0] === only);
  const width = Math.max(...shown.map(({ note }) => note.length), 0) + 2;
  return shown.map(({ note, line, path }) => `${note.padEnd(width)}${line}${set.get(path) ?? ""}\n`).join("");
}

/** The part of an owner's field set below a path. */
type Below = { readonly owner: Owner; readonly set: Json };

/** Where a value is printed, and where it is in the object. */
interface Place {
  readonly indent: number;
  readonly path: string;
}

function print(
  lines: Line[],
  value: Json,
  owners: readonly Below[],
  { indent, path: above }: Place,
  nowMs: number,
): void {
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    const inside = enter(owners, `f:${key}`);
    const start = `${" ".repeat(indent)}${key}:`;
    const path = memberPath(above, key);
    if (isJson(item) && Object.keys(item).length > 0) {
      lines.push({ note: noteOf(inside, nowMs, true), line: start, path });
      print(lines, item, inside, { indent: indent + 2, path }, nowMs);
    } else if (Array.isArray(item) && item.length > 0) {
      lines.push({ note: noteOf(inside, nowMs, true), line: start, path });
      printItems(lines, item, inside, { indent, path }, nowMs);
    } else
      for (const line of encodeYaml({ [key]: item }, indent)
        .trimEnd()
        .split("\n"))
        lines.push({ note: noteOf(inside, nowMs, false), line, path });
  }
}

function printItems(
  lines: Line[],
  items: readonly unknown[],
  owners: readonly Below[],
  { indent, path: above }: Place,
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
    const path = `${above}[name=${text(item, "name")}]`;
    const place = { indent: indent + 2, path };
    if (isJson(item)) print(lines, item, inside.length > 0 ? inside : owners.filter(isLeaf), place, nowMs);
    else
      lines.push({
        note: noteOf(inside.length > 0 ? inside : owners.filter(isLeaf), nowMs, false),
        line: `${" ".repeat(indent + 2)}${String(item)}`,
        path: "",
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
