interface PlatformPattern {
  readonly platform: string
  readonly folders: readonly string[]
  readonly suffixes: readonly string[]
}

/** Where a file belongs, by its path. The first that fits wins. */
const PLATFORM_PATTERNS: readonly PlatformPattern[] = [
  { platform: 'ios', folders: ['apps/ios/', 'ios/'], suffixes: ['.swift'] },
  { platform: 'backend', folders: ['apps/backend/'], suffixes: [] },
  { platform: 'frontend', folders: ['apps/frontend/', 'apps/web/'], suffixes: [] },
  { platform: 'android', folders: ['apps/android/'], suffixes: ['.kt', '.kts'] },
  { platform: 'java', folders: [], suffixes: ['.java'] },
  { platform: 'python', folders: [], suffixes: ['.py'] },
  { platform: 'go', folders: [], suffixes: ['.go'] },
]

/** What a path that tells nothing gets. */
export const GENERIC_PLATFORM = 'generic'

/** Every platform a path can have. */
export const PLATFORM_NAMES: readonly string[] = [
  ...PLATFORM_PATTERNS.map(({ platform }) => platform),
  GENERIC_PLATFORM,
]

const RULE = new RegExp(`^(?:skills\\.)?(${PLATFORM_PATTERNS.map(({ platform }) => platform).join('|')})\\.`)

/** The platform of a file. A path that tells nothing lets the rule that spoke tell, where one is given. */
export const platformOf = (path: string, ruleId = ''): string => {
  const lower = path.toLowerCase()
  const pattern = PLATFORM_PATTERNS.find(
    ({ folders, suffixes }) =>
      folders.some((folder) => lower.startsWith(folder)) || suffixes.some((end) => lower.endsWith(end)),
  )
  return pattern?.platform ?? RULE.exec(ruleId)?.[1] ?? GENERIC_PLATFORM
}
