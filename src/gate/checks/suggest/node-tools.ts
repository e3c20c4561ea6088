import type { ReaderName } from '../readers/check-readers.ts'
import type { SimpleCommand } from './node-scripts.ts'

export interface NodeTool {
  readonly name: string
  readonly program: string
  /** The package that has to be declared; undefined for a program that comes with Node.js. */
  readonly dependency: string | undefined
  /** Arguments when no script gives them; undefined when only a script shows how the tool is used. */
  readonly args: string | undefined
  /** A file of the root folder without which these arguments find nothing. */
  readonly config?: RegExp
  /** Names of scripts that show how the tool is used, the best first. */
  readonly scripts: readonly RegExp[]
  /** Arguments that are removed, because the reader needs others. */
  readonly without?: RegExp
  readonly add: string
  readonly reads: ReaderName
}

const REPORTERS = /(?:^|\s)(?:--reporters?(?:=|\s+)\S+|-R\s+\S+)/g
const FORMATS = /(?:^|\s)(?:--format(?:=|\s+)\S+|-f\s+\S+|-o\s+\S+|--reporter(?:=|\s+)\S+)/g
const TESTS = [/^unit$/, /^test[:-]unit$/, /^test$/, /^test[:-](?:ci|run|server|node|js)$/]
const LINTS = [
  /^lint$/,
  /^lint[:-](?:ci|js|ts|eslint|check)$/,
  /^(?:check|biome)(?:[:-](?:ci|lint))?$/,
  /lint/,
]

/** How to run a tool so that its results can be read. The first that fits is suggested for each name. */
export const NODE_TOOLS: readonly NodeTool[] = [
  {
    name: 'lint',
    program: 'eslint',
    dependency: 'eslint',
    args: '.',
    scripts: LINTS,
    without: FORMATS,
    add: '-f json -o $OUT',
    reads: 'eslint',
  },
  {
    name: 'lint',
    program: 'biome',
    dependency: '@biomejs/biome',
    args: 'check .',
    scripts: LINTS,
    without: FORMATS,
    add: '--reporter=github',
    reads: 'lines',
  },
  {
    name: 'lint',
    program: 'oxlint',
    dependency: 'oxlint',
    args: '',
    scripts: LINTS,
    without: FORMATS,
    add: '--format=unix',
    reads: 'lines',
  },
  {
    name: 'format',
    program: 'prettier',
    dependency: 'prettier',
    args: undefined,
    scripts: [/format|prettier/],
    add: '',
    reads: 'exit',
  },
  {
    name: 'tests',
    program: 'vitest',
    dependency: 'vitest',
    args: 'run',
    scripts: TESTS,
    without: REPORTERS,
    add: '--reporter=default --reporter=junit --outputFile.junit=$OUT',
    reads: 'junit',
  },
  {
    name: 'tests',
    program: 'mocha',
    dependency: 'mocha',
    args: '',
    // Many projects run mocha in a browser, or from a program of their own.
    config: /^\.mocharc\./,
    scripts: TESTS,
    without: REPORTERS,
    add: '--reporter xunit --reporter-option output=$OUT',
    reads: 'junit',
  },
  { name: 'tests', program: 'jest', dependency: 'jest', args: '', scripts: TESTS, add: '', reads: 'exit' },
  {
    name: 'tests',
    program: 'node',
    dependency: undefined,
    args: undefined,
    scripts: TESTS,
    add: '',
    reads: 'junit',
  },
]

/** `node --test` takes its reporters before the files. */
const nodeTest = (args: string): string | undefined =>
  /(?:^|\s)--test(?:\s|$)/.test(args)
    ? args.replace(/(^|\s)--test(?=\s|$)/, '$1--test --test-reporter=junit --test-reporter-destination=$OUT')
    : undefined

/** The arguments with which the results of a tool can be read; undefined when a script is needed to know them. */
export const toolArguments = (tool: NodeTool, simple: SimpleCommand | undefined): string | undefined => {
  const given = simple === undefined ? tool.args : simple.args
  if (given === undefined) return undefined
  if (tool.program === 'node') return nodeTest(given)
  if (tool.program === 'prettier' && !/--check|-c\b/.test(given)) return undefined
  const kept =
    tool.without === undefined ? given : given.replace(tool.without, ' ').replace(/\s+/g, ' ').trim()
  // `vitest` alone watches; `biome format` alone is the formatter.
  const isMissingRun = tool.program === 'vitest' && !/^run\b|\s--run\b/.test(` ${kept}`.trimStart())
  return [isMissingRun ? 'run' : '', kept].filter((part) => part !== '').join(' ')
}
