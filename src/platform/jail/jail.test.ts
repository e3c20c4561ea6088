import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attackPaths,
  createHostileProject,
  type HostileProject,
  SECRET,
} from '../../../test/support/jail-attacks.ts'
import { Fault } from '../../kernel/fault.ts'
import { type Jail, type PathRules, quotePath } from '../../kernel/jail.ts'
import { holdRoot, openBackend } from './handles.ts'
import { openJail } from './jail.ts'

const JAVA: PathRules = {
  allowed: new Set(['.java', '.xml', '.md', '.yml']),
  blocked: (name) => name.toLowerCase().startsWith('.git'),
}
const LIMITS = { bytes: 10_485_760, checkDeadline: () => {} }

let hostile: HostileProject
beforeAll(() => {
  hostile = createHostileProject()
})
afterAll(() => hostile.remove())

const text = (jail: Jail, path: string): string => Buffer.from(jail.read(path, JAVA, LIMITS).bytes).toString()
const names = (jail: Jail, path: string): string[] =>
  jail.within(path, JAVA, (folder) => folder.entries(LIMITS.checkDeadline).map(({ name }) => name))

/** The reason a call is refused for, or what it answered. */
const outcome = (ask: () => unknown): string => {
  try {
    return `answer ${JSON.stringify(ask())}`
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return thrown.code.replace('jail.', '')
  }
}

const BACK_ENDS = {
  'by descriptors': () => openJail(holdRoot(hostile.root)),
  'by paths, checked twice': () => {
    const { path, given } = holdRoot(hostile.root)
    return openJail({ path, given })
  },
}

