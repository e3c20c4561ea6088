/** How often the lines of a file ran, by line number. */
interface FileCoverage {
  readonly lines: ReadonlyMap<number, number>
  /** Branches that the tool counted in the file, and those that were taken. */
  readonly branches: { readonly found: number; readonly taken: number }
}

/** What the tests ran, by path relative to the root of the repository, in the order of the paths. */
export interface Coverage {
  readonly files: ReadonlyMap<string, FileCoverage>
  /** How many files are outside of the repository. They are not judged. */
  readonly outside: number
}
