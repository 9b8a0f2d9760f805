/** Which level and version of the standards a namespace wants for each mode: its labels over the configured defaults. */

import type { Release } from "../../base/release.ts";
import { type FieldError, invalid } from "../../machinery/status/field-error.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { StandardLevel } from "./contract.ts";

/** `version` as it was written: "latest" or "v1.30". */
export interface LevelVersion {
  readonly level: StandardLevel;
  readonly version: string;
}

export const modes = ["enforce", "audit", "warn"] as const;
type Mode = (typeof modes)[number];
export type StandardPolicy = Readonly<Record<Mode, LevelVersion>>;

/** From the least to the most restrictive. */
export const levels: readonly StandardLevel[] = ["privileged", "baseline", "restricted"];
export const isLevel = (text: string): text is StandardLevel => levels.some((level) => level === text);
export const isVersion = (text: string): boolean => text === "latest" || /^v1\.(0|[1-9]\d{0,5})$/.test(text);
export const isStricter = (one: LevelVersion, other: LevelVersion): boolean =>
  levels.indexOf(one.level) > levels.indexOf(other.level);
export const sameStandard = (one: LevelVersion, other: LevelVersion): boolean =>
  one.level === other.level && one.version === other.version;
export const standardText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** A version of the future counts as the latest. */
export const releaseOf = (version: string): Release | "latest" =>
  version === "latest" ? "latest" : (version.slice(1) as Release); // checked by isVersion

export interface LabelledPolicy {
  readonly policy: StandardPolicy;
  readonly errors: readonly FieldError[];
  /** The modes of which the labels say something. */
  readonly labelled: readonly Mode[];
}

/** Invalid labels: enforcement takes the strictest level, the other modes take none. */
export function policyOf(
  labels: Readonly<Record<string, string>>,
  defaults: StandardPolicy,
  vocabulary: Vocabulary,
): LabelledPolicy {
  const errors: FieldError[] = [];
  const labelled: Mode[] = [];
  const labelOf = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const read = (mode: Mode): LevelVersion => {
    let { level, version } = defaults[mode];
    const levelKey = vocabulary.word(`pod-security.orch.io/${mode}`);
    const versionKey = vocabulary.word(`pod-security.orch.io/${mode}-version`);
    const levelText = labelOf(levelKey);
    const versionText = labelOf(versionKey);
    if (levelText !== undefined) {
      if (isLevel(levelText)) level = levelText;
      else {
        level = mode === "enforce" ? "restricted" : "privileged";
        errors.push(invalid(`metadata.labels[${levelKey}]`, levelText, `must be one of ${levels.join(", ")}`));
      }
    }
    if (versionText !== undefined) {
      if (isVersion(versionText)) version = versionText;
      else {
        version = "latest";
        errors.push(invalid(`metadata.labels[${versionKey}]`, versionText, 'must be "latest" or "v1.x"'));
      }
    }
    if (levelText !== undefined || versionText !== undefined) labelled.push(mode);
    return { level, version };
  };
  const enforce = read("enforce");
  const audit = read("audit");
  const ownWarn = read("warn");
  // Who sets a level for enforcement alone hears about workloads whose pods would be refused.
  const isSilent = !labelled.includes("warn") && labelled.includes("enforce") && isStricter(enforce, ownWarn);
  return { policy: { enforce, audit, warn: isSilent ? enforce : ownWarn }, errors, labelled };
}
