import {
  BEFORE_COMMIT,
  BEFORE_PUSH,
  type DeclaringFiles,
  IN_CI,
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
  const lint: SuggestedCheck = {
    name: 'lint',
    run: isSecond
      ? 'golangci-lint run --output.sarif.path=$OUT'
      : 'golangci-lint run --out-format=line-number',
    reads: isSecond ? 'sarif' : 'lines',
    stages: BEFORE_PUSH,
    timeout: '10m',
    paths: GO_SOURCES,
    version: 'golangci-lint version',
    found: `${config}`,
  }
  return [
    {
      name: 'vet',
      run: 'go vet ./... 2>&1',
      reads: 'lines',
      stages: BEFORE_COMMIT,
      timeout: '5m',
      paths: GO_SOURCES,
      version: 'go version',
      found: 'go.mod',
    },
    ...(config === undefined ? [] : [lint]),
    {
      name: 'tests',
      run: 'go test ./...',
      reads: 'exit',
      stages: BEFORE_PUSH,
      timeout: '15m',
      found: 'go.mod',
    },
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
  return [{ name: 'build', run, reads: 'exit', stages: IN_CI, timeout: '30m', found: where }]
}

const suggestRust = async (files: DeclaringFiles): Promise<SuggestedCheck[]> => {
  if (!files.names.has('Cargo.toml')) return []
  const usesClippy =
    files.names.has('clippy.toml') ||
    files.names.has('.clippy.toml') ||
    (await readWorkflows(files)).some(([, text]) => /cargo clippy/.test(text))
  const sources = ['**/*.rs', '**/Cargo.toml', '**/Cargo.lock']
  const lint = `cargo ${usesClippy ? 'clippy' : 'check'} --all-targets --message-format=short 2>&1`
  return [
    {
      name: 'lint',
      run: lint,
      reads: 'lines',
      stages: BEFORE_PUSH,
      timeout: '15m',
      paths: sources,
      version: 'cargo --version',
      found: 'Cargo.toml',
    },
    {
      name: 'tests',
      run: 'cargo test',
      reads: 'exit',
      stages: BEFORE_PUSH,
      timeout: '20m',
      found: 'Cargo.toml',
    },
  ]
}

const suggestSwift = (files: DeclaringFiles): SuggestedCheck[] => {
  const lint: SuggestedCheck = {
    name: 'lint',
    run: 'swiftlint lint --quiet',
    reads: 'lines',
    stages: BEFORE_PUSH,
    timeout: '5m',
    version: 'swiftlint --version',
    found: '.swiftlint.yml',
  }
  const tests: SuggestedCheck = {
    name: 'tests',
    run: 'swift test',
    reads: 'exit',
    stages: IN_CI,
    timeout: '30m',
    found: 'Package.swift',
  }
  return [
    ...(files.names.has('.swiftlint.yml') ? [lint] : []),
    ...(files.names.has('Package.swift') ? [tests] : []),
  ]
}

/** Checks of projects in Go, Java, Kotlin, Rust and Swift. */
export const suggestCompiled = async (files: DeclaringFiles): Promise<Suggestions> => {
  const checks = [
    await suggestGo(files),
    await suggestJava(files),
    await suggestRust(files),
    suggestSwift(files),
  ]
  return { checks: checks.flat(), notes: [] }
}
