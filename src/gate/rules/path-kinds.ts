import { extensionOf, grammarForExtension } from '../../kernel/text/languages.ts'

/** Kinds of files by path alone. What a file holds is looked at elsewhere: `facts/file-kinds.ts`. */

export const words = (text: string): readonly string[] => text.split(' ')

/** An expression and texts, in lower case, of which whatever it matches contains one. */
interface PathPattern {
  readonly needs: readonly string[]
  readonly regex: RegExp
}

const pattern = (needs: string, regex: RegExp): PathPattern => ({ needs: words(needs), regex })

/** V8 compiles an expression with its first use, which takes longer than all else here: most are never used. */
const mayMatch = ({ needs }: PathPattern, text: string): boolean => {
  const lower = text.toLowerCase()
  return needs.some((one) => lower.includes(one))
}

const matches = (one: PathPattern, text: string): boolean => mayMatch(one, text) && one.regex.test(text)

/** Folders of tests, examples, documents and services of the repository, in lower case. */
const SUPPORT_FOLDERS = new Set([
  ...words('test tests __test__ __tests__ testing spec specs __specs__ e2e cypress playwright androidtest'),
  ...words(
    'fixture fixtures __fixtures__ testdata mock mocks __mocks__ stub stubs fakes stories __stories__',
  ),
  ...words(
    'storybook .storybook example examples sample samples demo demos playground doc docs documentation',
  ),
  ...words('bench benches benchmark benchmarks perf'),
  ...words('ci .ci .github .gitlab .circleci .husky .vscode __snapshots__'),
  ...words('snippet snippets code-snippets test-data test_data .history'),
])
/** Folders of maintenance programs, which run against the real systems. */
const SCRIPT_FOLDERS = new Set(words('script scripts tool tools tooling hack'))
/** Words of such a folder: `test-utils`, `zuul-sample`, `AppUITests`, `commonTest`, `A.docc`. */
const SUPPORT_FOLDER_WORDS = new Set([
  ...words(
    'test tests testing testdata testutil testutils testkit unittest unittests spec specs fixture fixtures',
  ),
  ...words(
    'mock mocks e2e conformance acceptance sample samples example examples demo demos tutorial tutorials',
  ),
  ...words('playground playgrounds benchmark benchmarks docc archived attic'),
])
const WORD_BREAK = /[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/
/** `teststore`, `testhelpers`: a word of two. */
const TEST_WORD =
  /^test(?:stores?|utils?|data|helpers?|libs?|suites?|servers?|cases?|kit|db|env|setup|support|common|base|runner|fixtures?|resources?|apps?|projects?|models?|keys?|certs?|containers?|harness|bed|mode|pages?)$/
const hasWord = (said: readonly string[], known: ReadonlySet<string>): boolean =>
  said.some((word) => known.has(word))
const wordsOf = (segment: string): string[] => segment.split(WORD_BREAK).map((word) => word.toLowerCase())

/** A Go package of helpers for tests: `httptest/a.go`. */
const GO_TEST_PACKAGE = pattern('test/', /(?:^|\/)(?!(?:la|con|pro|at|grea)test\/)[a-z0-9]+test\/[^/]+\.go$/)
/** A published version of documents, and texts that a site shows: `website/1.x/`, `data/static/`. */
const PUBLISHED_VERSION = pattern(
  'site/ data/static/',
  /(?:^|\/)(?:(?:website|site)\/v?\d+\.[\dx]|data\/static\/.*\.[cm]?[jt]sx?$)/,
)

const SUPPORT_NAMES = [
  pattern(
    'test spec e2e cy. stor bench mock fixture conf setup',
    /[.-](?:tests?|specs?|e2e|e2e-spec|cy|stories|story|bench|benchmark|mocks?|fixtures?|config|conf|setup)\.[^.]+$/i,
  ),
  pattern('.py', /^(?:test_[^/]*|[^/]*_test|[^/]*_spec|conftest|noxfile|setup|fabfile|dodo)\.pyi?$/),
  pattern('_test.', /_test\.(?:go|rb|exs|dart|c|cc|cpp|rs)$/),
  pattern(
    'test it. spec mock benchmark',
    /[a-z0-9](?:Tests?|TestCase|IT|Specs?|Mocks?|Benchmark)\.(?:java|kts?|swift|groovy|scala|cs|php)$/,
  ),
  pattern(
    'test spec bench file.',
    /^(?:tests?|spec|bench|benchmark|gulpfile|gruntfile|dangerfile|rakefile|jakefile)\.[^.]+$/i,
  ),
  pattern('rc.', /^\..*rc\.[^.]+$/),
]

/** Names of Java packages, such as `org/springframework/samples`, say nothing about the file. */
const PACKAGE_FOLDERS = pattern(
  'main/ .java .kt .scala .groovy',
  /(?:^|\/)(?:src\/(?:[a-z]\w*M|m)ain\/|(?:com|org|net|io|dev|de|fr|uk|me)\/(?=.*\.(?:java|kts?|scala|groovy)$))/,
)

/** The folders of a file, without those that are the name of a package, and its name. */
const splitOwn = (path: string): readonly [folders: readonly string[], name: string] => {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  const packages = mayMatch(PACKAGE_FOLDERS, path) ? PACKAGE_FOLDERS.regex.exec(path) : null
  return [packages === null ? segments : path.slice(0, packages.index).split('/'), name]
}

const CI_FOLDER = /^ci[-_]/

/**
 * Whether a file is part of the program: no test, fixture, example, document or benchmark, and no maintenance
 * script unless `scripts` says that these count.
 */
export const isProduction = (path: string, scripts = false): boolean => {
  const [folders, name] = splitOwn(path)
  if (
    SUPPORT_NAMES.some((one) => matches(one, name)) ||
    matches(PUBLISHED_VERSION, path) ||
    matches(GO_TEST_PACKAGE, path)
  )
    return false
  if (TEST_WORD.test(wordsOf(name)[0] ?? '')) return false
  return !folders.some((one) => {
    const folder = one.toLowerCase()
    return (
      SUPPORT_FOLDERS.has(folder) ||
      (!scripts && SCRIPT_FOLDERS.has(folder)) ||
      CI_FOLDER.test(folder) ||
      wordsOf(one).some((word) => SUPPORT_FOLDER_WORDS.has(word) || TEST_WORD.test(word))
    )
  })
}

/** Words of folders and names of what is kept for tests and samples. */
const SUPPORT_WORDS = new Set([
  ...SUPPORT_FOLDER_WORDS,
  ...words(
    'testcase testcases testsuite conftest mocked stub stubs fake fakes faker dummy cypress playwright cy',
  ),
  ...words('golden cassette cassettes snapshots showcase snippet snippets cookbook lesson lessons'),
  ...words('exercise exercises kata katas bench benches stories storybook poc qa'),
])
const DOCUMENT_WORDS = new Set(
  words('doc docs documentation readme changelog howto howtos guide guides quickstart walkthrough'),
)
/** Words of what is kept for development, for a first installation and for continuous integration. */
const DEVELOPMENT_WORDS = new Set([
  ...words('dev devel develop development local localhost devcontainer vagrant sandbox debug integration'),
  ...words('docker compose ci travis circleci github gitlab jenkins'),
  ...words('template templates skeleton scaffold boilerplate starter archetype dist'),
  ...words('selfsigned snakeoil preview previews'),
])
/** The last is where an editor keeps former versions. */
const SHORT_SUPPORT_FOLDERS = new Set(words('t it .history'))
const SUPPORT_FILE = /\.(?:http|rest|har|snap)$|[._-](?:template|tmpl|dist)(?:\.\w+)?$|[a-z0-9]IT\.\w+$/
const DOCUMENT_FILE = /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i

/** What the path of a file says that it is for; `support` are tests and samples. */
type PathUse = 'production' | 'development' | 'document' | 'support'

export const pathUse = (path: string): PathUse => {
  if (SUPPORT_FILE.test(path) || matches(GO_TEST_PACKAGE, path)) return 'support'
  const [folders, name] = splitOwn(path)
  const said = [...folders, name].flatMap(wordsOf)
  if (
    said.some((word) => SUPPORT_WORDS.has(word) || TEST_WORD.test(word)) ||
    folders.some((one) => SHORT_SUPPORT_FOLDERS.has(one))
  )
    return 'support'
  if (DOCUMENT_FILE.test(path) || hasWord(said, DOCUMENT_WORDS) || matches(PUBLISHED_VERSION, path))
    return 'document'
  return hasWord(said, DEVELOPMENT_WORDS) ? 'development' : 'production'
}

/** Words of folders of texts that need not be programs: cases of tests, documents, and templates of programs. */
const TEXT_WORDS = new Set([
  ...words(
    'fixture fixtures testfixtures snippet snippets testdata template templates boilerplate boilerplates',
  ),
  ...words(
    'skeleton scaffold scaffolds archetype archetypes generators cookiecutter golden conformance corpus',
  ),
  ...words('doc docs documentation example examples sample samples tutorial tutorials workshop playground'),
])
const TEXT_FOLDER =
  /(?:^|\/)(?:blueprints|data\/static|schematics\/(?:.*\/)?files|src\/main\/resources(?=.*\.(?:java|kts?)$))\//i
const TEST_WORDS = new Set(words('test tests testing spec specs'))
const DATA_WORDS = new Set(
  words('data case cases input inputs output outputs expected resources invalid broken'),
)

/** Whether a file may have syntax errors because nothing runs it. */
export const mayBeBroken = (path: string): boolean => {
  if (TEXT_FOLDER.test(path)) return true
  const said = splitOwn(path)[0].flatMap(wordsOf)
  return hasWord(said, TEXT_WORDS) || (hasWord(said, TEST_WORDS) && hasWord(said, DATA_WORDS))
}

/** A file that people do not write here: only rules about secrets read it. */
export const UNJUDGED_KINDS = ['generated', 'vendored'] as const
export type UnjudgedKind = (typeof UNJUDGED_KINDS)[number]

const GENERATED_NAMES = [
  pattern(
    '.gen .g. .pb. .min. .designer. .freezed.',
    /\.(?:gen|generated|g|pb|pb\.gw|min|designer|freezed)\.[^.]+$/i,
  ),
  pattern('generated', /[._-]generated\.[^.]+$|^zz_generated[._]/i),
  pattern('_pb2 .pb. .snap .map', /_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h)$|\.(?:snap|map)$/),
  pattern('lock shrinkwrap', /^(?:package-lock|npm-shrinkwrap|packages\.lock|composer\.lock)\.json$/),
  pattern(
    '.lock',
    /^(?:yarn|Gemfile|Pipfile|poetry|uv|pdm|Cargo|composer|mix|pubspec|flake|deno|bun|Podfile)\.lock(?:b)?$/,
  ),
  pattern(
    'pnpm-lock go. package.resolved gradle mvnw',
    /^(?:pnpm-lock\.yaml|go\.sum|go\.work\.sum|Package\.resolved|gradle\.lockfile|gradlew|gradlew\.bat|mvnw|mvnw\.cmd)$/,
  ),
]
/** The bundle of a GitHub action, which is committed with it. */
const ACTION_BUNDLE = pattern('.github/actions/', /(?:^|\/)\.github\/actions\/(?:.*\/)?dist\//)
const VENDORED = pattern(
  'node_modules/ bower_components/ third pods/ carthage/ .yarn/ vendor/ wwwroot/lib/',
  /(?:^|\/)(?:node_modules|bower_components|third[_-]?party|Pods|Carthage|site-packages|\.yarn)\/|^vendor\/|(?:^|\/)(?:public|static|assets|lib|libs|www|web)\/vendor\/|(?:^|\/)vendor\/[\w-]+\.[\w.-]+\/|(?:^|\/)wwwroot\/lib\//,
)
/** Copies of well-known libraries among the files that a site serves. */
const COPIED_LIBRARY = pattern(
  'public/ static/ assets/ www/ wwwroot/ lib/ libs/',
  /(?:^|\/)(?:public|static|assets|www|wwwroot|libs?)\/(?:.*\/)?(?:jquery|bootstrap|three|d3|moment|lodash|underscore|backbone|angular|knockout|modernizr|prettify|highlight|swagger-ui|popper|chart)(?:[.-](?:\d[\w.]*|ui|slim|bundle|full|pack|umd|esm|development|production|migrate|standalone|preset|validate|unobtrusive))*\.(?:js|mjs|css)$/i,
)

/** The kind that a path tells; undefined for files that people write. */
export const nameKind = (path: string): UnjudgedKind | undefined => {
  if (matches(VENDORED, path) || matches(COPIED_LIBRARY, path)) return 'vendored'
  const name = path.slice(path.lastIndexOf('/') + 1)
  return matches(ACTION_BUNDLE, path) || GENERATED_NAMES.some((one) => matches(one, name))
    ? 'generated'
    : undefined
}

/** Languages of programs that no shipped pack is for. */
const OTHER_SOURCES = new Set([
  ...words('rb php cs fs vb rs c h cc cpp hpp m mm scala groovy dart'),
  ...words('ex exs erl clj lua pl r jl zig nim hs ml vue svelte sol'),
])

export const isSource = (path: string): boolean => {
  const extension = extensionOf(path)
  return grammarForExtension(extension) !== undefined || OTHER_SOURCES.has(extension)
}
