/** The names of kernel parameters. */

export const sysctlCharsMax = 253;

export const isSysctlPart = (part: string): boolean => /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(part);

export const sysctlProblems = (name: string): readonly string[] =>
  name.length <= sysctlCharsMax && name.split(".").every(isSysctlPart) ? [] : ["must be a sysctl name"];
