import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Content of every file outside the project, and of none inside. */
export const SECRET = 'OUTSIDE-THE-PROJECT'

export interface HostileProject {
  /** The folder that holds the project and the files outside of it. */
  readonly base: string
  readonly root: string
  /** A symlink to the root. */
  readonly alias: string
  remove(): void
}

/** Creates a project full of hostile links, with secrets in the folders around it. */
export const createHostileProject = (): HostileProject => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'warrant-jail-')))
  const at = (...parts: string[]) => join(base, ...parts)
  const put = (path: string, text: string) => {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
  }
  for (const place of ['outside', 'outside/deep', 'root-evil', 'roo']) {
    for (const name of ['secret.java', 'pom.xml', 'A.java']) put(at(place, name), SECRET)
  }
  put(at('secret.java'), SECRET)
  for (const path of ['pom.xml', 'A.java', 'src/main/java/B.java', 'src/main/java/deep/er/C.java']) {
    put(at('root', path), `inside ${path}\n`)
  }
  put(at('root/.env'), 'inside .env')
  put(at('root/X.class'), 'inside class')
  put(at('root/.git/config'), 'inside git')
  put(at('root/.github/x.yml'), 'inside github')
  put(at('root/.gitignore'), 'target')
  mkdirSync(at('root/folder.java'))
  mkdirSync(at('root/empty'))
  const links: Readonly<Record<string, string>> = {
    'out.java': at('outside/secret.java'),
    'out-rel.java': '../outside/secret.java',
    'out-dir': at('outside'),
    'out-dir-rel': 'src/../../outside',
    up: '..',
    'up-up': 'src/main/../../../outside',
    slash: '/',
    evil: at('root-evil'),
    'chain1.java': 'chain2.java',
    'chain2.java': 'chain3.java',
    'chain3.java': at('outside/secret.java'),
    'in1.java': 'in2.java',
    'in2.java': 'src/in3.java',
    'src/in3.java': '../A.java',
    'in-abs.java': at('root/A.java'),
    'in-dir': 'src/main',
    hop: 'out-dir/../root/A.java',
    'to-env.java': '.env',
    'to-class.java': 'X.class',
    'to-git.java': '.git/config',
    'loop.java': 'loop.java',
    'loop-a': 'loop-b',
    'loop-b': 'loop-a',
    'dangling.java': 'nowhere.java',
    'dangling-out.java': at('nowhere.java'),
    'zero.java': '/dev/zero',
    'tty.java': '/dev/tty',
    'environ.java': '/proc/self/environ',
    'proc-root': '/proc/self/root',
    'proc-cwd': '/proc/self/cwd',
    fd: '/dev/fd',
    'passwd.java': '/etc/passwd',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, at('root', name))
  linkSync(at('root/A.java'), at('root/hard.java'))
  writeFileSync(at('root/sparse.java'), '')
  truncateSync(at('root/sparse.java'), 2 ** 40)
  execFileSync('mkfifo', [at('root/pipe.java')])
  symlinkSync('pipe.java', at('root/to-pipe.java'))
  symlinkSync(at('root'), at('alias'))
  return {
    base,
    root: at('root'),
    alias: at('alias'),
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
}

const LINKS = [
  'out-dir',
  'out-dir-rel',
  'up',
  'up-up',
  'slash',
  'evil',
  'proc-root',
  'proc-cwd',
  'fd',
  'loop-a',
  'hop',
  'pom.xml',
  'src',
]
const LEAVES = ['secret.java', 'outside/secret.java', 'deep/secret.java', '0', 'etc/passwd', 'self/environ']
const FILES = [
  'out.java',
  'out-rel.java',
  'chain1.java',
  'dangling-out.java',
  'zero.java',
  'tty.java',
  'environ.java',
  'passwd.java',
  'loop.java',
  'dangling.java',
  'pipe.java',
  'to-pipe.java',
  'sparse.java',
  'to-env.java',
  'to-class.java',
  'to-git.java',
]
const DOTS = [
  '../',
  '../../',
  'src/../../',
  './../',
  '..//',
  '.../../',
  '..;/',
  '%2e%2e/',
  '%2e%2e%2f',
  '%252e%252e%252f',
  '..%2f',
  '..%5c',
  '..\\',
  '\u2024\u2024/',
  '\uff0e\uff0e/',
  '\uff0e\uff0e\uff0f',
  '\u2025/',
  '.\u200d./',
  '. ./',
]

/** Every path to try: techniques × targets × decorations. None may return a byte from outside. */
export const attackPaths = ({ base, root, alias }: HostileProject): readonly string[] => {
  const plain = [
    ...LINKS.flatMap((link) => ['', ...LEAVES].map((leaf) => (leaf === '' ? link : `${link}/${leaf}`))),
    ...FILES,
    ...DOTS.flatMap((dots) =>
      ['secret.java', 'outside/secret.java', 'root-evil/A.java'].map((leaf) => dots + leaf),
    ),
  ]
  const decorated = plain.flatMap((path) => [
    path,
    `./${path}`,
    `.//${path}`,
    `${root}/${path}`,
    `${alias}/${path}`,
    `${path}/`,
    `${path}/.`,
  ])
  const absolute = [
    'outside/secret.java',
    'root-evil/A.java',
    'roo/A.java',
    'secret.java',
    'outside',
    '',
  ].flatMap((rest) => {
    const path = join(base, rest)
    return [
      path,
      `/${path}`,
      `/.${path}`,
      `file://${path}`,
      `/proc/self/root${path}`,
      ` ${path}`,
      `"${path}"`,
    ]
  })
  const system = [
    '/etc/passwd',
    '/proc/self/environ',
    '/proc/self/cwd/secret.java',
    '/dev/zero',
    '/dev/fd/0',
    '/',
  ]
  const odd = [
    '~',
    '~/.ssh/id_rsa',
    '~root/x.java',
    'a~b.java',
    'a..b.java',
    'out.java\0.md',
    'out\n.java',
    'A.java\u001b[2J',
    'A\u0085.java',
    'C:\\x.java',
    'C:/x.java',
    'c:x.java',
    '\\\\host\\share\\x.java',
    '//host/share/x.java',
    '\\\\?\\C:\\x.java',
    '$HOME/x.java',
    '%USERPROFILE%/x.java',
    '{A,B}.java',
    '*.java',
    'A.java::$DATA',
    'CON.java',
    '\ud800.java',
    'x'.repeat(5_000),
    `${'x/'.repeat(2_047)}y`,
    `${'y'.repeat(256)}.java`,
    '__proto__/x.java',
    'constructor.java',
    `${root}-evil/A.java`,
    `${root}/../outside/secret.java`,
    `${root}//out.java`,
    `${root}/./out.java`,
  ]
  return [...new Set([...decorated, ...absolute, ...system, ...odd])]
}
