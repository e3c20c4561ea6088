import { expect, it } from 'vitest'
import { inboundRows, type Snippet } from '../../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'route handlers with groups, parameters and each kind of export',
    files: {
      'apps/web/src/app/layout.tsx': "import Link from 'next/link'",
      'apps/web/src/app/(admin)/api/users/[id]/route.ts': `export async function GET() {}
export const DELETE = protect(remove)
export const runtime = 'edge'
export function helper() {}`,
      'apps/web/src/app/api/auth/[...auth]/route.ts': 'export const { GET, POST } = handlers',
      'apps/web/src/app/feed/route.js': 'const handler = () => 1\nexport { handler as GET }',
      'apps/web/src/app/route.ts': "export { HEAD } from './own'",
    },
    rows: [
      '1: REST GET /api/users/[id], GET',
      '2: REST DELETE /api/users/[id], DELETE',
      '1: REST GET /api/auth/[...auth], GET',
      '1: REST POST /api/auth/[...auth], POST',
      '1: REST GET /feed, handler',
      '1: REST HEAD /, HEAD',
    ],
  },
  {
    title: 'files below pages/api',
    files: {
      'pages/api/index.ts': 'export default function root() {}',
      'pages/api/users/[id].ts': `import type { NextApiRequest } from 'next'
const handler = async () => {}
export default handler`,
      'pages/api/users/index.js': 'module.exports = (req, res) => {}',
    },
    rows: ['1: REST ANY /api, root', '2: REST ANY /api/users/[id], handler', '1: REST ANY /api/users'],
  },
  {
    title: 'server actions',
    files: {
      'app/page.tsx': "import Image from 'next/image'",
      'app/actions.ts': `'use server'
export async function save() {}
export const remove = async () => {}
function helper() {}`,
      'app/mixed.ts': `export async function add() {
  'use server'
}
export async function plain() {}`,
    },
    rows: ['2: Server Action save, save', '3: Server Action remove, remove', '1: Server Action add, add'],
  },
  {
    title: 'nothing without Next.js, in private folders, and for files without a handler',
    files: {
      'a/app/x/route.ts': 'export function GET() {}',
      'a/pages/api/x.ts': 'export default 1',
      'b/app/layout.tsx': "import 'next/font'",
      'b/app/_lib/route.ts': 'export function GET() {}',
      'b/app/x/router.ts': 'export function GET() {}',
      'b/pages/api/types.ts': 'export const a = 1',
    },
    rows: [],
  },
]

it.each(SNIPPETS)('Next.js: $title', async ({ files, rows }) => {
  expect([...(await inboundRows(files))].sort()).toEqual([...rows].sort())
})
