import { median } from './stats.mjs'

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} label
 * @property {number} digits
 * @property {'min' | 'max'} best which end of the samples is the undisturbed one
 *
 * @typedef {{ median: number, best: number }} Cell
 * @typedef {Record<string, Cell>} Cells
 * @typedef {{ title: string, columns: Column[], rows: { name: string, cells: Cells }[],
 *   ratios: { of: string, to: string, cells: Cells }[] }} Table
 * @typedef {{ bench: string, rounds: number, cpuSource: string, tables: Table[] }} Report
 */

/** Samples of one table, gathered round by round. */
export class Samples {
  /** @type {Map<string, Map<string, number[]>>} */
  #byName = new Map()

  /**
   * @param {string} title
   * @param {Column[]} columns
   */
  constructor(title, columns) {
    this.title = title
    this.columns = columns
  }

  /**
   * @param {string} name
   * @param {Record<string, number>} values
   */
  add(name, values) {
    const row = this.#byName.get(name) ?? new Map()
    this.#byName.set(name, row)
    for (const [key, value] of Object.entries(values)) row.set(key, [...(row.get(key) ?? []), value])
  }

  /**
   * @param {string[]} names in the order of the rows
   * @param {string[]} bases what the later rows are divided by
   * @returns {Table}
   */
  table(names, bases) {
    const rows = names.map((name) => ({ name, cells: this.#cells(name) }))
    const ratios = rows.flatMap((row, index) =>
      rows
        .slice(0, index)
        .filter((base) => bases.includes(base.name))
        .map((base) => ({ of: row.name, to: base.name, cells: divide(row.cells, base.cells) })),
    )
    return { title: this.title, columns: this.columns, rows, ratios }
  }

  /** @param {string} name */
  #cells(name) {
    /** @type {Cells} */
    const cells = {}
    for (const { key, best } of this.columns) {
      const values = this.#byName.get(name)?.get(key)
      if (values) cells[key] = { median: median(values), best: Math[best](...values) }
    }
    return cells
  }
}

/**
 * @param {Cells} cells
 * @param {Cells} base
 */
function divide(cells, base) {
  /** @type {Cells} */
  const ratios = {}
  for (const [key, cell] of Object.entries(cells)) {
    const under = base[key]
    if (under) ratios[key] = { median: cell.median / under.median, best: cell.best / under.best }
  }
  return ratios
}

/**
 * @param {Cell | undefined} cell
 * @param {number} digits
 * @param {string} sign
 */
function show(cell, digits, sign = '') {
  if (!cell) return '–'
  return `${cell.median.toFixed(digits)}${sign} (${cell.best.toFixed(digits)}${sign})`
}

/** @param {string[][]} lines */
function grid(lines) {
  const [head = [], ...body] = lines
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [head, rule, ...body].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** @param {Table} table */
function tableText({ title, columns, rows, ratios }) {
  const labels = columns.map((column) => `${column.label}, median (${column.best})`)
  const figures = rows.map(({ name, cells }) => [
    name,
    ...columns.map(({ key, digits }) => show(cells[key], digits)),
  ])
  const quotients = ratios.map(({ of, to, cells }) => [
    `${of} / ${to}`,
    ...columns.map(({ key }) => show(cells[key], 2, '×')),
  ])
  const names = columns.map((column) => column.label.replace(/,[^,]*$/, ''))
  return [
    `### ${title}`,
    grid([['', ...labels], ...figures]),
    grid([['ratio', ...names], ...quotients]),
  ].join('\n\n')
}

/** @param {Report} report */
export function reportText({ bench, rounds, cpuSource, tables }) {
  const head = `## ${bench}\n\n${rounds} interleaved rounds, CPU from ${cpuSource}.`
  return [head, ...tables.map(tableText)].join('\n\n')
}
