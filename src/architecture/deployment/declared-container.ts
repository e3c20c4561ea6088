/** A container that a compose file or a Kubernetes manifest declares. */
export interface DeclaredContainer {
  readonly name: string
  readonly file: string
  readonly line: number
  /** The folder of the files that are deployed together. */
  readonly group: string
  readonly isCompose: boolean
  /** Whether it ends by itself: a Job or a CronJob. */
  readonly isJob: boolean
  /** The folder that its image is built from, when the file says so. */
  readonly folder?: string
  /** The Dockerfile that it is built with, when the file names one. */
  readonly dockerfile?: string
  /** The stage of the Dockerfile. */
  readonly target?: string
  readonly image?: string
  /** Further names by which other containers reach it. */
  readonly hosts: readonly string[]
  readonly ports: readonly string[]
  /** Names of containers that it waits for. */
  readonly dependsOn: readonly string[]
  /** Variables of its environment, by name. */
  readonly environment: ReadonlyMap<string, string>
  /** Variables that it shares with other containers: it may not read all of them. */
  readonly shared: ReadonlyMap<string, string>
  /** Arguments and labels, which may hold addresses of other containers. */
  readonly values: readonly string[]
  /** Whether Traefik passes calls on to it. */
  readonly isRouted: boolean
  /** Those variables that come from a file, which other containers may have too. */
  readonly fromFiles?: ReadonlySet<string>
  /** Folders of the project that are mounted into it, by their paths there. */
  readonly mounted?: ReadonlyMap<string, string>
  /** The folder that its command runs in, when the file says so. */
  readonly workingDir?: string
  /** Files of the project that are mounted into it. */
  readonly mounts: readonly string[]
}
