/** How often the lines of a file ran, by line number. */
export interface FileCoverage {
  readonly lines: ReadonlyMap<number, number>
  /** Branches that the tool counted in the file, and those that were taken. */
  readonly branches: { readonly found: number; readonly taken: number }
}

/** What tests ran, by path relative to the root of the repository. */
export interface Coverage {
  readonly files: ReadonlyMap<string, FileCoverage>
  /** Files outside of the repository, which are not judged. */
  readonly outside: number
}
