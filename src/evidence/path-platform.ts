interface PlatformPattern {
  readonly platform: string
  readonly folders: readonly string[]
  readonly suffixes: readonly string[]
}

/** Platform of a file by its path. The first match wins. */
const PLATFORM_PATTERNS: readonly PlatformPattern[] = [
  { platform: 'ios', folders: ['apps/ios/', 'ios/'], suffixes: ['.swift'] },
  { platform: 'backend', folders: ['apps/backend/'], suffixes: [] },
  { platform: 'frontend', folders: ['apps/frontend/', 'apps/web/'], suffixes: [] },
  { platform: 'android', folders: ['apps/android/'], suffixes: ['.kt', '.kts'] },
  { platform: 'java', folders: [], suffixes: ['.java'] },
  { platform: 'python', folders: [], suffixes: ['.py'] },
  { platform: 'go', folders: [], suffixes: ['.go'] },
]

/** Platform of a path that matches no pattern. */
export const GENERIC_PLATFORM = 'generic'

/** All values that `platformOf` returns. */
export const PLATFORM_NAMES: readonly string[] = [
  ...PLATFORM_PATTERNS.map(({ platform }) => platform),
  GENERIC_PLATFORM,
]

const RULE = new RegExp(`^(?:skills\\.)?(${PLATFORM_PATTERNS.map(({ platform }) => platform).join('|')})\\.`)

/** The platform of a file by its path, else by the prefix of the rule id. */
export const platformOf = (path: string, ruleId = ''): string => {
  const lower = path.toLowerCase()
  const pattern = PLATFORM_PATTERNS.find(
    ({ folders, suffixes }) =>
      folders.some((folder) => lower.startsWith(folder)) || suffixes.some((end) => lower.endsWith(end)),
  )
  return pattern?.platform ?? RULE.exec(ruleId)?.[1] ?? GENERIC_PLATFORM
}
