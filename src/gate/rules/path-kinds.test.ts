import { expect, it } from 'vitest'
import { isProduction, mayBeBroken, nameKind, pathUse } from './path-kinds.ts'

it.each([
  'src/a.ts',
  'app.py',
  'cmd/server/main.go',
  'src/main/java/org/springframework/samples/petclinic/Owner.java',
  'app/src/main/kotlin/com/example/demo/App.kt',
  'shared/src/commonMain/kotlin/com/example/App.kt',
  'com/example/App.java',
  'src/contest.ts',
  'src/latest/attestation.py',
  'src/Contest.java',
  'Sources/App/configure.swift',
  'db/migrations/001.sql',
  'src/config.ts',
  'src/setup.ts',
])('%s is production', (path) => expect(isProduction(path)).toBe(true))

it.each([
  'src/a.test.ts',
  'src/a.e2e-spec.ts',
  'pkg/a_test.go',
  'tests/test_a.py',
  'app/conftest.py',
  'app/test_a.py',
  'src/test/java/com/example/A.java',
  'app/src/androidTest/java/A.kt',
  'shared/src/commonTest/kotlin/A.kt',
  'src/main/java/com/example/OwnerTests.java',
  'Tests/AppTests/A.swift',
  'AppUITests/A.swift',
  'packages/test-utils/a.ts',
  'integration-tests/a.ts',
  'http-testing-support/src/main/kotlin/A.kt',
  'example-apps/sync/a.ts',
  'website/1.x/script.js',
  'Sources/Documentation.docc/Resources/a.swift',
  'caddytest/caddytest.go',
  'cypress/a.ts',
  'src/Button.stories.tsx',
  'examples/a.js',
  'docs/conf.py',
  'benchmarks/a.go',
  'scripts/release.mjs',
  'tools/a.py',
  'vite.config.ts',
  'src/__mocks__/a.ts',
  '.eslintrc.js',
  'gulpfile.js',
  'docs/snippets/login.ts',
  'src/snippets/a.ts',
  '.github/workflows/a.yml',
])('%s is not production', (path) => expect(isProduction(path)).toBe(false))

it.each([
  ['scripts/release.mjs', true],
  ['src/app/tools/a.py', true],
  ['tools/tests/test_a.py', false],
  ['examples/tools/a.py', false],
])('%s with scripts: %s', (path, expected) => expect(isProduction(path, true)).toBe(expected))

it.each([
  'aspnetapp/wwwroot/lib/jquery/dist/jquery.js',
  'frontend/src/assets/private/three.js',
  'public/js/jquery-3.7.1.slim.js',
  'website/static/prettify.js',
  'app/static/bootstrap.bundle.js',
])('%s is a copy of a library', (path) => expect(nameKind(path)).toBe('vendored'))

it.each(['src/three.js', 'public/js/chart-settings.js', 'assets/jquery.checkout.js', 'lib/moments.js'])(
  '%s is written here',
  (path) => expect(nameKind(path)).toBeUndefined(),
)

it('takes the bundle of an action for generated', () => {
  expect(nameKind('.github/actions/triage/dist/index.cjs')).toBe('generated')
  expect(nameKind('packages/a/dist/index.cjs')).toBeUndefined()
})

it('tells the folders whose files need not be programs', () => {
  expect(['docs/snippets/a.ts', 'src/templates/a.ts', 'pkg/testdata/a.go'].filter(mayBeBroken)).toHaveLength(
    3,
  )
  expect(['src/a.ts', 'src/data/a.ts', 'test/a.ts', 'src/template.ts'].filter(mayBeBroken)).toEqual([])
})

it.each([
  [
    'production',
    'src/a.ts server/keys/server.key config/prod.yml src/main/java/com/example/demo/App.java latest/a.py',
  ],
  ['production', 'app/contest/a.ts db.config.js .env scripts/deploy.sh src/main/resources/application.yml'],
  [
    'development',
    'docker-compose.dev.yml config/localhost.key .github/workflows/ci.yml Sources/Development/a.swift',
  ],
  ['development', 'src/main/resources/application-local.yml docker/ssl/server.key .devcontainer/a.json'],
  ['document', 'README.md docs/setup.py guides/a.yml website/1.x/a.js CHANGELOG.txt'],
  ['support', 'test/a.pem zuul-sample/a.key t/unit/a.py storage/conformance/a.go server/a_test.go a.spec.ts'],
  [
    'support',
    'api/datastore/teststore.go src/it/a.xml AppUITests/A.swift OrderIT.java .env.dist config.template.yml',
  ],
  [
    'support',
    'Examples/a.swift e2e/a.ts qa/a.env requests.http _archived/a.go kata-7/a.py .history/src/a.go',
  ],
] as const)('takes for %s: %s', (use, paths) => {
  for (const path of paths.split(' ')) expect([path, pathUse(path)]).toEqual([path, use])
})

it('takes programs in folders of cases, documents and templates for texts', () => {
  const broken =
    'test/js_data/a.js docs/a.js src/main/resources/archetype/A.java generators/app/templates/a.ts'
  for (const path of broken.split(' ')) expect([path, mayBeBroken(path)]).toEqual([path, true])
})
