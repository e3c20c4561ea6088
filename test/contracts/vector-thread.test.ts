import { truncate, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { writeFlatIndex } from '../../src/packets/format/faiss.ts'
import { openVectors } from '../../src/platform/packets/vectors/vector-file.ts'
import { VectorThread } from '../../src/platform/packets/vectors/vector-threads.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { noAbort } from '../support/packet-setup.ts'

const PROGRAM = pathToFileURL(resolve('dist/threads/vector.js'))
const thread = new VectorThread(PROGRAM, systemClock)

afterAll(async () => {
  await thread.close()
  await sweep()
})

const shape = { rows: 3000, dim: 32 }

const place = async () => {
  let state = 7
  const values = Float32Array.from({ length: shape.rows * shape.dim }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  })
  const folder = await makeFolder()
  const files = { index: join(folder, 'index.faiss'), table: join(folder, 'index.i8') }
  await writeFile(files.index, writeFlatIndex({ ...shape, values }))
  return { files, question: values.slice(0, shape.dim) }
}

describe('an index in a thread', () => {
  it('finds what it finds here', async () => {
    const { files, question } = await place()
    const here = await openVectors(files, shape, systemClock)
    const there = await thread.open(files, shape)
    expect(there).toMatchObject(shape)
    expect(await there.search(question, 10, noAbort)).toEqual(await here.search(question, 10, noAbort))
    here.close()
    there.close()
  })

  it('is opened anew when somebody asks after it was closed', async () => {
    const { files, question } = await place()
    const index = await thread.open(files, shape)
    index.close()
    expect((await index.search(question, 1, noAbort))[0]).toMatchObject({ row: 0 })
  })

  it('is refused there as it is here, and the thread goes on', async () => {
    const { files } = await place()
    await truncate(files.index, 1000)
    await expect(thread.open(files, shape)).rejects.toMatchObject({ code: 'packet.index', kind: 'corrupt' })
    const index = await thread.open((await place()).files, shape)
    await expect(index.search(new Float32Array(3), 1, noAbort)).rejects.toMatchObject({
      code: 'packet.vectors',
    })
  })

  it('is not searched for somebody who has gone', async () => {
    const { files, question } = await place()
    const index = await thread.open(files, shape)
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(index.search(question, 1, gone)).rejects.toThrow('gone')
  })
})
