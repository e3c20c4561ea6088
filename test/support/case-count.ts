/** How many generated cases a property has: few in the normal run, many in the long run, which sets the variable. */
export const caseCount = (few: number, many: number): number =>
  process.env.WARRANT_TEST_LONG === '1' ? many : few

/** Rows of a table that are alike: the normal run takes every nth, from `first` on, and the long run takes all. */
export const someRows = <T>(rows: readonly T[], nth: number, first = 0): T[] =>
  rows.filter((_, at) => caseCount(nth, 1) === 1 || at % nth === first)
