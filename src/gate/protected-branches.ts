export const DEFAULT_PROTECTED_BRANCHES: readonly string[] = ['main', 'master', 'develop', 'dev']

/** The first of the branches that is protected, whatever its case; undefined when none is. */
export const findProtected = (
  branches: readonly string[],
  protectedBranches: readonly string[],
): string | undefined => {
  const names = new Set(protectedBranches.map((name) => name.toLowerCase()))
  return branches.find((name) => names.has(name.toLowerCase()))
}

/** The branches that a setting protects for everyone; the default list is for agents only. */
export const namedBranches = (setting: readonly string[]): readonly string[] =>
  setting.join() === DEFAULT_PROTECTED_BRANCHES.join() ? [] : setting
