/** Kinds of files by path alone. What a file holds is looked at elsewhere: `facts/file-kinds.ts`. */

const words = (text: string): readonly string[] => text.split(' ')

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
  ...words('.github .gitlab .circleci .husky .vscode __snapshots__'),
  ...words('snippet snippets code-snippets test-data test_data'),
])
/** Folders of maintenance programs, which run against the real systems. */
const SCRIPT_FOLDERS = new Set(words('script scripts tool tools tooling hack'))
/** `test-utils`, `example-apps`, `integration-tests`, `http-testing-support`, `AppUITests`, `commonTest`, `A.docc`. */
const SUPPORT_FOLDER =
  /^(?:tests?|examples?|samples?)[-_]|[-_.](?:tests?|testing(?:-support)?|specs?|fixtures?|mocks?|e2e|examples?|samples?|benchmarks?|docc)$|[A-Za-z](?:Tests?|Mocks?|Fixtures?|Benchmarks?)$|^test[A-Z]/
/** A Go package of helpers for tests: `httptest/a.go`. */
const GO_TEST_PACKAGE = /(?:^|\/)(?!(?:la|con|pro|at|grea)test\/)[a-z0-9]+test\/[^/]+\.go$/
/** A published version of documents: `website/1.x/`. */
const PUBLISHED_VERSION = /(?:^|\/)(?:website|site)\/v?\d+\.[\dx]/

const SUPPORT_NAMES = [
  /[.-](?:tests?|specs?|e2e|e2e-spec|cy|stories|story|bench|benchmark|mocks?|fixtures?|config|conf|setup)\.[^.]+$/i,
  /^(?:test_[^/]*|[^/]*_test|[^/]*_spec|conftest|noxfile|setup|fabfile|dodo)\.pyi?$/,
  /_test\.(?:go|rb|exs|dart|c|cc|cpp|rs)$/,
  /[a-z0-9](?:Tests?|TestCase|IT|Specs?|Mocks?|Benchmark)\.(?:java|kts?|swift|groovy|scala|cs|php)$/,
  /^(?:tests?|spec|bench|benchmark|gulpfile|gruntfile|dangerfile|rakefile|jakefile)\.[^.]+$/i,
  /^\..*rc\.[^.]+$/,
]

/** Names of Java packages, such as `org/springframework/samples`, say nothing about the file. */
const PACKAGE_FOLDERS =
  /(?:^|\/)(?:src\/(?:[a-z]\w*M|m)ain\/|(?:com|org|net|io|dev|de|fr|uk|me)\/(?=.*\.(?:java|kts?|scala|groovy)$))/

/**
 * Whether a file is part of the program: no test, fixture, example, document or benchmark, and no maintenance
 * script unless `scripts` says that these count.
 */
export const isProduction = (path: string, scripts = false): boolean => {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  if (
    SUPPORT_NAMES.some((pattern) => pattern.test(name)) ||
    PUBLISHED_VERSION.test(path) ||
    GO_TEST_PACKAGE.test(path)
  )
    return false
  const packages = PACKAGE_FOLDERS.exec(path)
  const folders = packages === null ? segments : path.slice(0, packages.index).split('/')
  return !folders.some((one) => {
    const folder = one.toLowerCase()
    return SUPPORT_FOLDERS.has(folder) || (!scripts && SCRIPT_FOLDERS.has(folder)) || SUPPORT_FOLDER.test(one)
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
  /\.(?:gen|generated|g|pb|pb\.gw|min|designer|freezed)\.[^.]+$/i,
  /[._-]generated\.[^.]+$|^zz_generated[._]/i,
  /_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h)$|\.(?:snap|map)$/,
  /^(?:package-lock|npm-shrinkwrap|packages\.lock|composer\.lock)\.json$/,
  /^(?:yarn|Gemfile|Pipfile|poetry|uv|pdm|Cargo|composer|mix|pubspec|flake|deno|bun|Podfile)\.lock(?:b)?$/,
  /^(?:pnpm-lock\.yaml|go\.sum|go\.work\.sum|Package\.resolved|gradle\.lockfile|gradlew|gradlew\.bat|mvnw|mvnw\.cmd)$/,
]
/** The bundle of a GitHub action, which is committed with it. */
const ACTION_BUNDLE = /(?:^|\/)\.github\/actions\/(?:.*\/)?dist\//
const VENDORED =
  /(?:^|\/)(?:node_modules|bower_components|third[_-]?party|Pods|Carthage|\.yarn)\/|^vendor\/|(?:^|\/)(?:public|static|assets|lib|libs|www|web)\/vendor\/|(?:^|\/)vendor\/[\w-]+\.[\w.-]+\/|(?:^|\/)wwwroot\/lib\//
/** Copies of well-known libraries among the files that a site serves. */
const COPIED_LIBRARY =
  /(?:^|\/)(?:public|static|assets|www|wwwroot|libs?)\/(?:.*\/)?(?:jquery|bootstrap|three|d3|moment|lodash|underscore|backbone|angular|knockout|modernizr|prettify|highlight|swagger-ui|popper|chart)(?:[.-](?:\d[\w.]*|ui|slim|bundle|full|pack|umd|esm|development|production|migrate|standalone|preset|validate|unobtrusive))*\.(?:js|mjs|css)$/i

/** The kind that a path tells; undefined for files that people write. */
export const nameKind = (path: string): UnjudgedKind | undefined => {
  if (VENDORED.test(path) || COPIED_LIBRARY.test(path)) return 'vendored'
  const name = path.slice(path.lastIndexOf('/') + 1)
  return ACTION_BUNDLE.test(path) || GENERATED_NAMES.some((pattern) => pattern.test(name))
    ? 'generated'
    : undefined
}
