import { nameOf } from '../source/source-files.ts'

const DOCKERFILE = /^(Dockerfile|Containerfile)([.-][\w.-]+)?$|^[\w-]+\.(Dockerfile|Containerfile)$/i
export const isDockerfile = (path: string): boolean => DOCKERFILE.test(nameOf(path))

interface BuildStage {
  readonly base: string
  readonly alias: string
  readonly lines: readonly string[]
}

interface DockerImage {
  /** The image that the final stage begins with, after stages of this file. */
  readonly base: string
  /** Whether it says what to start. */
  readonly starts: boolean
  /** The instructions of the final stage. */
  readonly lines: readonly string[]
}

const stagesOf = (text: string): readonly BuildStage[] => {
  const defaults = new Map<string, string>()
  const stages: { base: string; alias: string; lines: string[] }[] = []
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^\s*ARG\s+(\w+)=["']?([^\s"']+)/i.exec(line) ?? []
    if (name !== undefined && value !== undefined) defaults.set(name, value)
    const [, from, alias = ''] = /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i.exec(line) ?? []
    if (from !== undefined) {
      const base = from.replace(
        /\$\{?(\w+)(?::-([^}]*))?\}?/g,
        (_, key: string, other = '') => defaults.get(key) ?? other,
      )
      stages.push({ base, alias: alias.toLowerCase(), lines: [] })
    } else stages.at(-1)?.lines.push(line)
  }
  return stages
}

/** The image that a Dockerfile builds: that of its last stage, or of a named one. */
export const readDockerfile = (text: string, target?: string): DockerImage | undefined => {
  const stages = stagesOf(text)
  const final = stages.find(({ alias }) => alias !== '' && alias === target?.toLowerCase()) ?? stages.at(-1)
  if (final === undefined) return undefined
  const lines = [...final.lines]
  let stage = final
  const seen = new Set([final])
  for (;;) {
    const below = stages.find(({ alias }) => alias !== '' && alias === stage.base.toLowerCase())
    if (below === undefined || seen.has(below)) break
    seen.add(below)
    lines.unshift(...below.lines)
    stage = below
  }
  return { base: stage.base, starts: lines.some((line) => /^\s*(CMD|ENTRYPOINT)\b/i.test(line)), lines }
}

const MAX_TEXT = 20_000
const MAX_LINE = 1_000

/** The folders that the instructions of an image name: what it is made of. */
export const namedFolders = ({ lines }: DockerImage, folders: readonly string[]): readonly string[] => {
  const text = lines
    .filter((line) => /^\s*(COPY|ADD|WORKDIR|CMD|ENTRYPOINT)\b/i.test(line))
    .join('\n')
    .slice(0, MAX_TEXT)
  const words = new Set(text.split(/[\s"',[\]=]+/).map((word) => `/${word.replace(/^\.?\/+/, '')}/`))
  return folders.filter((folder) => folder !== '' && [...words].some((word) => word.includes(`/${folder}/`)))
}

/** Configuration of a program, by its name. */
const CONFIGURATION = /(^|\/)(Caddyfile|[\w.-]+\.(conf|ya?ml)(\.(template|tmpl))?)$/

/** Files of configuration that are copied into an image, as the instructions name them. */
export const copiedConfiguration = ({ lines }: DockerImage): readonly string[] =>
  lines.flatMap((line) => {
    const [, words] = /^\s*(?:COPY|ADD)\s+((?:(?!--from)\S+\s+)+)\S+\s*$/i.exec(line.slice(0, MAX_LINE)) ?? []
    return (words ?? '')
      .split(/\s+/)
      .filter((word) => CONFIGURATION.test(word))
      .map((word) => word.replace(/^\.?\/+/, ''))
  })
