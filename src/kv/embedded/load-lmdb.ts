/** Loads LMDB, whose native part is a package of its own for each platform that an installation may lack. */

import { createRequire } from "node:module";

type Lmdb = typeof import("lmdb");

/** `load`: for tests. Throws an error that says in one sentence what to do. */
export function loadLmdb(load: (name: string) => unknown = createRequire(import.meta.url)): Lmdb {
  try {
    // The package's one file in the older module form loads in half the time of its newer ones.
    return load("lmdb") as Lmdb; // the types of that package
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new Error(
      `the embedded store needs the package @lmdb/lmdb-${platform}, which is not installed: install again with optional dependencies (npm install --include=optional), or use --store=memory or --etcd-servers`,
      { cause },
    );
  }
}
