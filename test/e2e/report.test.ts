import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { makeFolder, Program, sweep } from '../support/binary.ts'

let root: string

const HOSTILE = `@Service class Nasty {
  KafkaTemplate<String, String> k;
  void x() {
    k.send("<script>document.title='taken'</script>", "p");
    k.send("\\" onload=alert(1) x=\\"", "p");
  }
}`

beforeAll(async () => {
  root = await makeFolder()
  await cp('test/fixtures/orders', root, { recursive: true })
  await mkdir(join(root, 'src/main/java/shop'), { recursive: true })
  await writeFile(join(root, 'src/main/java/shop/Nasty.java'), HOSTILE)
})

afterAll(sweep)

const report = (...args: readonly string[]) =>
  new Program(['report', '--root', root, ...args], { cwd: root }).ended()

describe('warrant report', () => {
  it('prints Markdown, or one JSON document', async () => {
    const plain = await report()
    expect(plain.code).toBe(0)
    expect(plain.stdout).toMatch(/^# Sentinel Architecture Report\n/)
    const { stdout } = await report('--json', '--lang', 'es')
    expect(JSON.parse(stdout).report).toContain('## Resumen ejecutivo')
  })

  it('fills compose files with .env, whose secrets it does not show, and reads Dockerfiles of any name', async () => {
    const folder = await makeFolder()
    await mkdir(join(folder, 'api'))
    await writeFile(join(folder, '.env'), 'API_FILE=Dockerfile.prod\nDB=db\nDB_SECRET=s3cr3t-v4lue-9\n')
    await writeFile(
      join(folder, 'compose.yaml'),
      'services:\n  shop-api:\n    build: { context: api, dockerfile: "${API_FILE}" }\n    environment: ["DATABASE_URL=postgresql://app:${DB_SECRET}@${DB}/shop"]\n  db: { build: db }\n',
    )
    await writeFile(join(folder, 'api/Dockerfile.prod'), 'FROM scratch\nCMD api\n')
    await mkdir(join(folder, 'db'))
    await writeFile(join(folder, 'db/Dockerfile'), 'FROM postgres:16\n')
    const { code, stdout } = await new Program(['report', '--root', folder, '--json'], {
      cwd: folder,
    }).ended()
    expect(code).toBe(0)
    const { nodes, relations } = JSON.parse(stdout).system
    expect(nodes.map(({ id }: { id: string }) => id)).toEqual(['service:shop-api', 'store:db'])
    expect(relations.map(({ id }: { id: string }) => id)).toEqual([
      'service:shop-api -> store:db (PostgreSQL)',
    ])
    expect(stdout).not.toContain('s3cr3t')
  })

  it('takes an application.conf of Ktor for an application', async () => {
    const folder = await makeFolder()
    await mkdir(join(folder, 'web/src/main/resources'), { recursive: true })
    await writeFile(join(folder, 'web/src/main/resources/application.conf'), 'ktor {\n}\n')
    await writeFile(join(folder, 'web/src/main/App.kt'), 'fun main() {}\n')
    const { stdout } = await new Program(['report', '--root', folder, '--json'], { cwd: folder }).ended()
    expect(JSON.parse(stdout).system.nodes).toMatchObject([{ id: 'service:web' }])
  })

  it('writes a new file, and never over another', async () => {
    const first = await report('--out', 'out.md')
    expect(first).toMatchObject({ code: 0, stdout: `Report written: ${join(root, 'out.md')}\n` })
    const before = await readFile(join(root, 'out.md'), 'utf8')
    expect((await report('--out', 'out.md')).code).toBe(5)
    expect(await readFile(join(root, 'out.md'), 'utf8')).toBe(before)
  })

  it('tells what was added and removed since an earlier report', async () => {
    const file = join(await makeFolder(), 'old.json')
    const { stdout: text } = await report('--json')
    await writeFile(file, text)
    expect(await report('--diff', file)).toMatchObject({
      code: 0,
      stdout: 'No service, relation or endpoint was added or removed.\n',
    })
    const old = JSON.parse(text)
    const [gone] = old.system.endpoints.splice(0, 1)
    old.system.relations.push({ id: 'service:a -> service:b (REST)', from: 'a', to: 'b', protocol: 'REST' })
    await writeFile(file, JSON.stringify(old))
    const { code, stdout } = await report('--diff', file)
    expect(code).toBe(0)
    expect(stdout).toBe(
      `Relations: 0 added, 1 removed\n  - service:a -> service:b (REST)\nEndpoints: 1 added, 0 removed\n  + ${gone.id}\n`,
    )
    const { diff } = JSON.parse((await report('--diff', file, '--json')).stdout)
    expect(diff.endpoints).toEqual({ added: [gone.id], removed: [] })
    const changed = JSON.parse(text)
    const [relation] = changed.system.relations
    const about = relation.about
    relation.about = ['a-topic']
    await writeFile(file, JSON.stringify(changed))
    expect((await report('--diff', file)).stdout).toBe(
      `Relations with other topics or paths: 1\n  ${relation.id}\n    - a-topic\n${about.map((one: string) => `    + ${one}\n`).join('')}`,
    )
    await writeFile(file, '{"report":"x"}')
    expect((await report('--diff', file)).code).toBe(2)
  })

  it('saves under the name of the day', async () => {
    const { stdout } = await report('--save', '--json')
    expect(JSON.parse(stdout).path).toMatch(/\/SENTINEL_REPORT_\d{8}\.md$/)
  })

  it.each([
    [['--lang', 'de'], 2],
    [['--save', '--html'], 2],
    [['--diff', 'old.json', '--html'], 2],
    [['a', 'b'], 2],
    [['gone'], 4],
    [['../x'], 3],
  ])('with %j ends with %i', async (args, code) => {
    expect((await report(...args)).code).toBe(code)
  })
})

describeWith('chromium', 'the report as a page', (chromium) => {
  const open = async (file: string, ...args: readonly string[]): Promise<string> => {
    const profile = await makeFolder()
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      `--user-data-dir=${profile}`,
      '--virtual-time-budget=2000',
    ]
    const { stdout } = await promisify(execFile)(chromium, [...flags, ...args, `file://${file}`], {
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  }

  it('draws every box and arrow, fetches nothing and runs nothing', async () => {
    const file = join(root, 'report.html')
    expect((await report('--html', '--out', file)).code).toBe(0)
    const html = await readFile(file, 'utf8')
    expect(html).not.toMatch(/<script|<link|<img|@import|src=|href=(?!"#[\w-]+")/)
    const dom = await open(file, '--dump-dom')
    expect(dom).toContain('<title>Sentinel Architecture Report</title>')
    const count = (pattern: RegExp) => dom.match(pattern)?.length
    const mermaid = [...dom.matchAll(/<pre>(.*?)<\/pre>/gs)].flatMap(([, text = '']) => text.split('\n'))
    expect(count(/<rect /g)).toBe(
      mermaid.filter((line) => line.includes('"') || line.includes('&quot;')).length,
    )
    expect(count(/marker-end=/g)).toBe(mermaid.filter((line) => line.includes('--&gt;')).length)
    expect(dom).not.toMatch(/s3cret|hunter2/)
    const places = [...html.matchAll(/href="#([\w-]+)"/g)].map(([, place]) => place)
    expect(places).toContain('service-1')
    for (const place of places) expect(html.split(`id="${place}"`)).toHaveLength(2)
    expect(html.indexOf('What was looked at')).toBeLessThan(html.indexOf('<h2>'))
    const picture = join(root, 'report.png')
    await open(file, `--screenshot=${picture}`, '--window-size=1200,1600')
    expect([...(await readFile(picture)).subarray(1, 4)]).toEqual([...Buffer.from('PNG')])
  })
})
