import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Repo } from '../../../test/support/repository.ts'
import { gitConfig } from './config.ts'
import { withOneQuery } from './installation-query.ts'
import { findPlace } from './place.ts'
import { lifecycleGit } from './repository-places.ts'
import type { GitPlace } from './run.ts'

const never = new AbortController().signal

/** What both ways of asking say: two questions, and one. */
const askBoth = async (folder: string, settings: NodeJS.ProcessEnv = {}) => {
  const start = { folder, environment: { ...process.env, ...settings } }
  const place = (await findPlace(start, never)) as GitPlace
  const two = { config: gitConfig(start), git: lifecycleGit(start) }
  const answers = [two, withOneQuery(two, place)].map(async ({ config, git }) => ({
    keys: [...(await config.read('warrant.', never))],
    places: await git.places(never),
  }))
  return Promise.all(answers)
}

const userSettings = (text: string) => {
  const file = join(mkdtempSync(join(tmpdir(), 'warrant-settings-')), 'config')
  writeFileSync(file, text)
  return { GIT_CONFIG_GLOBAL: file, HOME: join(file, '..') }
}

describe('the installation, asked with one git', () => {
  it('is the one that two tell, whatever the configuration', async () => {
    const repo = Repo.init()
    const configurations = [
      '',
      '[pumuki]\n\tinstalled = true\n\tVersion = "0.1.0 # a"\n\thooks\n[pumuki "openSpec"]\n\tmanaged-artifacts = a,\\\nb\n',
      '[pumuki]\n\tversion = 1\n\tversion = 2\n[core]\n\thooksPath = .husky\n',
      '[core]\n\thooksPath = /somewhere/else\n\thooksPath = "last one"\n',
      '[core]\n\thooksPath = ~/hooks\n',
      '[core]\n\thooksPath = ""\n',
      '[include]\n\tpath = more\n[pumuki]\n\tinstalled = true\n',
    ]
    writeFileSync(repo.path('.git/more'), '[pumuki]\n\tversion = 3\n[core]\n\thooksPath = from-include\n')
    const before = readFileSync(repo.path('.git/config'), 'utf8')
    for (const text of configurations) {
      writeFileSync(repo.path('.git/config'), `${before}${text}`)
      const [two, one] = await askBoth(repo.folder)
      expect(one, text).toEqual(two)
    }
    writeFileSync(repo.path('.git/config'), before)
    for (const text of ['[core]\n\thooksPath = /user/hooks\n[pumuki]\n\tinstalled = true\n', '']) {
      const [two, one] = await askBoth(repo.folder, userSettings(text))
      expect(one, text).toEqual(two)
      expect(one?.keys).toEqual([])
    }
  })

  it('is the same through a link and in a linked worktree', async () => {
    const repo = Repo.init().commit({ a: '1' })
    repo.git('config', 'warrant.installed', 'true')
    const folder = mkdtempSync(join(tmpdir(), 'warrant-worktree-'))
    repo.git('worktree', 'add', '-q', '-b', 'tree', join(folder, 'tree'))
    symlinkSync(repo.folder, join(folder, 'link'))
    for (const name of ['tree', 'link']) {
      const [two, one] = await askBoth(join(folder, name))
      expect(one, name).toEqual(two)
      expect(one?.keys).toEqual([['installed', 'true']])
    }
  })
})
