/** A file that `warrant init` may change. */
export interface SetupFile {
  readonly bytes: Buffer
  /** Permission bits. */
  readonly mode: number
}

/**
 * Files below one folder, by paths with `/`. No part of a path below the folder may be a symlink. Each call throws
 * `UneditableFile` where a file must not be changed: a link, no regular file, too long, or without write permission.
 */
export interface SetupFiles {
  /** Undefined when there is none. */
  read(path: string): Promise<SetupFile | undefined>
  /** Creates the file and the folders to it. Returns the folders that were new. */
  create(path: string, bytes: Uint8Array, mode: number): Promise<readonly string[]>
  /** Replaces a file; its mode stays. */
  replace(path: string, bytes: Uint8Array): Promise<void>
  remove(path: string): Promise<void>
  /** Removes the folder when it is empty. */
  removeFolder(path: string): Promise<void>
}

/** `tree`: the working tree. `git`: the git folder that all working trees share. */
export type SetupPlace = 'tree' | 'git'
export type SetupPlaces = Readonly<Record<SetupPlace, SetupFiles>>
