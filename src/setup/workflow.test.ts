import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { workflowTarget } from './workflow.ts'

const COMMIT = 'a'.repeat(40)

it('uses inputs that the action has, and pins every action by a commit', async () => {
  const target = workflowTarget(`owner/repository@${COMMIT}`)
  const [insertion] = (await target.entries[0]?.insert('')) ?? []
  const workflow = parse(insertion?.text ?? '')
  const steps: readonly { uses: string; with: Record<string, unknown> }[] = workflow.jobs.warrant.steps
  const { inputs } = parse(readFileSync('action.yml', 'utf8'))
  expect(steps.map(({ uses }) => /@[0-9a-f]{40}$/.test(uses))).toEqual([true, true])
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(steps[1]?.with ?? {})))
  for (const [name, { required }] of Object.entries<{ required?: boolean }>(inputs))
    if (required) expect(steps[1]?.with).toHaveProperty(name)
  // Its own text is recognised without a record, an edited one is not.
  const text = insertion?.text ?? ''
  const other = workflowTarget('').entries[0]
  expect(await other?.remove(text, new Set())).toEqual({ text: '' })
  expect(await other?.remove(text.replace('fetch-depth: 0', 'fetch-depth: 1'), new Set())).toBe('edited')
})
