import { expect, it } from 'vitest'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { analyse } from '../architecture.ts'
import { memoryFiles } from '../source/memory-files.fake.ts'
import { composeReport } from './content.ts'
import { writeHtml } from './html.ts'
import { writeMarkdown } from './markdown.ts'
import { composePage } from './page.ts'
import { compareSystems, describeSystem, readDescription, renderDifference } from './system-description.ts'

const systemOf = (compose: string) =>
  analyse(memoryFiles({ 'compose.yaml': compose }), syntaxTrees(), { at: '', checkDeadline: () => {} })

it('says in Markdown, page, JSON and difference that one container only starts after another', async () => {
  const found = await systemOf(
    'services:\n  web: { image: x/web, depends_on: [api] }\n  api: { image: x/api }',
  )
  const facts = { at: '', root: 'x', version: '0' }
  const markdown = writeMarkdown(composeReport(found, facts, 'en'))
  expect(markdown).toContain('| web | api | service | starts after |')
  const page = writeHtml(composePage(found, facts, 'en'))
  expect(page).toContain('<td>starts after</td><td>api</td>')
  expect(page).toContain('<td>starts before</td><td>web</td>')
  expect(page).toContain('<path class="order"')
  expect(page).toContain('APP_web -. starts after .-&#62; APP_api')
  expect(page).not.toContain('calls or uses')
  const printed = (of: typeof found) => readDescription(JSON.stringify({ system: describeSystem(of) }))
  const now = printed(found)
  expect(now.relations).toMatchObject([{ kind: 'depends_on', confidence: 'low', protocol: 'starts after' }])
  const old = printed(await systemOf('services:\n  web: { image: x/web }\n  api: { image: x/api }'))
  expect(renderDifference(compareSystems(old, now))).toContain('+ service:web -> service:api (starts after)')
})
