import { expect, it } from 'vitest'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { analyse } from '../architecture.ts'
import { memoryFiles } from '../source/memory-files.fake.ts'

const SERVER = 'package main\nimport "net/http"\nfunc main() { http.ListenAndServe(":80", nil) }\n'
const COMMAND = 'package main\nfunc main() {}\n'

const servicesOf = async (files: Record<string, string>) => {
  const { system } = await analyse(memoryFiles(files), syntaxTrees(), { at: '', checkDeadline: () => {} })
  return {
    services: system.services.map(({ name, folder, kind }) => `${name} in ${folder || '.'} (${kind})`),
    relations: system.relations.map(({ from, to }) => `${from} -> ${to}`),
  }
}

it.each([
  {
    title: 'the only service of a module stands for the module',
    files: {
      'go.mod': 'module example.com/shop\n',
      'cmd/shop/main.go': SERVER,
      'cmd/migrate/main.go': COMMAND,
    },
    services: ['shop in . (service)', 'migrate in cmd/migrate (command)'],
  },
  {
    title: 'services of one module have the folders without other programs',
    files: {
      'go.mod': 'module example.com/shop\n',
      'services/orders/cmd/main.go': SERVER,
      'services/users/cmd/main.go': SERVER,
    },
    services: ['orders in services/orders (service)', 'users in services/users (service)'],
  },
  {
    title: 'a program with an image of its own',
    files: { 'orders/cmd/main.go': COMMAND, 'orders/Dockerfile': 'FROM scratch\n' },
    services: ['orders in orders (service)'],
  },
  {
    title: 'tools of the developers and files outside of the build are no services',
    files: {
      'go.mod': 'module example.com/shop\n',
      'cmd/shop/main.go': SERVER,
      'hack/gen/main.go': COMMAND,
      'internal/gen/main.go': COMMAND,
      'gen.go': `//go:build ignore\n\n${COMMAND}`,
    },
    services: ['shop in . (service)'],
  },
])('$title', async ({ files, services }) => {
  expect((await servicesOf(files)).services).toEqual(services)
})

it('a package that one program imports belongs to it, one that several import to each', async () => {
  const open = (name: string) =>
    `package ${name}\nimport "github.com/redis/go-redis/v9"\nfunc Open() { redis.NewClient(&redis.Options{Addr: "cache:6379"}) }\n`
  const main = (...imports: readonly string[]) =>
    SERVER.replace('import "net/http"', ['net/http', ...imports].map((one) => `import "${one}"`).join('\n'))
  const { relations } = await servicesOf({
    'go.mod': 'module example.com/shop\n',
    'cmd/a/main.go': main('example.com/shop/store', 'example.com/shop/shared'),
    'cmd/b/main.go': main('example.com/shop/shared'),
    'store/store.go': open('store'),
    'shared/shared.go': open('shared'),
  })
  expect(relations).toEqual(['service:a -> store:a Redis', 'service:b -> store:b Redis'])
})
