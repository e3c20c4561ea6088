import { expect, it } from 'vitest'
import { analyse } from '../../src/architecture/architecture.ts'
import { memoryFiles } from '../../src/architecture/source/memory-files.fake.ts'
import { syntaxTrees } from '../../src/platform/syntax/syntax-trees.ts'

/** Programs of few names that are defined by each other in every way: an analysis of them ends, and no step fails. */

const ROUNDS = 2_000

const NAMES = [
  'a',
  'b',
  'db',
  'http',
  'axios',
  'request',
  'webClient',
  'rest',
  'app',
  'A',
  'B',
  'C',
  '__proto__',
]
const MEMBERS = [
  'get',
  'post',
  'result',
  'path',
  'concat',
  'create',
  'uri',
  'baseUrl',
  'builder',
  'build',
  'use',
]
const TYPES = ['String', 'RestTemplate', 'WebClient', 'A', 'B', 'C', 'WebClient.Builder', 'List<A>']
const ANNOTATIONS = ['@GetMapping', '@FeignClient', '@Bean', '@RestController', '@KafkaListener', '@Value']

class Generator {
  #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  below(limit: number): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return (this.#seed >> 8) % limit
  }

  pick(all: readonly string[]): string {
    return all[this.below(all.length)] ?? ''
  }

  many(most: number, make: () => string): string {
    return Array.from({ length: this.below(most) }, make).join('\n')
  }

  expression(depth = 0): string {
    const inner = () => this.expression(depth + 1)
    switch (this.below(depth > 6 ? 3 : 8)) {
      case 0:
        return this.pick(NAMES)
      case 1:
        return '"http://x/y"'
      case 2:
        return `${this.pick(NAMES)}.${this.pick(MEMBERS)}`
      case 3:
        return `${inner()}.${this.pick(MEMBERS)}(${inner()})`
      case 4:
        return `${inner()} + ${inner()}`
      case 5:
        return `${this.pick(NAMES)}.${this.pick(MEMBERS)}(${inner()}, ${inner()})`
      case 6:
        return `new ${this.pick(NAMES)}(${inner()})`
      default:
        return `${this.pick(NAMES)}.${this.pick(NAMES)}.${this.pick(MEMBERS)}`
    }
  }

  script(): string {
    return this.many(
      40,
      () => `${this.pick(['const ', 'let ', ''])}${this.pick(NAMES)} = ${this.expression()};`,
    )
  }

  javaClass(name: string): string {
    const value = () => `${this.pick(TYPES)} ${this.pick(NAMES)} = ${this.expression()};`
    const method = () =>
      `${this.pick(ANNOTATIONS)}(${this.expression()}) ${this.pick(TYPES)} ${this.pick(NAMES)}(${this.pick(TYPES)} ${this.pick(NAMES)}) { ${this.many(6, value)} return ${this.expression()}; }`
    const bases = `extends ${this.pick(['A', 'B', 'C'])} implements ${this.pick(['A', 'B', 'C'])}`
    return `package p; ${this.pick(ANNOTATIONS)}(${this.expression()}) class ${name} ${bases} { ${this.many(6, value)} ${this.many(5, method)} }`
  }
}

it(`ends on ${ROUNDS} projects, and every step succeeds`, async () => {
  const parser = syntaxTrees()
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const made = new Generator(seed)
    const files: Record<string, string> = {
      'a.ts': made.script(),
      'b.js': made.script(),
      'k.kt': made.script(),
    }
    for (const name of ['A', 'B', 'C']) files[`src/main/java/p/${name}.java`] = made.javaClass(name)
    const options = { at: '2026-01-01T00:00:00Z', checkDeadline: () => {} }
    const { warnings } = await analyse(memoryFiles(files), parser, options)
    expect(
      warnings.filter(({ code }) => code === 'step_failed' || code === 'file_unparsed'),
      `seed ${seed}`,
    ).toEqual([])
  }
}, 1_800_000)
