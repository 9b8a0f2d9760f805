/** The flags of a command as its help shows them: in columns, the useful ones first, or as a list of options. */

import { formatDuration } from "../duration.ts";
import type { Flag, Flags } from "./flag.ts";

export interface FlagHelp {
  readonly flags: Flags;
  /** The flags that most people need, most important first. Empty: every flag is shown at once. */
  readonly first: readonly string[];
  /** All flags by task. Absent: they are one group. */
  readonly groups?: Readonly<Record<string, Flags>>;
  /** What follows all flags, such as the values that one of them takes. */
  more?(): string;
}

export function describeFlags(
  { flags: known, first, groups = { Flags: known }, more }: FlagHelp,
  all: boolean,
): string {
  const flags = Object.fromEntries(Object.entries(known).filter(([, flag]) => isListed(flag)));
  const effective = Object.values(flags).filter(hasEffect).length;
  if (!all && first.length > 0) {
    const rest = effective - first.length;
    return `${lines(first.map((name) => [name, flags[name]!]))}\n\n--help-all shows ${rest} more flags.`;
  }
  const sections = Object.entries(groups).map(([title, group]) =>
    section(
      title,
      Object.keys(group).flatMap((name) => {
        const flag = flags[name];
        return flag !== undefined && hasEffect(flag) ? [[name, flag] as const] : [];
      }),
    ),
  );
  const without = Object.entries(flags).filter(([, flag]) => !hasEffect(flag));
  return [...sections, section("Known from v1.21, but without effect here", without), more?.() ?? ""]
    .filter((text) => text !== "")
    .join("\n\n");
}

const isListed = ({ deprecated, isHidden }: Flag) => deprecated === undefined && isHidden !== true;

const hasEffect = (flag: Flag) => flag.pending === undefined && flag.refused === undefined;

type Named = readonly (readonly [string, Flag])[];

const section = (title: string, flags: Named): string => (flags.length === 0 ? "" : `${title}:\n${lines(flags)}`);

const helpColumnMax = 44;

function lines(flags: Named): string {
  return flags
    .map(([name, flag]) => {
      const head = `  --${name}${flag.type.name === "bool" ? "" : ` ${flag.type.name}`}`;
      const text = sentence(flag);
      return head.length < helpColumnMax
        ? head.padEnd(helpColumnMax) + text
        : `${head}\n${" ".repeat(helpColumnMax)}${text}`;
    })
    .join("\n");
}

function sentence(flag: Flag): string {
  const reason = flag.refused ?? flag.pending;
  if (reason !== undefined) return reason;
  const names = [
    ...(flag.short === undefined ? [] : [`-${flag.short}`]),
    ...(flag.aliases ?? []).map((name) => `--${name}`),
  ];
  const also = names.map((name) => ` (also ${name})`).join("");
  const shown = showDefault(flag);
  return `${flag.help}${also}${shown === "" ? "" : ` (default ${shown})`}`;
}

function showDefault({ type, default: value }: Flag): string {
  if (value === "" || value === 0 || value === false) return "";
  if (Array.isArray(value)) return value.join(",");
  if (value instanceof Map) return "";
  return type.name === "duration" ? showDuration(Number(value)) : String(value);
}

/** As a person would type it: 24h, 90m, 10s. */
function showDuration(ms: number): string {
  for (const [unit, unitMs] of [
    ["h", 3_600_000],
    ["m", 60_000],
  ] as const) {
    if (ms % unitMs === 0) return `${ms / unitMs}${unit}`;
  }
  return `${ms / 1_000}s`;
}

/** One line for each flag, in the order of names: `  -o, --output='': how to print`. */
export function describeOptions(flags: Flags): string {
  return Object.entries(flags)
    .filter(([, flag]) => isListed(flag))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, flag]) =>
        `  ${flag.short === undefined ? "    " : `-${flag.short}, `}--${name}=${valueText(flag)}: ${flag.help}`,
    )
    .join("\n");
}

function valueText({ type, default: value }: Flag): string {
  if (Array.isArray(value)) return `[${value.join(",")}]`;
  if (type.name === "duration") return formatDuration(BigInt(Math.round(Number(value) * 1e6)));
  return typeof value === "string" ? `'${value}'` : String(value);
}
