import { describe, expect, it } from 'vitest'
import { gate, gateJson } from '../support/gate.ts'
import { makePem } from '../support/private-key.ts'
import { Repo } from '../support/repository.ts'

/** Secrets are put together here, so that no scanner takes this file for a leak. */
const join = (...parts: readonly string[]): string => parts.join('')
const AWS = join('AK', 'IAQ3EGRZ7WN5MXK2TB')
const AWS_SECRET = join('pX8vK2nQ7rT4wY9zB3mL', '6cF1dG5hJ0sAeRtYuI+o')
const NPM = join('npm', '_Xa7Kq2Lm9Zr4Tn8Wb3Vc6Hd1Jf5Gs0PyUeIo')
const GITHUB = join('gh', 'p_Xa7Kq2Lm9Zr4Tn8Wb3Vc6Hd1Jf5Gs0PyUeIo')
const RANDOM = join('q8Zr4Tn7Wb3Vc6', 'Hd1Jf5Gs0PyUeIo2K')
const PASSWORD = join('Rt7kq', '2LmZ!')
const PEM = makePem()

/** A file of each kind that teams keep secrets in, and the rule that reports it. */
const LEAKS: Readonly<Record<string, readonly [rule: string, text: string]>> = {
  '.env': ['secrets.aws-access-key-id', `AWS_ACCESS_KEY_ID=${AWS}\n`],
  '.npmrc': ['secrets.npm-token', `//registry.shop.dev/:_authToken=${NPM}\n`],
  Dockerfile: ['config.docker-secret', `FROM scratch\nENV API_TOKEN=${RANDOM}\n`],
  'README.md': ['secrets.github-token', `\`\`\`sh\nexport GITHUB_TOKEN=${GITHUB}\n\`\`\`\n`],
  'app/Info.plist': [
    'secrets.generic-element',
    `<dict><key>ApiSecret</key><string>${RANDOM}</string></dict>\n`,
  ],
  'app/application.properties': [
    'secrets.generic-password-setting',
    `spring.datasource.password=${PASSWORD}\n`,
  ],
  'compose.yml': ['secrets.connection-string', `DATABASE_URL: postgres://app:${RANDOM}@db.shop.dev/app\n`],
  'config.json': ['secrets.generic', `{ "clientSecret": "${RANDOM}" }\n`],
  'deploy.sh': ['secrets.command-line-password', `curl -u bot:${PASSWORD} https://git.shop.dev\n`],
  'infra/main.tf': ['secrets.aws-secret-access-key', `provider "aws" {\n  secret_key = "${AWS_SECRET}"\n}\n`],
  'server.pem': ['secrets.private-key', PEM],
  '.github/workflows/ci.yml': ['secrets.generic-setting', `env:\n  SIGNING_KEY: ${RANDOM}\n`],
}
/** What the same kinds of files have in a repository without leaks. */
const CLEAN: Readonly<Record<string, string>> = {
  'clean/.env': 'API_KEY=\nDB_PASSWORD=postgres\nTOKEN=${TOKEN}\nAWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\n',
  'clean/compose.yml':
    'environment:\n  POSTGRES_PASSWORD: postgres\n  URL: postgres://app:secret@db:5432/app\n',
  'clean/package-lock.json': `{ "integrity": "sha512-${RANDOM}${RANDOM}${RANDOM}==" }\n`,
  'clean/ci.yml': 'env:\n  TOKEN: ${{ secrets.TOKEN_1 }}\n',
  'clean/fr.json': '{ "password": "Votre mot de passe", "token": "Jeton d\'accès 2FA" }\n',
}

describe('secrets in files of every kind', () => {
  const repo = Repo.init().commit({ 'a.txt': '' })
  repo.stage({
    ...Object.fromEntries(Object.entries(LEAKS).map(([path, [, text]]) => [path, text])),
    ...CLEAN,
  })

  it('are found, each by its rule, and nothing else is', () => {
    const { findings } = gateJson(repo, ['--stage', 'PRE_COMMIT'])
    const found = findings.map(({ file, ruleId }) => `${file} ${ruleId}`).sort()
    expect(found.filter((line) => / (?:secrets|config)\./.test(line))).toEqual(
      Object.entries(LEAKS)
        .map(([path, [rule]]) => `${path} ${rule}`)
        .sort(),
    )
  })

  it.each(['text', 'json', 'sarif', 'junit'])('are not shown as %s', (format) => {
    const { stdout, stderr } = gate(repo, [
      '--stage',
      'PRE_COMMIT',
      ...(format === 'text' ? [] : [`--${format}`]),
    ])
    const [, body = ''] = PEM.split('\n')
    for (const secret of [AWS, AWS_SECRET, NPM, GITHUB, RANDOM, PASSWORD, body])
      expect(stdout + stderr).not.toContain(secret)
  })

  it('block a commit: an AWS key in .env', () => {
    const leak = Repo.init().commit({ 'a.txt': '' })
    leak.stage({ '.env': LEAKS['.env']?.[1] ?? '' })
    const { status, stdout } = gate(leak, ['--stage', 'PRE_COMMIT'])
    expect(status).toBe(1)
    expect(stdout).toContain('BLOCKED')
  })
})

it('warns where the path says that nothing is deployed, and stops a commit elsewhere', () => {
  const repo = Repo.init().commit({ 'a.txt': '' })
  const places = {
    'config/server.key': ['secrets.private-key', 'CRITICAL', PEM],
    'docker/dev/server.key': ['secrets.private-key', 'WARN', PEM],
    'shop-sample/server.key': ['secrets.private-key', 'WARN', PEM],
    't/unit/keys.pem': ['secrets.private-key', 'WARN', PEM],
    'docs/setup.md': ['secrets.github-token', 'CRITICAL', `token: ${GITHUB}\n`],
    'local.env': ['secrets.github-token', 'CRITICAL', `GITHUB_TOKEN=${GITHUB}\n`],
    'server/orders_test.go': ['secrets.github-token', 'WARN', `package a\n\nvar b = "${GITHUB}"\n`],
    'src/main/java/com/example/demo/App.java': ['secrets.github-token', 'CRITICAL', `// ${GITHUB}\n`],
  } as const
  repo.stage(Object.fromEntries(Object.entries(places).map(([path, [, , text]]) => [path, text])))
  const { findings } = gateJson(repo, ['--stage', 'PRE_COMMIT', '--no-evidence'])
  const found = findings.filter(({ ruleId }) => ruleId.startsWith('secrets.'))
  expect(Object.fromEntries(found.map(({ file, ruleId, severity }) => [file, [ruleId, severity]]))).toEqual(
    Object.fromEntries(Object.entries(places).map(([path, [rule, severity]]) => [path, [rule, severity]])),
  )
  for (const { severity, message } of found)
    expect(message.endsWith('so this does not block.')).toBe(severity === 'WARN')
})
