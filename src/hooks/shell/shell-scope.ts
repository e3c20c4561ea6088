/** What is known while the commands of a program are read in their order. */
export interface ShellScope {
  /** Values of variables that the program sets. */
  readonly variables: Map<string, string>
  /** Variables that commands get from here on, by `export`; undefined values are unknown. */
  readonly exported: Map<string, ShellField>
  readonly aliases: Map<string, string>
  /** The working folder; undefined once it is unknown. */
  cwd: string | undefined
  readonly places: ShellPlaces
}

export interface ShellPlaces {
  /** The root of the repository, absolute. */
  readonly root: string
  readonly home: string
}

/** A word after expansion. */
export interface ShellField {
  /** `UNKNOWN` and `VALUE` stand for what is known only when the command runs. */
  readonly text: string
  /** Whether file names may be put in its place. */
  readonly glob: boolean
}

/** Stands for a text that may be anything. */
export const UNKNOWN = '\ue000'
/** Stands for a text that is no option, such as the name of a branch. */
export const VALUE = '\ue001'

export const isKnown = ({ text }: ShellField): boolean => !text.includes(UNKNOWN) && !text.includes(VALUE)

/** Whether a field may turn out to be an option. */
export const mayBeOption = ({ text }: ShellField): boolean => text.startsWith(UNKNOWN)

export const newScope = (places: ShellPlaces, cwd: string | undefined): ShellScope => ({
  variables: new Map([
    ['IFS', ' '],
    ['HOME', places.home],
  ]),
  exported: new Map(),
  aliases: new Map(),
  cwd,
  places,
})
