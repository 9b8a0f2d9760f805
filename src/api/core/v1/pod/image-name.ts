/** Names of images: `nginx`, `host:5000/team/app:1.2`, `app@sha256:…`. */

const imageNameCharsMax = 255;

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const path = new RegExp(`^${component}(?:/${component})*$`);
const domain =
  /^(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?$/;
const tagForm = /^\w[\w.-]{0,127}$/;
const digestForm = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
/** The longest name, with space for the longest tag and a digest. */
const textCharsMax = 1024;

/** The tag of an image; one that names neither tag nor digest means the latest. Empty: there is none, or the name is invalid. */
export function imageTag(image: string): string {
  if (image === "" || image.length > textCharsMax || /^[0-9a-f]{64}$/.test(image)) return "";
  const [named = "", digest, ...more] = image.split("@");
  if (more.length > 0 || (digest !== undefined && !digestForm.test(digest))) return "";
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  const name = colon < 0 ? named : named.slice(0, colon);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  if (!isName(name) || (tag !== undefined && !tagForm.test(tag))) return "";
  return tag ?? (digest === undefined ? "latest" : "");
}

/** The first part is a host only if it cannot be a folder: with a dot or a port, or localhost. */
function isName(name: string): boolean {
  if (name.length > imageNameCharsMax) return false;
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  const hasHost = slash >= 0 && (/[.:]/.test(first) || first === "localhost");
  return hasHost ? domain.test(first) && path.test(name.slice(slash + 1)) : path.test(name);
}
