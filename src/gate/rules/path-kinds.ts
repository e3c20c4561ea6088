/** Kinds of files by path alone. What a file holds is looked at elsewhere: `facts/file-kinds.ts`. */

const words = (text: string): readonly string[] => text.split(' ')

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
  ...words('snippet snippets code-snippets test-data test_data'),
])
/** Folders of maintenance programs, which run against the real systems. */
const SCRIPT_FOLDERS = new Set(words('script scripts tool tools tooling hack'))
/** `test-utils`, `example-apps`, `integration-tests`, `http-testing-support`, `AppUITests`, `commonTest`, `A.docc`. */
const SUPPORT_FOLDER = pattern(
  'test example sample ci- ci_ spec fixture mock e2e benchmark docc',
  /^(?:tests?|examples?|samples?|e2e|ci)[-_]|[-_.](?:tests?|testing(?:-support)?|specs?|fixtures?|mocks?|e2e|examples?|samples?|benchmarks?|docc)$|[A-Za-z](?:Tests?|Mocks?|Fixtures?|Benchmarks?)$|^test[A-Z]/,
)
/** A Go package of helpers for tests: `httptest/a.go`. */
const GO_TEST_PACKAGE = pattern('test/', /(?:^|\/)(?!(?:la|con|pro|at|grea)test\/)[a-z0-9]+test\/[^/]+\.go$/)
/** A published version of documents: `website/1.x/`. */
const PUBLISHED_VERSION = pattern('site/', /(?:^|\/)(?:website|site)\/v?\d+\.[\dx]/)

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

/**
 * Whether a file is part of the program: no test, fixture, example, document or benchmark, and no maintenance
 * script unless `scripts` says that these count.
 */
export const isProduction = (path: string, scripts = false): boolean => {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  if (
    SUPPORT_NAMES.some((one) => matches(one, name)) ||
    matches(PUBLISHED_VERSION, path) ||
    matches(GO_TEST_PACKAGE, path)
  )
    return false
  const packages = mayMatch(PACKAGE_FOLDERS, path) ? PACKAGE_FOLDERS.regex.exec(path) : null
  const folders = packages === null ? segments : path.slice(0, packages.index).split('/')
  return !folders.some((one) => {
    const folder = one.toLowerCase()
    return (
      SUPPORT_FOLDERS.has(folder) || (!scripts && SCRIPT_FOLDERS.has(folder)) || matches(SUPPORT_FOLDER, one)
    )
  })
}

/** Folders of texts that need not be programs: cases of tests, and templates from which programs are made. */
const TEXT_FOLDER =
  /(?:^|\/)(?:fixtures?|__fixtures__|(?:code-)?snippets?|test[-_]?data|templates?|__templates__|boilerplates?|blueprints|schematics\/(?:.*\/)?files)\//i

/** Whether a file may have syntax errors because nothing runs it. */
export const mayBeBroken = (path: string): boolean => TEXT_FOLDER.test(path)

/** A file that people do not write here: only rules about secrets read it. */
export type UnjudgedKind = 'generated' | 'vendored'

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
  /(?:^|\/)(?:node_modules|bower_components|third[_-]?party|Pods|Carthage|\.yarn)\/|^vendor\/|(?:^|\/)(?:public|static|assets|lib|libs|www|web)\/vendor\/|(?:^|\/)vendor\/[\w-]+\.[\w.-]+\/|(?:^|\/)wwwroot\/lib\//,
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
