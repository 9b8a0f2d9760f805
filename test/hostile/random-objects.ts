/** Random objects of every kind that can be created, each with a few lists, maps and texts of random size. */

import type { BoundKind } from "../../src/machinery/schema/catalog.ts";
import type { Level } from "../../src/machinery/schema/levels.ts";
import { allKinds, testEnvironment } from "../../src/testing/all-kinds.ts";
import { growthsOf } from "./large-objects.ts";
import { smallObjects } from "./small-objects.ts";
import { smallRareObjects } from "./small-rare-objects.ts";

export interface RandomObject {
  readonly kind: BoundKind;
  /** Where it is large. */
  readonly grown: readonly string[];
  /** Smaller by this power of eight; 0: as large as chance has made it. */
  make(smaller: number): object;
}

type Below = (limit: number) => number;

const bytesMax = 1_000_000;
const entriesMax = 60_000;
const growthsMax = 4;

/** A kind that is served in several versions has the small object of its newest one. */
function smallOf({ apiVersion, kind, group }: BoundKind): object | undefined {
  const all = { ...smallObjects, ...smallRareObjects };
  return all[`${apiVersion} ${kind}`] ?? all[`${group === "" ? "" : `${group}/`}v1 ${kind}`];
}

/** Objects that the server may accept. */
export function randomObjects(level: Level, below: Below): () => RandomObject {
  const seeds = allKinds(testEnvironment({ level })).flatMap((kind) => {
    const small = smallOf(kind);
    const growths = small === undefined ? [] : growthsOf(kind.schema, small);
    return small === undefined || growths.length === 0 ? [] : [{ kind, small, growths }];
  });
  return () => {
    const { kind, small, growths } = seeds[below(seeds.length)]!;
    const chosen = Array.from({ length: 1 + below(growthsMax) }, () => ({
      growth: growths[below(growths.length)]!,
      // Small sizes are as likely as large ones.
      count: 1 + Math.floor(entriesMax ** (below(1_000) / 999)),
    }));
    return {
      kind,
      grown: chosen.map(({ growth, count }) => `${growth.path}×${count}`),
      make: (smaller) =>
        chosen.reduce(
          (object, { growth, count }, at) =>
            growth.grow(object, Math.ceil(count / 8 ** smaller), Math.floor((bytesMax * (at + 1)) / chosen.length)),
          small,
        ),
    };
  };
}
