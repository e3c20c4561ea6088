import { expect, it } from 'vitest'
import type { ChangeSet, GitReader } from '../ports.ts'
import { gatherChangeContext } from './change-context.ts'

async function* nothing(): AsyncGenerator<never> {}

it('counts the platforms of a repository of any size', async () => {
  const changes = Array.from({ length: 300_000 }, (_, at) => ({
    path: `src/${at}.go`,
    change: 'added' as const,
  }))
  const ends = { base: undefined, head: undefined }
  const reads = {
    read: nothing,
    readBefore: nothing,
    identify: async () => [],
    boundTree: async () => undefined,
  }
  const set: ChangeSet = { source: 'git:repository', changes, ...ends, ...reads }
  const git = {
    changes: async () => set,
    head: async () => null,
    tracked: async () => ({ find: () => ['go.mod'], read: nothing }),
  } as unknown as GitReader
  const { detection } = await gatherChangeContext(git, { kind: 'repository' }, new AbortController().signal)
  expect(detection.platforms).toEqual({ go: { detected: true, confidence: 'HIGH' } })
})
