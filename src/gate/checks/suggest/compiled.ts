import {
  BEFORE_COMMIT,
  BEFORE_PUSH,
  type DeclaringFiles,
  IN_CI,
  row,
  type SuggestedCheck,
  type Suggestions,
} from './suggestion.ts'

const GO_SOURCES = ['**/*.go', '**/go.mod', '**/go.sum']

const suggestGo = async (files: DeclaringFiles): Promise<SuggestedCheck[]> => {
  if (!files.names.has('go.mod')) return []
  const config = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json'].find((name) =>
    files.names.has(name),
  )
  const text = config === undefined ? '' : ((await files.read(config)) ?? '')
  const isSecond = /^\s*"?version"?\s*[:=]\s*["']?2/m.test(text)
  const lint = isSecond
    ? ({ run: 'golangci-lint run --output.sarif.path=$OUT', reads: 'sarif' } as const)
    : ({ run: 'golangci-lint run --out-format=line-number', reads: 'lines' } as const)
  const paths = GO_SOURCES
  return [
    row('vet', 'go vet ./... 2>&1', 'lines', BEFORE_COMMIT, '5m', 'go.mod', { paths, version: 'go version' }),
    ...(config === undefined
      ? []
      : [
          row('lint', lint.run, lint.reads, BEFORE_PUSH, '10m', config, {
            paths,
            version: 'golangci-lint version',
          }),
        ]),
    row('tests', 'go test ./...', 'exit', BEFORE_PUSH, '15m', 'go.mod'),
  ]
}

const MAX_WORKFLOWS = 20

/** The texts of the workflows of GitHub, by path. */
const readWorkflows = async (files: DeclaringFiles): Promise<readonly (readonly [string, string])[]> => {
  const names = (await files.list('.github/workflows')).filter((name) => /\.ya?ml$/.test(name))
  const paths = names.slice(0, MAX_WORKFLOWS).map((name) => `.github/workflows/${name}`)
  return Promise.all(paths.map(async (path) => [path, (await files.read(path)) ?? ''] as const))
}

/** Tasks that judge and do not publish: plain names, without properties of a machine. */
const TASKS =
  '(?: (?:-B|-q|--batch-mode|--stacktrace|(?::?[\\w-]+:)?(?:test|allTests|check|build|verify|test\\w*Debug|test\\w*UnitTest)))+'

/** The first line of a workflow that runs only such tasks, and the workflow it is in. */
const findTasks = async (
  files: DeclaringFiles,
  program: string,
): Promise<readonly [run: string, path: string] | undefined> => {
  const line = new RegExp(`^\\s*(?:- )?(?:run: )?(\\./${program}${TASKS})\\s*$`, 'm')
  for (const [path, text] of await readWorkflows(files)) {
    const [, found] = line.exec(text) ?? []
    if (found !== undefined) return [found, path]
  }
  return undefined
}

const suggestJava = async (files: DeclaringFiles): Promise<SuggestedCheck[]> => {
  const isMaven = files.names.has('pom.xml')
  const isGradle = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'].some(
    (name) => files.names.has(name),
  )
  if (!isMaven && !isGradle) return []
  const wrapper = isMaven ? 'mvnw' : 'gradlew'
  const found = files.names.has(wrapper) ? await findTasks(files, wrapper) : undefined
  const program = files.names.has(wrapper) ? `./${wrapper}` : isMaven ? 'mvn' : 'gradle'
  const run = found?.[0] ?? `${program} ${isMaven ? '-B -q verify' : 'check'}`
  const manifest = isMaven ? 'pom.xml' : 'the build files of Gradle'
  const where = found === undefined ? manifest : `${manifest}, as in ${found[1]}`
  return [row('build', run, 'exit', IN_CI, '30m', where)]
}

const suggestRust = async (files: DeclaringFiles): Promise<SuggestedCheck[]> => {
  if (!files.names.has('Cargo.toml')) return []
  const usesClippy =
    files.names.has('clippy.toml') ||
    files.names.has('.clippy.toml') ||
    (await readWorkflows(files)).some(([, text]) => /cargo clippy/.test(text))
  const paths = ['**/*.rs', '**/Cargo.toml', '**/Cargo.lock']
  const lint = `cargo ${usesClippy ? 'clippy' : 'check'} --all-targets --message-format=short 2>&1`
  return [
    row('lint', lint, 'lines', BEFORE_PUSH, '15m', 'Cargo.toml', { paths, version: 'cargo --version' }),
    row('tests', 'cargo test', 'exit', BEFORE_PUSH, '20m', 'Cargo.toml'),
  ]
}

const SWIFT = [
  row('lint', 'swiftlint lint --quiet', 'lines', BEFORE_PUSH, '5m', '.swiftlint.yml', {
    version: 'swiftlint --version',
  }),
  row('tests', 'swift test', 'exit', IN_CI, '30m', 'Package.swift'),
]

/** Checks of projects in Go, Java, Kotlin, Rust and Swift. */
export const suggestCompiled = async (files: DeclaringFiles): Promise<Suggestions> => {
  const checks = [
    await suggestGo(files),
    await suggestJava(files),
    await suggestRust(files),
    SWIFT.filter(({ found }) => files.names.has(found)),
  ]
  return { checks: checks.flat(), notes: [] }
}
