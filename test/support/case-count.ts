/** How many generated cases a property has: few in the normal run, many in the long run, which sets the variable. */
export const caseCount = (few: number, many: number): number =>
  process.env.WARRANT_TEST_LONG === '1' ? many : few
