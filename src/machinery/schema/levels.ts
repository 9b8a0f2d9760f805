/**
 * The levels: the releases whose API a server can serve, a row each. Nothing else lists them. Declarations are bound to any release; a row
 * says that this program offers it.
 */

import { compareReleases, type Release } from "../../base/release.ts";

interface LevelRow {
  /** The release whose behaviour the API follows. Clients compare it with their own. */
  readonly release: `v${Release}.${number}`;
  /** The folder of `test/golden/` that has its objects. Absent: none has. */
  readonly golden?: "" | `${Release}/`;
}

const rows = {
  "1.21": { release: "v1.21.14", golden: "" },
  "1.22": { release: "v1.22.17" },
  "1.23": { release: "v1.23.17" },
  "1.24": { release: "v1.24.17" },
  "1.25": { release: "v1.25.16" },
  "1.26": { release: "v1.26.15" },
  "1.27": { release: "v1.27.16" },
  "1.28": { release: "v1.28.15" },
  "1.29": { release: "v1.29.15" },
  "1.30": { release: "v1.30.14" },
  "1.31": { release: "v1.31.14" },
  "1.32": { release: "v1.32.13" },
  "1.33": { release: "v1.33.12" },
  "1.34": { release: "v1.34.9" },
  "1.35": { release: "v1.35.8", golden: "1.35/" },
  "1.36": { release: "v1.36.4" },
  "1.37": { release: "v1.37.0" },
} as const satisfies Readonly<Record<Release, LevelRow>>;

const rowOf = (level: Release): LevelRow | undefined => (rows as Readonly<Record<Release, LevelRow>>)[level];

export type Level = keyof typeof rows;

/** The lowest first. */
export const levels: readonly Level[] = (Object.keys(rows) as Level[]).sort(compareReleases);

/** The level of a server that names none: that of the specification. */
export const levelDefault: Level = "1.21";

/** Those whose every object is in `test/golden/`: tests about all levels run at these. */
export const goldenLevels: readonly Level[] = levels.filter((level) => "golden" in rows[level]);

/** What clients of today get that name no level. */
export const newestLevel: Level = levels.at(-1) ?? levelDefault;

/** "v1.21.14"; the first of its patches for a release without a row. */
export const releaseTextOf = (level: Release): string => rowOf(level)?.release ?? `v${level}.0`;

/** Undefined: there are no golden files of the level. */
export const goldenFolderOf = (level: Release): string | undefined => rowOf(level)?.golden;
