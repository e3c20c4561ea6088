import { afterAll, it } from 'vitest'
import { makeFolder, sweep } from './support/binary.ts'
import { expectListed } from './support/large-folder.ts'

afterAll(sweep)

it('a folder of a hundred thousand is listed', async () => expectListed(await makeFolder(), 100_000))
