/** Files and folders that discovery skips. */

const SKIPPED_FOLDERS = new Set(['target', 'node_modules', 'dist', 'build', 'out'])
const SKIPPED_EXTENSIONS = ['.class', '.jar', '.war', '.ear', '.log', '.tmp', '.swp']

/** Names with a leading dot belong to tools: repositories, editors, caches. */
export const skipsFolder = (name: string): boolean => name.startsWith('.') || SKIPPED_FOLDERS.has(name)

/** Variables with which compose files are filled, and examples of them. */
const VARIABLE_FILE = /^\.env(\.[\w-]+)*$/
export const isVariableFile = (path: string): boolean =>
  VARIABLE_FILE.test(path.slice(path.lastIndexOf('/') + 1))
/** The others hold values of one machine or one deployment. */
export const isExampleOfVariables = (path: string): boolean =>
  isVariableFile(path) && /\.(example|sample|template|dist|defaults?)$/.test(path)

/** The settings of an application in a format without a reader, which show that it is one. */
export const isApplicationSettings = (path: string): boolean =>
  /(^|\/)src\/main\/resources\/application\.conf$/.test(path)

/** Files about deployment that are not YAML. */
const DEPLOYMENT_FILE =
  /^((Docker|Container)file([.-][\w.-]+)?|[\w-]+\.(Docker|Container)file|Caddyfile|Procfile|fly\.toml)$/i
const PROXY_FILE =
  /(^|\/)(nginx[^/]*\.conf|(nginx|sites-(enabled|available)|conf\.d)\/([^/]+\/)*[^/]+\.conf)(\.(template|tmpl|tpl|j2))?$/i
export const isDeploymentText = (path: string): boolean =>
  DEPLOYMENT_FILE.test(path.slice(path.lastIndexOf('/') + 1)) || PROXY_FILE.test(path) || path.endsWith('.tf')

export const skipsFile = (name: string): boolean =>
  (name.startsWith('.') && !VARIABLE_FILE.test(name)) ||
  name === 'Thumbs.db' ||
  SKIPPED_EXTENSIONS.some((one) => name.toLowerCase().endsWith(one))

export const isConfigFile = (path: string): boolean => /\.(ya?ml|properties|xml)$/i.test(path)

const TEST_FOLDER =
  /(^|\/)(src\/(test([A-Z]\w*)?|[a-z]\w*Test|[a-z][\w-]*-test|it)|test|tests|__tests__|__mocks__|__fixtures__|e2e|cypress|testdata|fixtures|\w*Tests)\//
const TEST_FILE =
  /\.(test|spec)\.\w+$|_test\.(go|py|rb|exs|dart)$|_spec\.rb$|(^|\/)(test_[^/]*|conftest|tests)\.py$|[a-z0-9](Tests?|IT)\.(java|kt|scala|groovy|swift)$/

/** Test code is left out: it does not show connections of the running system. */
export const isTestPath = (path: string): boolean => TEST_FOLDER.test(path) || TEST_FILE.test(path)

const GENERATED_PATH =
  /\.(generated|gen|pb|pbobjc|min)\.\w+$|_pb2(_grpc)?\.pyi?$|_pb\.(d\.)?[jt]s$|_pb_service\.\w+$|(^|\/)(generated|__generated__)\//

export const isGeneratedPath = (path: string): boolean => GENERATED_PATH.test(path)

/** Generators say so in the first lines. */
const HEAD = 2_000
const GENERATED_MARK = /^\W{0,4}\s?Code generated .{0,200}DO NOT EDIT|^\W{0,6}@generated\b/m

export const isGeneratedText = (text: string): boolean => GENERATED_MARK.test(text.slice(0, HEAD))
