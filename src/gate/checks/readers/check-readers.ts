import type { CheckReader } from './reader.ts'

export type ReaderName = 'sarif' | 'junit' | 'eslint' | 'tsc' | 'lcov' | 'cobertura' | 'exit' | 'lines'

/** The readers by the name that `reads` gives. Each is loaded when a check uses it. */
export const CHECK_READERS: Readonly<Record<ReaderName, () => Promise<CheckReader>>> = {
  sarif: async () => (await import('./sarif.ts')).readSarif,
  junit: async () => (await import('./junit.ts')).readJunit,
  eslint: async () => (await import('./eslint.ts')).readEslint,
  tsc: async () => (await import('./lines.ts')).readTsc,
  lcov: async () => (await import('./coverage.ts')).readLcov,
  cobertura: async () => (await import('./coverage.ts')).readCobertura,
  exit: async () => (await import('./lines.ts')).readExit,
  lines: async () => (await import('./lines.ts')).readLines,
}
