import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { EXAMPLE_SYSTEMS } from '../support/example-systems.ts'

afterAll(sweep)

/** Measures the diagram in the browser, and leaves the result in the page. */
const MEASURE = `
const [svg] = document.querySelectorAll('svg')
const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number)
const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
const light = (color) => rgb(color).map(channel).reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0)
const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05)
const area = (one) => { const { x, y, width, height } = one.getBBox(); return { x, y, width, height } }
const boxes = [...svg.querySelectorAll('g > rect')].map((rect) => {
  const text = rect.parentNode.querySelector('text')
  return {
    label: text.textContent,
    box: area(rect),
    text: area(text),
    contrast: contrast(getComputedStyle(text).fill, getComputedStyle(rect).fill),
  }
})
const arrows = [...svg.querySelectorAll('.edges path')].map((path) => {
  const length = path.getTotalLength()
  return Array.from({ length: 200 }, (_, i) => path.getPointAtLength((length * i) / 199)).map(({ x, y }) => [x, y])
})
const result = document.createElement('pre')
result.id = 'measured'
result.textContent = JSON.stringify({
  background: getComputedStyle(document.body).backgroundColor,
  bodyContrast: contrast(getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor),
  boxes,
  arrows,
})
document.body.append(result)`

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Measured {
  readonly background: string
  readonly bodyContrast: number
  readonly boxes: readonly { label: string; box: Area; text: Area; contrast: number }[]
  readonly arrows: readonly (readonly (readonly [number, number])[])[]
}

const overlap = (a: Area, b: Area): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

const isInside = (inner: Area, outer: Area): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height

/** The boxes that an arrow runs through: its ends lie on the edges of two boxes. */
const crossed = (arrow: Measured['arrows'][number], boxes: Measured['boxes']): readonly string[] =>
  boxes
    .filter(({ box }) =>
      arrow.some(
        ([x, y]) => x > box.x + 1 && x < box.x + box.width - 1 && y > box.y + 1 && y < box.y + box.height - 1,
      ),
    )
    .map(({ label }) => label)

describeWith('chromium', 'the diagram of a report', (chromium) => {
  /** `theme`: 0 is dark, 1 is light. */
  const measure = async (page: string, theme: 0 | 1): Promise<Measured> => {
    const { stdout } = await promisify(execFile)(
      chromium,
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        `--user-data-dir=${await makeFolder()}`,
        `--blink-settings=preferredColorScheme=${theme}`,
        '--dump-dom',
        `file://${page}`,
      ],
      { maxBuffer: 64 * 1024 * 1024 },
    )
    const [, json = ''] = /<pre id="measured">(.*?)<\/pre>/s.exec(stdout) ?? []
    return JSON.parse(json.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
  }

  it.each(someRows(EXAMPLE_SYSTEMS, 3))('can be read in both themes: $name', async ({ files, relations }) => {
    const root = await makeFolder()
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), text)
    }
    const folder = await makeFolder()
    const report = (...args: readonly string[]) =>
      new Program(['report', '--root', root, ...args], { cwd: folder }).ended()
    const { system } = JSON.parse((await report('--json')).stdout)
    expect(system.relations.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining([...relations]),
    )
    expect((await report('--html', '--out', 'page.html')).code).toBe(0)
    const html = await readFile(join(folder, 'page.html'), 'utf8')
    // The page itself runs no script: the copy that is measured has another policy.
    const page = join(folder, 'measured.html')
    await writeFile(
      page,
      `${html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '')}<script>${MEASURE}</script>`,
    )
    const backgrounds = new Set<string>()
    for (const theme of [0, 1] as const) {
      const { background, bodyContrast, boxes, arrows } = await measure(page, theme)
      backgrounds.add(background)
      expect(bodyContrast).toBeGreaterThan(7)
      expect(boxes).toHaveLength(system.nodes.length)
      expect(arrows).toHaveLength(system.relations.length)
      expect(boxes.filter(({ text, box }) => !isInside(text, box))).toEqual([])
      expect(boxes.filter((one) => one.contrast < 4.5)).toEqual([])
      for (const [at, one] of boxes.entries())
        expect(boxes.slice(at + 1).filter(({ box }) => overlap(box, one.box))).toEqual([])
      for (const arrow of arrows) expect(crossed(arrow, boxes)).toEqual([])
    }
    expect(backgrounds.size).toBe(2)
  })
})
