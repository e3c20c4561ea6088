/** One measured value. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

const readLabels = (text: string): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {}
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length; ) {
    const found = LABEL.exec(text)
    if (found === null) throw new Error(`not labels: ${text}`)
    labels[found[1] ?? ''] = found[2] ?? ''
  }
  return labels
}

/** Reads Prometheus text, format 0.0.4, and fails on anything that is not. */
export const readMetrics = (text: string): readonly Sample[] => {
  if (!text.endsWith('\n')) throw new Error('the last line has no newline')
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n').slice(0, -1)) {
    const [, keyword, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'TYPE') {
      if (types.has(about)) throw new Error(`two types of ${about}`)
      types.set(about, rest)
    }
    if (keyword !== undefined) continue
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
    if (!types.has(family) || !Number.isFinite(Number(value))) throw new Error(`not a sample: ${line}`)
    samples.push({ name, labels: readLabels(labels), value: Number(value) })
  }
  const keys = samples.map(({ name, labels }) => `${name}${JSON.stringify(labels)}`)
  if (new Set(keys).size !== keys.length) throw new Error('a sample twice')
  return samples
}

/** The value of the one sample with exactly these labels. */
export const findSample = (samples: readonly Sample[], name: string, labels: object): number | undefined =>
  samples.find((one) => one.name === name && JSON.stringify(one.labels) === JSON.stringify(labels))?.value
