import { expect, it } from 'vitest'
import { readSources, trackedFiles } from './support/module-graph.ts'

/** A word this project no longer uses, what to write in its place, and where another meaning of it is right. */
interface RetiredWord {
  readonly word: RegExp
  readonly write: string
  readonly except?: RegExp
}

const RETIRED: readonly RetiredWord[] = [
  {
    word: /\b(who|any|some|no|every)body\b|\bwhoever\b/,
    write: 'name the subject: caller, client, process',
    // Words of the texts that the rules look for.
    except: /^rules\/agents\//,
  },
  { word: /\bdesks?\b/, write: 'job context' },
  { word: /\bdoors?\b/, write: 'service' },
  { word: /\bfaces?\b/, write: 'server profile, interface' },
  { word: /\bhello\b|\bgreet(s|ed|ing|ings)?\b/, write: 'handshake', except: /^rules\/java\// },
  { word: /\bmanners\b/, write: 'compatibility options' },
  { word: /\bblames?\b/, write: 'log level; the command of git is fine', except: /^src\/platform\/git\// },
  {
    // Not the profile of that name.
    word: /(?<!['`]|profile[:=]? ?)\bseeds?\b(?!['`]| severity)/,
    write: 'compatibility; seeds of hashes and random numbers are fine',
    except: /^(src\/packets\/search|rules\/swift)\//,
  },
  { word: /\bguests?\b|\bimpostors?\b/, write: 'user rules' },
  { word: /\bstrangers?\b/, write: 'unknown' },
  { word: /\b(out|re)weigh(s|ed)?\b/, write: 'severity override, shadowed', except: /^src\/gate\/|^docs\// },
  { word: /\bturnstiles?\b/, write: 'limiter, semaphore' },
  { word: /\blanes?\b/, write: 'concurrency', except: /^(src\/packets\/search|scripts|bench|docs)\// },
  { word: /\bshel(f|ves)\b/, write: 'cache' },
  { word: /\bpatien(ce|t|tly)\b/, write: 'deadline, retry' },
  { word: /\bscribes?\b/, write: 'log writer' },
  { word: /\bkeepers?\b/, write: 'graph store' },
  { word: /\bdiar(y|ies)\b/, write: 'log' },
  {
    word: /\bfences?\b/,
    write: 'asynchronous jail',
    except: /^src\/(packets|project|platform\/packets)\/|^(docs|README)/,
  },
  { word: /\bneedles?\b|\bsieves?\b/, write: 'required literals, prefilter' },
  { word: /\bsqueez(e|es|ed|ing)\b/, write: 'quantize' },
  {
    word: /(?<!open )\bworlds?\b(?![- ](?:write|writable|readable))/,
    write: 'process context, outside; a file mode of Android has the name',
    except: /^rules\/kotlin\//,
  },
  { word: /\bplain files?\b/, write: 'regular file' },
  { word: /\bformer times\b|\bin peace\b/, write: 'earlier versions; leave it out' },
]

/** Sources and documents that people and models read. History is told as it was: the words of ADRs may stay. */
const CHECKED =
  /^(src\/.*(?<!\.test)\.ts|docs\/(?!adr\/).*\.md|README\.md|ARCHITECTURE\.md|CONTRIBUTING\.md|SECURITY\.md|CHANGELOG\.md|action\.yml|rules\/.*\.yml)$/

/** Identifiers become the words they are made of. */
const splitIdentifiers = (line: string): string =>
  line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ')
    .toLowerCase()

it('uses no retired word in names, comments, messages and documents', () => {
  const files = readSources(trackedFiles().filter((path) => CHECKED.test(path)))
  const found = files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      const words = splitIdentifiers(line)
      return RETIRED.filter(({ word, except }) => word.test(words) && !except?.test(path)).map(
        ({ word, write }) => `${path}:${at + 1}: ${word.exec(words)?.[0]} (write: ${write})`,
      )
    }),
  )
  expect(found).toEqual([])
})
