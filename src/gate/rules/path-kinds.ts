/** Kinds of files by path alone. What a file holds is looked at elsewhere: `facts/file-kinds.ts`. */

const words = (text: string): readonly string[] => text.split(' ')

/** Folders of tests, examples, documents and maintenance, in lower case. */
const SUPPORT_FOLDERS = new Set([
  ...words('test tests __test__ __tests__ testing spec specs __specs__ e2e cypress playwright androidtest'),
  ...words(
    'fixture fixtures __fixtures__ testdata mock mocks __mocks__ stub stubs fakes stories __stories__',
  ),
  ...words(
    'storybook .storybook example examples sample samples demo demos playground doc docs documentation',
  ),
  ...words('bench benches benchmark benchmarks perf script scripts tool tools tooling hack'),
  ...words('.github .gitlab .circleci .husky .vscode __snapshots__'),
])
/** `test-utils`, `integration-tests`, `AppUITests`, `commonTest`. */
const SUPPORT_FOLDER =
  /^tests?[-_]|[-_.](?:tests?|specs?|fixtures?|mocks?|e2e|examples?|samples?|benchmarks?)$|[A-Za-z](?:Tests?|Mocks?|Fixtures?|Benchmarks?)$|^test[A-Z]/

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

/** Whether a file is part of the program: no test, fixture, example, document, benchmark or maintenance script. */
export const isProduction = (path: string): boolean => {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  if (SUPPORT_NAMES.some((pattern) => pattern.test(name))) return false
  const packages = PACKAGE_FOLDERS.exec(path)
  const folders = packages === null ? segments : path.slice(0, packages.index).split('/')
  return !folders.some((one) => SUPPORT_FOLDERS.has(one.toLowerCase()) || SUPPORT_FOLDER.test(one))
}
