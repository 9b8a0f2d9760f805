/** Loads LMDB, whose native part is a package of its own for each platform that an installation may lack. */

import { requireLmdb } from "./lmdb-package.ts";

type Lmdb = typeof import("lmdb");

/** `load`: for tests. Throws an error that says in one sentence what to do. */
export function loadLmdb(load: () => unknown = requireLmdb): Lmdb {
  try {
    return load() as Lmdb; // the types of that package
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new Error(
      `the embedded store needs the package @lmdb/lmdb-${platform}, which is not installed: install again with optional dependencies (npm install --include=optional), or use --store=memory or --etcd-servers`,
      { cause },
    );
  }
}
