/** Describes which of the chosen admission plugins a later release removes. */

/** Plugins that v1.21 still has, and what to do about them. */
const deprecatedPlugins: Readonly<Record<string, string>> = {
  AlwaysAdmit: "it has no effect; remove it from --enable-admission-plugins",
  AlwaysDeny: "it refuses every write; remove it from --enable-admission-plugins",
  DenyEscalatingExec: "use PodSecurityPolicy or a policy of your own",
  DenyExecOnPrivileged: "use PodSecurityPolicy or a policy of your own",
  PersistentVolumeLabel: "cloud providers label volumes themselves; remove it from --enable-admission-plugins",
  PodSecurityPolicy: "it is unavailable in v1.25+",
};

/** A sentence for each deprecated plugin that is enabled. */
export const deprecatedChoices = (plugins: readonly string[]): readonly string[] =>
  plugins.flatMap((name) =>
    Object.hasOwn(deprecatedPlugins, name)
      ? [`the admission plugin ${name} is deprecated: ${deprecatedPlugins[name]}`]
      : [],
  );
