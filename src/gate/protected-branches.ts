export const DEFAULT_PROTECTED_BRANCHES: readonly string[] = ['main', 'master', 'develop', 'dev']

/** The first of the branches that is protected, whatever its case; undefined when none is. */
export const findProtected = (
  branches: readonly string[],
  protectedBranches: readonly string[],
): string | undefined => {
  const names = new Set(protectedBranches.map((name) => name.toLowerCase()))
  return branches.find((name) => names.has(name.toLowerCase()))
}
