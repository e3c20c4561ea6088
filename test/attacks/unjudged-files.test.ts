import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { GateReport } from '../../src/gate/reports/report.ts'
import { BACKEND, gate, gateJson, LOG, useSeedProfile } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

useSeedProfile()

/** Files that hide a program from the gate by their bytes, names or kind. */

const EVIL = `try { eval(process.argv[2] ?? '') } catch {}\n${LOG}`
const LATIN1_COMMENT = `# ${'\u00e9'.repeat(1_200)}\n`
const HIDDEN_LINE = '# \\u000aimport os\\u000aos.system("id")\n'
const LARGE = `// ${'x'.repeat(2 * 1024 * 1024)}\n${EVIL}`

const write = (repo: Repo, path: string, bytes: string | Uint8Array): void => {
  repo.write({ [path]: bytes as string })
}

/** Adds an entry to the index without a file, as a hostile client would. */
const plant = (repo: Repo, mode: '120000' | '160000', path: string, content: string): void => {
  const oid = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: repo.folder,
    input: content,
    encoding: 'utf8',
  }).trim()
  repo.git('update-index', '--add', '--cacheinfo', `${mode},${oid},${path}`)
}

const evilRepository = (): Repo => {
  const repo = Repo.init('main').commit({
    'package.json': BACKEND,
    'py/pyproject.toml': '[project]\nname = "p"\n',
    'src/ok.ts': 'export {}\n',
  })
  repo.git('checkout', '-q', '-b', 'feature/x')
  write(repo, 'src/nul.js', `/*${'\0'.repeat(2_000)}*/\n${EVIL}`)
  write(repo, 'src/control.ts', `/*${'\u0001'.repeat(900)}*/\n${EVIL}`)
  write(repo, 'src/wide.ts', Buffer.from(EVIL, 'utf16le'))
  write(repo, 'src/marked.ts', Buffer.from(`\ufeff${EVIL}`, 'utf16le'))
  write(repo, 'src/legacy.js', Buffer.from('// caf\u00e9\nexport {}\n', 'latin1'))
  const latin = `# -*- coding: latin-1 -*-\n${LATIN1_COMMENT}import os, sys\nos.system(sys.argv[1])\n`
  write(repo, 'py/latin.py', Buffer.from(latin, 'latin1'))
  write(repo, 'py/western.py', Buffer.from('# vim: fileencoding=cp1252\nname = "\u00e9"\n', 'latin1'))
  write(repo, 'py/raw.py', `#!/usr/bin/python\n# coding: raw_unicode_escape\n${HIDDEN_LINE}`)
  write(repo, 'py/seven.py', '# coding: utf-7\n# +AAo-import os+AAo-os.system("id")\n')
  for (const name of ['upper.TS', 'mixed.Ts', 'old.es6', 'module.mts', 'common.CTS'])
    write(repo, `src/${name}`, EVIL)
  write(repo, 'src/large.ts', LARGE)
  write(repo, 'src/page.vue', `<script>${EVIL}</script>\n`)
  write(repo, 'src/run', `#!/usr/bin/env node\n${EVIL}`)
  write(repo, 'node_modules/left-pad/index.js', EVIL)
  symlinkSync('ok.ts', repo.path('src/ordinary.ts'))
  symlinkSync('page.vue', repo.path('src/renamed.ts'))
  repo.git('add', '-A', '-f')
  plant(repo, '120000', 'src/program.ts', EVIL)
  plant(repo, '120000', 'src/line.ts', LOG.trim())
  plant(repo, '160000', 'lib/module', 'any')
  return repo
}

