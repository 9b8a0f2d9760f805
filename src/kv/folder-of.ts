/** The folder of a key, by which changes are found in a history. */

/** `/core/pods/shop/web` is in the folder `shop`. */
export function folderOf(key: string): string {
  const end = key.lastIndexOf("/");
  return end < 1 ? "" : key.slice(key.lastIndexOf("/", end - 1) + 1, end);
}
