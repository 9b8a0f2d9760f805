/** Forms of paths that fields contain. Each function returns what is wrong with a path, as sentences. */

type Problems = readonly string[];

export const hasParentStep = (path: string): boolean => path.split("/").includes("..");

/** A path that never goes up. */
export const isPathWithoutParents = (path: string): Problems => (hasParentStep(path) ? ["must not contain '..'"] : []);

export const isAbsolutePath = (path: string): Problems => (path.startsWith("/") ? [] : ["must be an absolute path"]);

/** A path below some folder. */
export const isRelativePath = (path: string): Problems => [
  ...(path.startsWith("/") ? ["must be a relative path"] : []),
  ...isPathWithoutParents(path),
];

/** A file within a volume: below its folder, and not named like the links that make updates atomic. */
export function isFilePath(path: string): Problems {
  const problems = isRelativePath(path);
  return problems.length === 0 && path.startsWith("..") ? ["must not start with '..'"] : problems;
}
