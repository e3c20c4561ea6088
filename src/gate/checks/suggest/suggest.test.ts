import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../../../test/support/case-count.ts'
import { parseChecks } from '../parse-checks.ts'
import { suggestChecks, writeChecksFile } from './suggest.ts'
import type { SuggestedCheck } from './suggestion.ts'

type Repository = Readonly<Record<string, string | object>>

const open = (repository: Repository) => ({
  names: new Set(Object.keys(repository).map((path) => path.split('/')[0] ?? '')),
  read: async (path: string) => {
    const found = Object.hasOwn(repository, path) ? repository[path] : undefined
    return typeof found === 'object' ? JSON.stringify(found) : found
  },
  list: async (folder: string) =>
    Object.keys(repository).flatMap((path) =>
      path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
    ),
})

/** `name: command (reader)` of each suggestion. */
const suggest = async (repository: Repository): Promise<string[]> =>
  (await suggestChecks(open(repository))).checks.map(({ name, run, reads }) => `${name}: ${run} (${reads})`)

const manifest = (scripts: Record<string, string>, ...dependencies: string[]) => ({
  scripts,
  devDependencies: Object.fromEntries(dependencies.map((name) => [name, '1'])),
})

describe('suggested checks', () => {
  it.each<[string, Repository, string[]]>([
    [
      'scripts that run one tool keep their arguments and get a report',
      {
        'package.json': manifest(
          {
            check: 'tsc --incremental --noEmit',
            lint: 'eslint --cache src -f stylish && npm run other',
            'lint:fix': 'eslint --fix .',
            'format-check': 'prettier --check .',
            format: 'prettier --write .',
            test: 'vitest',
            'test-unit': 'TZ=UTC vitest --project unit',
          },
          'typescript',
          'eslint',
          'prettier',
          'vitest',
        ),
        'pnpm-lock.yaml': '',
      },
      [
        'types: pnpm exec tsc --incremental --noEmit --pretty false (tsc)',
        'lint: pnpm exec eslint --cache src -f json -o $OUT (eslint)',
        'format: pnpm exec prettier --check . (exit)',
        'tests: TZ=UTC pnpm exec vitest run --project unit --reporter=default --reporter=junit --outputFile.junit=$OUT (junit)',
      ],
    ],
    [
      'tools without a script run as their documentation says',
      {
        'package.json': manifest({}, 'typescript', '@biomejs/biome', 'jest', 'jest-junit'),
        'tsconfig.json': { files: [], references: [{ path: 'a' }] },
        'package-lock.json': '',
      },
      [
        'types: npx tsc -b --noEmit --pretty false (tsc)',
        'lint: npx biome check . --reporter=github (lines)',
        'tests: JEST_JUNIT_OUTPUT_FILE=$OUT npx jest --reporters=default --reporters=jest-junit (junit)',
      ],
    ],
    [
      'a script of another kind is run as it is',
      {
        'package.json': manifest(
          { lint: 'turbo lint', test: 'turbo test', 'type-check': 'turbo types' },
          'eslint',
        ),
        'yarn.lock': '',
      },
      ['types: yarn run type-check (exit)', 'lint: yarn run lint (exit)', 'tests: yarn run test (exit)'],
    ],
    [
      'mocha and node have reports of their own',
      { 'package.json': manifest({ test: 'mocha --reporter spec test/' }, 'mocha') },
      ['tests: npx mocha test/ --reporter xunit --reporter-option output=$OUT (junit)'],
    ],
    [
      'mocha that nothing configures may need a browser, and is not run; types may be configured in src',
      { 'package.json': manifest({}, 'mocha', 'typescript'), 'src/tsconfig.json': '{}' },
      ['types: npx tsc --noEmit -p src --pretty false (tsc)'],
    ],
    [
      'node --test',
      { 'package.json': manifest({ test: 'node --test "test/*.js"' }) },
      ['tests: node --test --test-reporter=junit --test-reporter-destination=$OUT "test/*.js" (junit)'],
    ],
    [
      'tools that are not declared are not run',
      { 'package.json': manifest({}), 'tsconfig.json': '{}', '.eslintrc': '{}' },
      [],
    ],
    [
      'the placeholder of npm init is no test',
      { 'package.json': manifest({ test: 'echo "Error: no test specified" && exit 1' }) },
      [],
    ],
    [
      'scripts that write, also in another package, are left out',
      {
        'package.json': manifest({ lint: 'bun run --filter web lint', test: 'bun run --filter web test' }),
        'bun.lock': '',
        'web/package.json': manifest({ lint: 'biome check --write .', test: 'playwright test' }),
      },
      [],
    ],
    [
      'uv runs tools of Python in their groups',
      {
        'pyproject.toml':
          '[dependency-groups]\ndev = [\n  "ruff",\n]\ntests = [\n  "pytest>=3",\n]\n[tool.mypy]\nfiles = ["src"]\n',
        'uv.lock': '',
      },
      [
        'lint: uv run ruff check --output-format=sarif --output-file=$OUT (sarif)',
        'types: uv run mypy --show-column-numbers --no-error-summary (lines)',
        'tests: uv run --group tests pytest -q --junitxml=$OUT (junit)',
      ],
    ],
    [
      'older projects of Python',
      { 'setup.cfg': '[flake8]\nmax-line-length = 100\n', 'requirements-dev.txt': 'pytest==7\n' },
      ['lint: flake8 (lines)', 'tests: pytest -q --junitxml=$OUT (junit)'],
    ],
    [
      'Go, with both versions of golangci-lint',
      { 'go.mod': 'module x', '.golangci.yml': 'version: "2"\n' },
      [
        'vet: go vet ./... 2>&1 (lines)',
        'lint: golangci-lint run --output.sarif.path=$OUT (sarif)',
        'tests: go test ./... (exit)',
      ],
    ],
    [
      'Gradle, with the tasks of the workflow',
      {
        'build.gradle.kts': '',
        gradlew: '',
        '.github/workflows/ci.yml':
          'jobs:\n  a:\n    steps:\n      - run: ./gradlew publish\n      - run: ./gradlew check -Pkey=${{ secrets.X }}\n      - run: ./gradlew test allTests\n',
      },
      ['build: ./gradlew test allTests (exit)'],
    ],
    ['Maven', { 'pom.xml': '' }, ['build: mvn -B -q verify (exit)']],
    [
      'Rust and Swift',
      { 'Cargo.toml': '', 'clippy.toml': '', 'Package.swift': '' },
      [
        'lint: cargo clippy --all-targets --message-format=short 2>&1 (lines)',
        'tests: cargo test (exit)',
        'swift-tests: swift test (exit)',
      ],
    ],
  ])('%s', async (_, repository, expected) => {
    expect(await suggest(repository)).toEqual(expected)
  })

  it('say what was found and not suggested', async () => {
    const repository = {
      'package.json': manifest({ lint: 'eslint --fix .' }, 'cypress'),
      '.husky/pre-commit': '',
    }
    const { notes } = await suggestChecks(open(repository))
    expect(notes).toEqual([
      'the script lint of package.json, which changes files',
      'cypress, which needs a browser and a running application',
      'the hooks of husky (.husky), which run beside the gate',
    ])
  })
})

