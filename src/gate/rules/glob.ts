import picomatch from 'picomatch'
import type { GlobReader } from './compile.ts'

const GLOB = { dot: true, nocase: false, noextglob: true } as const

/** Reads any glob a rule may hold. Loading this costs more than all globs of ours: those are read when we build. */
export const readGlob: GlobReader = (glob, nocase) => picomatch(glob, { ...GLOB, nocase })

/** The expression a glob stands for. */
export const globSource = (glob: string): string => picomatch.makeRe(glob, GLOB).source