describe.each(Object.entries(BACK_ENDS))('the jail, %s', (_, open) => {
  let jail: Jail
  beforeAll(() => {
    jail = open()
  })

  it('reads what is inside, by every honest spelling', () => {
    for (const path of ['A.java', './A.java', './/A.java', `${hostile.root}/A.java`]) {
      expect(text(jail, path)).toBe('inside A.java\n')
    }
    expect(jail.read('src/main/java/deep/er/C.java', JAVA, LIMITS)).toMatchObject({
      path: 'src/main/java/deep/er/C.java',
      kind: 'file',
      linkCount: 1,
      size: 36,
    })
  })

  it.each([
    ['in1.java', 'A.java'],
    ['in-abs.java', 'A.java'],
    ['in-dir/java/B.java', 'src/main/java/B.java'],
  ])('follows %s, which stays inside', (path, where) => {
    expect(jail.read(path, JAVA, LIMITS).path).toBe(where)
  })

  it.each([
    ['../../etc/passwd', 'traversal'],
    ['src/../pom.xml', 'traversal'],
    ['a..b.java', 'not_found'],
    ['[[...slug]]/A.java', 'not_found'],
    ['src/..', 'traversal'],
    ['src\\..\\A.java', 'traversal'],
    ['/etc/passwd', 'outside_root'],
    ['~', 'home'],
    ['~/.ssh/id_rsa', 'home'],
    ['', 'empty_path'],
    ['\ud800.java', 'encoding'],
    ['A.java\0', 'bad_path'],
    ['a\nb.java', 'bad_path'],
    ['..\\x', 'traversal'],
    ['x\\y.java', 'bad_path'],
    ['C:\\x.java', 'bad_path'],
    ['//h/s.java', 'bad_path'],
    ['file:///A.java', 'not_found'],
    ['%2e%2e/A.java', 'not_found'],
    [' A.java', 'not_found'],
    ['"A.java"', 'extension'],
    ['file.exe', 'extension'],
    ['Makefile', 'extension'],
    ['.git/config', 'blocked_name'],
    ['.GIT/a.md', 'blocked_name'],
    ['.github/x.yml', 'blocked_name'],
    ['.gitignore', 'blocked_name'],
    ['no.java', 'not_found'],
    ['no/such/A.java', 'not_found'],
    ['A.java/B.java', 'not_a_directory'],
    ['A.java/', 'not_a_directory'],
    ['A.java/.', 'not_a_directory'],
    ['folder.java', 'not_a_file'],
    ['out.java', 'outside_root'],
    ['out-rel.java', 'outside_root'],
    ['out-dir/secret.java', 'outside_root'],
    ['chain1.java', 'outside_root'],
    ['hop/x.java', 'outside_root'],
    ['up/root/A.java', 'outside_root'],
    ['dangling-out.java', 'outside_root'],
    ['dangling.java', 'not_found'],
    ['loop.java', 'not_found'],
    ['loop-a/x.java', 'not_found'],
    ['to-env.java', 'extension'],
    ['to-class.java', 'extension'],
    ['to-git.java', 'blocked_name'],
    ['pipe.java', 'special_file'],
    ['to-pipe.java', 'special_file'],
    ['zero.java', 'outside_root'],
    ['environ.java', 'outside_root'],
    ['sparse.java', 'file_too_large'],
    ['x'.repeat(5_000), 'path_too_long'],
    [`${'x'.repeat(256)}.java`, 'path_too_long'],
  ])('answers a read of %j with %s', (path, reason) => {
    expect(outcome(() => text(jail, path))).toBe(reason)
  })

  it.each([
    ['A.java', 'not_a_directory'],
    ['out-dir', 'outside_root'],
    ['up', 'outside_root'],
    ['slash', 'outside_root'],
    ['proc-root', 'outside_root'],
    ['loop-a', 'not_found'],
    ['nowhere', 'not_found'],
    ['pipe.java', 'not_a_directory'],
    ['.git', 'blocked_name'],
  ])('answers a listing of %j with %s', (path, reason) => {
    expect(outcome(() => names(jail, path))).toBe(reason)
  })

  it('lists in code-unit order and shows links as links', () => {
    const entries = jail.within('.', JAVA, (folder) => folder.entries(LIMITS.checkDeadline))
    const listed = entries.map(({ name }) => name)
    expect(listed).toEqual([...listed].sort())
    expect(entries).toContainEqual({ name: 'out-dir', kind: 'link' })
    expect(entries).toContainEqual({ name: 'pipe.java', kind: 'other' })
    expect(entries).toContainEqual({ name: 'src', kind: 'directory' })
    expect(names(jail, `${hostile.root}`)).toEqual(listed)
    expect(names(jail, 'empty')).toEqual([])
  })

  it('gives no byte and no name from outside, whatever it is asked', () => {
    const paths = attackPaths(hostile)
    expect(paths.length).toBeGreaterThan(400)
    for (const path of paths) {
      for (const ask of [
        () => text(jail, path),
        () => jail.info(path, JAVA),
        () => names(jail, path),
        () => jail.within(path, JAVA, (folder) => folder.read('secret.java', 100)),
      ]) {
        const answer = outcome(ask)
        expect.soft(answer, path).not.toContain(SECRET)
        expect.soft(answer, path).not.toContain('secret.java')
        expect.soft(answer, path).not.toMatch(/root:x:|PATH=/)
      }
    }
  })

  it('lets go of every descriptor, however a call ends', () => {
    const held = () => readdirSync('/proc/self/fd').length
    const before = held()
    for (const path of attackPaths(hostile)) {
      for (const ask of [() => text(jail, path), () => jail.info(path, JAVA), () => names(jail, path)])
        outcome(ask)
    }
    expect(held()).toBe(before)
  })

  it('says nothing about the host that the caller did not say first', () => {
    for (const path of attackPaths(hostile).filter((one) => !one.includes(hostile.base))) {
      for (const ask of [() => text(jail, path), () => names(jail, path), () => jail.info(path, JAVA)]) {
        try {
          ask()
        } catch (thrown) {
          const { message, detail, fix } = thrown as Fault
          const said = JSON.stringify({ message, detail, fix })
          expect.soft(said, path).not.toContain(hostile.base)
          expect.soft(message.replace(quotePath(path), ''), path).not.toMatch(/proc\/|\/dev/)
          expect.soft(said.length, path).toBeLessThan(2_000)
        }
      }
    }
  })

  it('walks down without ever following a link', () => {
    jail.within('.', JAVA, (folder) => {
      for (const name of ['out-dir', 'in-dir', 'up', 'loop-a', 'pipe.java', 'A.java', 'none']) {
        expect(folder.enter(name)).toBeUndefined()
      }
      for (const name of ['out.java', 'in1.java', 'pipe.java', 'src', 'sparse.java', 'none']) {
        expect(folder.read(name, 1_000)).toBeUndefined()
      }
      const src = folder.enter('src')
      expect(src?.path).toBe('src')
      expect(src?.entries(LIMITS.checkDeadline).map(({ name }) => name)).toEqual(['in3.java', 'main'])
      src?.close()
      expect(Buffer.from(folder.read('A.java', 1_000)?.bytes ?? []).toString()).toBe('inside A.java\n')
    })
  })

  it('finds a name in the other Unicode form, when there is only one', () => {
    writeFileSync(`${hostile.root}/caf\u0065\u0301.java`, 'decomposed')
    expect(text(jail, 'caf\u00e9.java')).toBe('decomposed')
    writeFileSync(`${hostile.root}/\u1e69.java`, 'one')
    writeFileSync(`${hostile.root}/s\u0323\u0307.java`, 'two')
    expect(text(jail, '\u1e69.java')).toBe('one')
    expect(outcome(() => text(jail, 's\u0307\u0323.java'))).toBe('ambiguous')
  })

  it('counts the hard links of a file', () => {
    expect(jail.read('hard.java', JAVA, LIMITS).linkCount).toBe(2)
  })

  it('creates under the root, once, and through no link', () => {
    jail.create('R.md', Buffer.from('first'))
    expect(text(jail, 'R.md')).toBe('first')
    expect(outcome(() => jail.create('R.md', Buffer.from('second')))).toBe('exists')
    symlinkSync(`${hostile.base}/outside/new.md`, `${hostile.root}/L.md`)
    expect(outcome(() => jail.create('L.md', Buffer.from('x')))).toBe('exists')
    expect(outcome(() => jail.create('src/R.md', Buffer.from('x')))).toBe('read_only')
    expect(names(jail, '.').filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(text(jail, 'R.md')).toBe('first')
    for (const name of ['R.md', 'L.md']) rmSync(`${hostile.root}/${name}`)
  })
})

describe('the jail', () => {
  it('takes the spelling the operator used as well as the real one', () => {
    const jail = openJail(holdRoot(hostile.alias))
    for (const root of [hostile.root, hostile.alias]) expect(text(jail, `${root}/A.java`)).toContain('inside')
    expect(jail.root).toBe(hostile.root)
  })

  it('refuses files with several hard links when configured to', () => {
    const jail = openJail(holdRoot(hostile.root), { denyHardlinks: true })
    expect(outcome(() => text(jail, 'hard.java'))).toBe('hard_link')
    expect(outcome(() => text(jail, 'pom.xml'))).toContain('answer')
  })

  it('refuses what the operator denies, also behind a symlink', () => {
    const jail = openJail(holdRoot(hostile.root), {
      deniedAt: () => (names) => ['src/main', 'A.java'].includes(names.join('/')),
    })
    for (const path of ['A.java', 'in1.java', 'src/main/java/B.java', 'in-dir/java/B.java']) {
      expect(outcome(() => text(jail, path))).toBe('denied')
    }
    expect(names(jail, 'src')).toEqual(['in3.java'])
    expect(jail.within('src', JAVA, (folder) => folder.enter('main'))).toBeUndefined()
  })

  it('refuses pseudo file systems such as /proc', () => {
    const jail = openJail(holdRoot('/'))
    const any: PathRules = { blocked: () => false }
    for (const path of ['/proc/self/environ', 'proc/version', 'proc/1/root/etc/passwd', 'sys/kernel/mm']) {
      expect(outcome(() => jail.read(path, any, LIMITS))).toMatch(/special_file|outside_root|not_a_file|io/)
    }
    expect(outcome(() => jail.within('proc', any, () => 'listed'))).toBe('special_file')
    const oneDisk = openJail(holdRoot('/'), { oneFileSystem: true })
    expect(outcome(() => oneDisk.read('proc/version', any, LIMITS))).toBe('other_file_system')
  })

  it('stays with the folder it was opened on when its path is taken away, and gives nothing of the new one', () => {
    const root = `${hostile.base}/moving`
    mkdirSync(root)
    writeFileSync(`${root}/A.java`, 'inside')
    const jail = openJail(holdRoot(root))
    expect(text(jail, 'A.java')).toBe('inside')
    renameSync(root, `${root}-away`)
    symlinkSync(`${hostile.base}/outside`, root)
    for (const path of ['A.java', `${root}/secret.java`, 'secret.java']) {
      expect(outcome(() => text(jail, path))).toMatch(/^(changed|not_found)$/)
    }
    expect(outcome(() => names(jail, '.'))).toBe('changed')
    expect(outcome(() => jail.create('R.md', Buffer.from('x')))).toBe('changed')
    rmSync(root)
    rmSync(`${root}-away`, { recursive: true })
    for (const ask of [() => text(jail, 'A.java'), () => names(jail, '.')]) {
      expect(outcome(ask)).toMatch(/^(changed|not_found|io)$/)
    }
  })

  it('refuses a root that is not a folder', () => {
    for (const path of [`${hostile.root}/A.java`, `${hostile.root}/none`])
      expect(() => holdRoot(path)).toThrow()
  })
})

describe('a file whose name is gone', () => {
  it.skipIf(process.platform !== 'linux')(
    'is not inside, though it has a name elsewhere and its folder came back',
    () => {
      const base = realpathSync(mkdtempSync(join(tmpdir(), 'warrant-moved-')))
      const [root, outside] = [join(base, 'root'), join(base, 'outside')]
      mkdirSync(join(root, 'folder'), { recursive: true })
      writeFileSync(join(base, 'secret'), 'secret')
      const backend = openBackend(holdRoot(root))
      const folder = backend.enter(backend.root, 'folder')
      renameSync(join(root, 'folder'), outside)
      linkSync(join(base, 'secret'), join(outside, 'in.java'))
      const found = backend.find(folder, 'in.java')
      rmSync(join(outside, 'in.java'))
      renameSync(outside, join(root, 'folder'))
      expect(backend.isInside(found)).toBe(false)
      for (const handle of [found, folder]) handle.close()
      rmSync(base, { recursive: true })
    },
  )

  it('is no file that is really called so', () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'warrant-moved-')))
    writeFileSync(join(base, 'a (deleted)'), 'text')
    linkSync(join(base, 'a (deleted)'), join(base, 'b'))
    const any: PathRules = { blocked: () => false }
    const { bytes } = openJail(holdRoot(base)).read('a (deleted)', any, LIMITS)
    expect(Buffer.from(bytes).toString()).toBe('text')
    rmSync(base, { recursive: true })
  })
})