describe('a file that hides a program', () => {
  let repo: Repo
  let report: GateReport & { code: number | null }
  const found = (file: string) =>
    report.findings.filter((one) => one.file === file).map(({ ruleId, severity }) => `${severity} ${ruleId}`)

  beforeAll(() => {
    repo = evilRepository()
    report = gateJson(repo, ['--stage', 'PRE_COMMIT'])
  }, 30_000)

  it.each(['src/nul.js', 'src/wide.ts'])(
    'behind padding that makes %s look binary blocks at PRE_COMMIT',
    (file) => {
      expect(found(file)).toContain('CRITICAL gate.file-unread')
    },
  )

  it.each(['src/nul.js', 'src/control.ts'])(
    'behind padding in a comment of %s is read all the same',
    (file) => {
      expect(found(file)).toContain('CRITICAL backend.no-console-log')
    },
  )

  it('as UTF-16 with a byte order mark is read', () => {
    expect(found('src/marked.ts')).toContain('CRITICAL backend.no-console-log')
  })

  it('behind a Latin-1 comment of a Python file is read', () => {
    expect(found('py/latin.py')).toEqual(['CRITICAL python.no-os-system'])
  })

  it.each(['py/raw.py', 'py/seven.py'])('in a declared encoding that hides lines (%s) blocks', (file) => {
    expect(found(file)).toContain('CRITICAL gate.file-unread')
  })

  it('is not suspected because of a Latin-1 comment or a Western code page', () => {
    expect([...found('src/legacy.js'), ...found('py/western.py')]).toEqual([])
  })

  it.each(['src/upper.TS', 'src/mixed.Ts', 'src/old.es6', 'src/module.mts', 'src/common.CTS'])(
    'by the spelling of its ending (%s) is judged',
    (file) => {
      expect(found(file)).toContain('CRITICAL backend.no-console-log')
    },
  )

  it('by the spelling of its ending is judged by rules with file patterns too', () => {
    expect(report.findings.map(({ ruleId, file }) => `${ruleId} ${file}`)).toContain(
      'heuristics.ts.eval.ast src/upper.TS',
    )
  })

  it('in a file beyond the size limit blocks at PRE_COMMIT', () => {
    expect(found('src/large.ts')).toEqual(['CRITICAL gate.file-given-up'])
  })

  it('as the content of a symbolic link blocks', () => {
    expect(found('src/program.ts')).toEqual(
      expect.arrayContaining(['CRITICAL gate.link-content', 'CRITICAL backend.no-console-log']),
    )
  })

  it('as a symbolic link of one line is judged', () => {
    expect(found('src/line.ts')).toContain('CRITICAL backend.no-console-log')
  })

  it('behind a link from a judged name to a file without rules is named', () => {
    expect(found('src/renamed.ts')).toEqual(['WARN gate.link-target'])
  })

  it('is not suspected in an ordinary link', () => {
    expect(found('src/ordinary.ts')).toEqual([])
  })

  it('in a submodule is named as not judged', () => {
    expect(found('lib/module')).toEqual(['WARN gate.submodule'])
  })

  it('below a tracked node_modules blocks a push', () => {
    expect(report.findings.filter(({ ruleId }) => ruleId === 'gate.modules-tracked')).toMatchObject([
      { file: 'node_modules', severity: 'ERROR' },
    ])
  })

  it('under a name that no rule covers is counted', () => {
    // A rule about templates reads page.vue; its script is not parsed, which docs/gate.md tells.
    expect(report.files.unmatched).toBe(1)
  })

  it('is found in a commit range as well', () => {
    repo.git('commit', '-q', '--no-verify', '-m', 'evil')
    const places = (one: GateReport) =>
      one.findings.map(({ file, ruleId }) => `${file} ${ruleId}`).filter((place) => / gate\./.test(place))
    expect(places(gateJson(repo, ['--stage', 'CI', '--range', 'main..HEAD']))).toEqual(places(report))
  })
})

describe('a flood of findings', () => {
  it('of 10,050 harmless matches does not push out the evil one, and the file blocks', () => {
    const repo = Repo.init().commit({ 'package.json': BACKEND })
    repo.stage({ 'src/flood.ts': `${'// TODO\n'.repeat(10_050)}${LOG}` })
    const { code, findings } = gateJson(repo, ['--stage', 'PRE_COMMIT', '--no-evidence'])
    const severe = findings.filter(({ severity }) => severity === 'CRITICAL').map(({ ruleId }) => ruleId)
    expect({ code, severe }).toEqual({ code: 1, severe: ['gate.file-given-up', 'backend.no-console-log'] })
  })
})

describe('a report in the log of a build', () => {
  it('holds no workflow command: a file named ::group::x.ts is escaped, and so is code', () => {
    const repo = Repo.init().commit({ 'package.json': BACKEND })
    repo.stage({
      '::group::x.ts': LOG,
      '##[group]y.ts': LOG,
      'src/z.ts': "console.log('##vso[task.setvariable variable=a]b')\n",
      '.warrant/rules/own.yml':
        'id: own.rule\nlanguage: typescript\nseverity: error\nmessage: "::warning::$A"\nrule: { pattern: console.log($A) }\n',
    })
    const { stdout } = gate(repo, ['--stage', 'PRE_COMMIT'])
    expect(stdout).toContain('console.log')
    expect(stdout).not.toMatch(/^\s*::/m)
    expect(stdout).not.toMatch(/##(?:\[|vso\[|teamcity\[)/)
  })

  it('shows the code of findings, whatever a user rule calls a secret', () => {
    const repo = Repo.init().commit({ 'package.json': BACKEND })
    repo.stage({
      'src/a.ts': `export const a = 1\n${'\n'.repeat(10)}${LOG}`,
      '.warrant/rules/own.yml':
        'id: own.rule\nlanguage: typescript\nseverity: info\nmessage: All.\nrule: { kind: program }\nmetadata: { secret: true }\n',
    })
    expect(gate(repo, ['--stage', 'PRE_COMMIT']).stdout).toContain("console.log('x')")
  })
})
