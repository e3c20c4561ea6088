import { expect, it } from 'vitest'
import { unitRows } from '../../../test/support/project-rows.ts'
import { readScript } from './script-reader.ts'

const SNIPPETS = [
  {
    title: 'reads imports of both kinds',
    text: `import express from 'express'
import './side-effect'
const fastify = require('fastify')()`,
    rows: ['import express', 'import ./side-effect', 'import fastify', 'top-level fastify = fastify()'],
  },
  {
    title: 'reads a class with decorators, fields and heritage',
    text: `@Controller('cats')
export class Cats extends Base implements Api {
  private readonly url: string = 'http://a'
}`,
    rows: [
      '@Controller(value="cats")',
      '2: class Cats extends Base implements Api',
      '  field url: string = "http://a"',
    ],
  },
  {
    title: 'reads the decorators of methods and parameters',
    text: `class Cats {
  constructor(private readonly service: Service) {}
  @Get(':id')
  one(@Param('id') id: string): Cat { return this.service.get(id) }
}`,
    rows: [
      '1: class Cats',
      '  2: constructor constructor(service: Service)',
      '  @Get(value=":id")',
      '  4: method one(@Param(value="id") id: string): Cat',
      '    4: service.get(id)',
    ],
  },
  {
    title: 'reads template literals, objects and awaited calls',
    text: `const base = 'http://a'
const url = \`\${base}/x\`
await fetch(url, { method: 'post', headers: [] })`,
    rows: [
      'top-level base = "http://a"',
      'top-level url = base ~ "/x"',
      '3: fetch(url, {method="post", headers=[]})',
    ],
  },
  {
    title: 'passes over calls that do not matter',
    text: `console.log('x')
list.map((one) => one.id)`,
    rows: ['top-level one'],
  },
  {
    title: 'marks catch blocks without content',
    text: `abstract class A {
  x() { try { a() } catch {} }
}`,
    rows: ['1: abstract class A', '  2: method x()', '    2: empty catch'],
  },
  { title: 'reads nothing from an empty file', text: '', rows: [] },
] as const

it.each(SNIPPETS)('$title', ({ text, rows }) => {
  expect(unitRows(readScript, 'Tsx', text)).toEqual(rows)
})
