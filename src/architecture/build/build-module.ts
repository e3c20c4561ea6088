/** A library that a module depends on. */
export interface Dependency {
  readonly groupId: string
  readonly artifactId: string
  readonly version?: string
  readonly scope: string
}

/** A module as its build file declares it, for all build tools. */
export interface BuildModule {
  readonly tool: 'maven' | 'gradle' | 'npm' | 'plain'
  /** Folder of the module, relative to the root; empty for the root itself. */
  readonly path: string
  readonly name: string
  readonly file?: string
  readonly groupId?: string
  readonly artifactId?: string
  readonly version?: string
  readonly packaging?: string
  readonly description?: string
  /** Folders of its submodules, relative to the root. */
  readonly modules: readonly string[]
  readonly dependencies: readonly Dependency[]
  /** The Java language level. */
  readonly java?: string
  /** The Spring Boot version, when a parent or plugin sets it. */
  readonly springBoot?: string
}
