/** A library a module asks for. */
export interface Dependency {
  readonly groupId: string
  readonly artifactId: string
  readonly version?: string
  readonly scope: string
}

/** What a build file says of its module, whatever the build tool. */
export interface BuildModule {
  readonly tool: 'maven' | 'gradle' | 'npm' | 'plain'
  /** Folder of the module from the root; empty for the root itself. */
  readonly path: string
  readonly name: string
  readonly file?: string
  readonly groupId?: string
  readonly artifactId?: string
  readonly version?: string
  readonly packaging?: string
  readonly description?: string
  /** Paths of the modules below it, as folders from the root. */
  readonly modules: readonly string[]
  readonly dependencies: readonly Dependency[]
  /** The language level the build asks for. */
  readonly java?: string
  /** The framework's version, when a parent or a plugin sets it. */
  readonly springBoot?: string
}