it('are a valid file, whatever a repository holds, and show all that would run', async () => {
  const word = fc.oneof(
    fc.constantFrom(
      'test',
      'lint',
      'unit',
      'check',
      'typecheck',
      'eslint',
      'vitest',
      'mocha',
      'tsc',
      '--noEmit',
      '\n',
      '\u202e',
      '"',
      ': ',
      '#',
      '&&',
      '$OUT',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  )
  const command = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '))
  const scripts = fc.dictionary(word, command, { maxKeys: 6 })
  const dependencies = fc.subarray(['eslint', 'vitest', 'mocha', 'typescript', 'jest', 'prettier'])
  await fc.assert(
    fc.asyncProperty(scripts, dependencies, word, async (all, names, text) => {
      const repository = {
        'package.json': manifest(all, ...names),
        'tsconfig.json': '{}',
        'pyproject.toml': `[tool.ruff]\n${text}`,
        'go.mod': text,
      }
      const suggestions = await suggestChecks(open(repository))
      const file = writeChecksFile(suggestions)
      expect(file).not.toMatch(/[^\n\P{Cc}]|\u202e/u)
      if (suggestions.checks.length === 0) return
      const { checks } = await parseChecks(file)
      type Parts = Pick<SuggestedCheck, 'name' | 'run' | 'reads' | 'stages'>
      const parts = ({ name, run, reads, stages }: Parts) => ({ name, run, reads, stages })
      expect(checks.map(parts)).toEqual(suggestions.checks.map(parts))
    }),
    { numRuns: caseCount(20, 80) },
  )
})
