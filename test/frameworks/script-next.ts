import type { FrameworkSnippets } from './snippet-corpus.ts'

const language = 'TypeScript, JavaScript'

export const NEXTJS: FrameworkSnippets = {
  framework: 'Next.js',
  language,
  finds: ['endpoints'],
  found: [
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
        'in 1: REST GET /api/users/[id], GET',
        'in 2: REST DELETE /api/users/[id], DELETE',
        'in 1: REST GET /api/auth/[...auth], GET',
        'in 1: REST POST /api/auth/[...auth], POST',
        'in 1: REST GET /feed, handler',
        'in 1: REST HEAD /, HEAD',
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
      rows: [
        'in 1: REST ANY /api, root',
        'in 2: REST ANY /api/users/[id], handler',
        'in 1: REST ANY /api/users',
      ],
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
      rows: [
        'in 2: Server Action save, save',
        'in 3: Server Action remove, remove',
        'in 1: Server Action add, add',
      ],
    },
    {
      title: 'pages and route handlers below a base path',
      files: {
        'next.config.mjs': "export default { basePath: '/docs', reactStrictMode: true }",
        'app/(shop)/items/[id]/page.tsx': `import Link from 'next/link'
export default async function Item() {}`,
        'app/(shop)/@modal/(.)photo/page.tsx': 'export default function Photo() {}',
        'app/api/items/route.ts': 'export async function GET() {}',
        'pages/about.tsx': 'export default function About() {}',
        'pages/_app.tsx': 'export default function App() {}',
        'components/pages/Card.tsx': "import Link from 'next/link'\nexport default function Card() {}",
      },
      rows: [
        'in 2: Page /docs/items/[id], Item',
        'in 1: REST GET /docs/api/items, GET',
        'in 1: Page /docs/about, About',
      ],
    },
    {
      title: 'paths that middleware handles',
      files: {
        'web/src/middleware.ts': `import { NextResponse } from 'next/server'
export function middleware(request) {}
export const config = {
  matcher: ['/dashboard/:path*', { source: '/api/:path*', has: [] }],
}`,
        'web/src/app/layout.tsx': "import Link from 'next/link'",
        'site/next.config.js': 'module.exports = { reactStrictMode: true }',
        'docker/middleware.ts': `import { NextResponse } from 'next/server'
export function middleware() {}`,
        'site/middleware.js': `import { NextResponse } from 'next/server'
export default function all() {}`,
      },
      rows: [
        'in 2: Middleware /:path*, all',
        'in 3: Middleware /api/:path*, middleware',
        'in 3: Middleware /dashboard/:path*, middleware',
      ],
    },
  ],
  notFound: [
    {
      title: 'files without Next.js, in private folders, and without a handler',
      files: {
        'a/app/x/route.ts': 'export function GET() {}',
        'a/pages/api/x.ts': 'export default 1',
        'b/app/layout.tsx': "import 'next/font'",
        'b/app/_lib/route.ts': 'export function GET() {}',
        'b/app/x/router.ts': 'export function GET() {}',
        'b/pages/api/types.ts': 'export const a = 1',
        'c/middleware.ts': 'export function middleware() {}',
      },
    },
  ],
}

export const TRPC_SNIPPETS: FrameworkSnippets = {
  framework: 'tRPC',
  language,
  finds: ['endpoints'],
  found: [
    {
      title: 'procedures of nested, mounted and merged routers',
      files: {
        'app.ts': `import { router, mergeRouters } from './trpc'
import { users } from './users'
import { posts as blog } from './posts'
const inner = router({ users, blog, health: publicProcedure.query(() => 1) })
export const appRouter = router({ v1: inner })`,
        'users.ts': `export const users = createTRPCRouter({
  byId: authedProcedure.input(z.string())
    .query(() => 1),
  admin: t.router({ ban: t.procedure.use(x).mutation(() => 1) }),
  limit: 3,
})`,
        'posts.ts': `const read = router({ added: publicProcedure.subscription(() => 1) })
export const posts = mergeRouters(read)`,
      },
      rows: [
        'in 4: tRPC query v1.health, v1.health',
        'in 1: tRPC subscription v1.blog.added, v1.blog.added',
        'in 3: tRPC query v1.users.byId, v1.users.byId',
        'in 4: tRPC mutation v1.users.admin.ban, v1.users.admin.ban',
      ],
    },
    {
      title: 'a router that is written where it is merged',
      files: {
        'app.ts': `import { polls } from './polls'
export const appRouter = mergeRouters(router({ polls, ok: publicProcedure.query(() => 1) }))`,
        'polls.ts': 'export const polls = router({ close: publicProcedure.mutation(() => 1) })',
      },
      rows: ['in 2: tRPC query ok, ok', 'in 1: tRPC mutation polls.close, polls.close'],
    },
    {
      title: 'routers that contain each other, and other records beside them',
      files: {
        'a.ts': `const a = router({ b, x: publicProcedure.query(() => 1) })
const b = router({ a })
const c = router({ rows: db.query('select 1'), list: client.users.query() })`,
      },
      rows: ['in 1: tRPC query b.a.x, b.a.x'],
    },
    {
      title: 'records of procedures, and a router that is exported without a name',
      files: {
        'root.ts': `import { initTRPC } from '@trpc/server'
import posts from './posts'
import { postRouter } from './post'
export const appRouter = createTRPCRouter({ posts, post: postRouter })`,
        'posts.ts': 'export default router({ all: publicProcedure.query(() => 1) })',
        'post.ts': `export const postRouter = {
  create: protectedProcedure.input(Create).mutation(() => 1),
} satisfies TRPCRouterRecord`,
      },
      rows: ['in 2: tRPC mutation post.create, post.create', 'in 1: tRPC query posts.all, posts.all'],
    },
  ],
  notFound: [
    {
      title: 'other functions of this name',
      files: {
        'a.ts': `const app = router({ list: db.query('select 1'), home })
export const table = { rows: connection.query('select 1') }`,
      },
    },
  ],
}
