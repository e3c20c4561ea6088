import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeFolder, sweep } from './support/binary.ts'
import { hangMount } from './support/hung-mount.ts'
import { Sentinel } from './support/sentinel.ts'

afterAll(sweep)

it('on a disk that does not answer, tools that read a file end after 5 s and the others after 45 s', async ({
  skip,
}) => {
  const root = await makeFolder()
  writeFileSync(join(root, 'A.java'), 'class A {}\n')
  const release = hangMount(join(root, 'hung'))
  if (release === undefined) return skip('no FUSE here, or not the superuser')
  try {
    const server = new Sentinel(root)
    const whole = server.call('get_project_structure', { projectPath: 'hung' })
    const file = server.call('readJavaFile', { path: 'hung/x.java' })
    const answers = await server.answers(2, 120_000)
    expect(answers.map(({ id, error }) => [id, error?.code, error?.data])).toMatchObject([
      [file, -32000, { reason: 'timeout', limit: 5_000 }],
      [whole, -32000, { reason: 'timeout', limit: 45_000 }],
    ])
    await server.finish()
  } finally {
    release()
  }
}, 180_000)
